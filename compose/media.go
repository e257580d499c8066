package compose

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"crier/connectors/catalog"
	"crier/connectors/egress"
	"crier/connectors/media"
)

// fetchMediaLimit is how long fetching one url for an upload may take.
const fetchMediaLimit = 4 * time.Minute

// largestMedia is how large one file is that is taken or fetched, in bytes.
func (c Config) largestMedia() int64 { return cmp.Or(c.MaxMedia, catalog.LargestMedia()) }

// checkBucketLimit is how long the check of a bucket at the start may take.
const checkBucketLimit = 30 * time.Second

// newLibrary makes the store of media: a bucket where one is configured, else a folder of
// the data folder, which only this process can read.
func (b *base) newLibrary(ctx context.Context) (*media.Library, error) {
	largest := b.config.largestMedia()
	fetcher := media.NewFetcher(media.Config{HTTP: b.guarded.Client(), Timeout: fetchMediaLimit})
	arriving := b.parts.data.Path("media-arriving")
	if b.config.MediaS3 == "" {
		folder, err := media.NewFolder(b.parts.data.Path("media"))
		if err != nil {
			return nil, err
		}
		return media.NewLibrary(media.LibraryConfig{Blobs: folder, Arriving: arriving, Fetcher: fetcher, MaxBytes: largest, Constraints: catalog.Constraints})
	}
	config, err := media.ParseS3(b.config.MediaS3)
	if err != nil {
		return nil, err
	}
	guard := egress.New(egress.Config{Allowed: b.config.AllowedNetworks, AllowedHosts: []string{config.Address()}, TLS: b.config.MediaS3TLS})
	config.Metadata = metadataClient()
	bucket, err := media.NewS3(config, guard.Client().Transport)
	if err != nil {
		return nil, err
	}
	if err := checkBucket(ctx, bucket); err != nil {
		return nil, fmt.Errorf("checking the media bucket of --media-s3, %s: %w", config, err)
	}
	b.config.Logger.InfoContext(ctx, "media is kept in a bucket", "bucket", config.String())
	return media.NewLibrary(media.LibraryConfig{Blobs: bucket, Arriving: arriving, Fetcher: fetcher, MaxBytes: largest, Constraints: catalog.Constraints})
}

// metadataClient asks for the credentials of roles. A machine that has none may answer
// nothing at all.
func metadataClient() *http.Client {
	client := *egress.New(egress.Config{Allowed: media.MetadataNetworks(), ConnectTimeout: time.Second}).Client()
	client.Timeout = 3 * time.Second
	return &client
}

// fetchingFolder is where media is while it is brought to a platform: in the data folder, since
// the system's own may be memory. What a process that died has left there is removed.
func (b *base) fetchingFolder() (string, error) {
	folder := b.parts.data.Path("media-fetching")
	if err := os.RemoveAll(folder); err != nil {
		return "", fmt.Errorf("emptying the folder of fetched media: %w", err)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("making the folder of fetched media: %w", err)
	}
	return folder, nil
}

func checkBucket(ctx context.Context, bucket *media.S3) error {
	ctx, cancel := context.WithTimeout(ctx, checkBucketLimit)
	defer cancel()
	return bucket.Check(ctx)
}
