package compose

import (
	"context"
	"time"

	"crier/connectors/egress"
	"crier/connectors/media"
)

// fetchMediaLimit is how long fetching one url for an upload may take.
const fetchMediaLimit = 4 * time.Minute

// newLibrary makes the store of media: a bucket where one is configured, else a folder of
// the data folder, which only this process can read.
func (b *base) newLibrary(ctx context.Context) (*media.Library, error) {
	fetcher := media.NewFetcher(media.Config{HTTP: b.guarded.Client(), Timeout: fetchMediaLimit})
	arriving := b.parts.data.Path("media-arriving")
	if b.config.MediaS3 == "" {
		folder, err := media.NewFolder(b.parts.data.Path("media"))
		if err != nil {
			return nil, err
		}
		return media.NewLibrary(media.LibraryConfig{Blobs: folder, Arriving: arriving, Fetcher: fetcher})
	}
	config, err := media.ParseS3(b.config.MediaS3)
	if err != nil {
		return nil, err
	}
	guard := egress.New(egress.Config{Allowed: b.config.AllowedNetworks, AllowedHosts: []string{config.Address()}})
	bucket, err := media.NewS3(config, guard.Client().Transport)
	if err != nil {
		return nil, err
	}
	b.config.Logger.InfoContext(ctx, "media is kept in a bucket", "bucket", config.String())
	return media.NewLibrary(media.LibraryConfig{Blobs: bucket, Arriving: arriving, Fetcher: fetcher})
}
