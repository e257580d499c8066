package compose

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"crier/connectors/catalog"
	"crier/connectors/egress"
	"crier/connectors/media"
	"crier/connectors/page"
	"crier/gateway"
	"crier/pipeline/worker"
	"crier/schema"
	"crier/schema/sleep"
)

// fetchMediaLimit is how long fetching one url for an upload may take.
const fetchMediaLimit = 4 * time.Minute

// largestMedia is how large one file is that is taken or fetched, in bytes.
func (c Config) largestMedia() int64 { return cmp.Or(c.MaxMedia, catalog.LargestMedia()) }

// servedFiles is the address under which platforms fetch media from crier; empty: its address is one
// of this machine or network, or is not given, so that they do not reach it.
func (c Config) servedFiles() string {
	if !egress.IsOutside(c.PublicURL) {
		return ""
	}
	return strings.TrimSuffix(c.PublicURL, "/") + gateway.FilesPath
}

// checkBucketLimit is how long the check of a bucket at the start may take.
const checkBucketLimit = 30 * time.Second

// newLibrary makes the store of media: a bucket where one is configured, else a folder of
// the data folder, which only this process can read.
func (b *base) newLibrary(ctx context.Context) (*media.Library, error) {
	largest := b.config.largestMedia()
	fetcher := media.NewFetcher(media.Config{HTTP: b.guarded.Client(), Timeout: fetchMediaLimit})
	settings := media.LibraryConfig{
		Arriving: b.parts.data.Path("media-arriving"), Fetcher: fetcher, MaxBytes: largest, Quota: b.quota, Constraints: catalog.Constraints,
		Files: b.config.servedFiles(),
	}
	if err := media.RemoveTemporary(settings.Arriving); err != nil {
		return nil, err
	}
	if b.config.MediaS3 == "" {
		folder, err := media.NewFolder(b.parts.data.Path("media"))
		if err != nil {
			return nil, err
		}
		settings.Blobs = folder
		return media.NewLibrary(settings)
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
	settings.Blobs = bucket
	return media.NewLibrary(settings)
}

// metadataClient asks for the credentials of roles. A machine that has none may answer
// nothing at all.
func metadataClient() *http.Client {
	client := *egress.New(egress.Config{Allowed: media.MetadataNetworks(), ConnectTimeout: time.Second}).Client()
	client.Timeout = 3 * time.Second
	return &client
}

// fetchingFolder is where files are while they are on their way to platforms: in the data folder, since
// the system's own may be memory.
func (b *base) fetchingFolder() string { return b.parts.data.Path("media-fetching") }

// newFetcher makes what brings media to platforms. Files that are whole are kept between the steps of an
// upload, and found by the next process.
func (b *base) newFetcher() (*media.Fetcher, error) {
	folder := b.fetchingFolder()
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of fetched media: %w", err)
	}
	if err := media.RemoveTemporary(folder); err != nil {
		return nil, err
	}
	c := b.config.fetching(b.guarded, b.library.Stored)
	c.Dir, c.Folder, c.Limits.Quota, c.Pool = folder, folder, b.quota, worker.NewPool("media", mediaSlots, b.metrics.Workers())
	return media.NewFetcher(c), nil
}

// newPages makes what reads the pages of cards, with pictures that fit those.
func (b *base) newPages() *page.Reader {
	pictures := media.NewFetcher(media.Config{
		HTTP: b.guarded.Client(), Dir: b.fetchingFolder(), Timeout: page.ReadLimit, Limits: page.PictureLimits(b.quota),
	})
	return page.NewReader(page.Config{
		HTTP: b.guarded.Client(), Pictures: b.library.Fitting(pictures, schema.Bluesky),
		Pool:    worker.NewPool("pages", pageSlots, b.metrics.Workers()),
		Metrics: page.NewMetrics(b.config.Registerer), Now: b.store.Now,
	})
}

// fetchedEvery is how often it is looked for fetched media that nothing uses.
const fetchedEvery = 10 * time.Minute

// removeFetched removes what was fetched for uploads that nobody continues here.
func (b *base) removeFetched(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := b.fetcher.RemoveIdle(); err != nil {
			b.config.Logger.WarnContext(ctx, "removing fetched media failed", "err", err)
		}
		_ = sleep.For(ctx, fetchedEvery)
	}
	return nil
}

func checkBucket(ctx context.Context, bucket *media.S3) error {
	ctx, cancel := context.WithTimeout(ctx, checkBucketLimit)
	defer cancel()
	return bucket.Check(ctx)
}
