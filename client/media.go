package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"crier/client/internal/api"
)

type (
	// Media is an upload.
	Media = api.Media
	// MediaItem is a file of a post, by its url or the id of an upload.
	MediaItem = api.MediaItem
	// MediaType is what a media item is.
	MediaType = api.MediaItemType
	// MediaFit is what happens to a picture that a platform does not accept: cover or contain.
	MediaFit = api.MediaItemFit
)

// What a media item is.
const (
	Image = api.MediaItemTypeImage
	Video = api.MediaItemTypeVideo
	PDF   = api.MediaItemTypePdf
)

// MediaService uploads files for posts.
type MediaService struct {
	api  *caller
	send *sender
}

// Upload is a file that is to be sent. All of Content is read, from 0 to Size, and parts of it
// again where a connection was lost.
type Upload struct {
	Name    string
	Content io.ReaderAt
	Size    int64  // in bytes
	AltText string // used where a media item has none of its own
	SHA256  string // in hex: what arrives is compared with it; empty: with nothing
	// Progress is told how much has been sent, also when a part begins again. It is called by one
	// goroutine at a time.
	Progress func(sent, total int64)
}

// inHand is how many parts of a file are sent at a time.
const inHand = 3

// Upload sends a file of any kind and size, in parts if it is large, and returns what it is. The
// upload is removed after a week unless a post uses it.
func (m *MediaService) Upload(ctx context.Context, file Upload) (*Media, error) {
	address, err := read[api.MediaAddressResponse](m.api.post(ctx, api.MediaAnnounce{
		FileName: file.Name, AltText: file.AltText, Size: file.Size, Sha256: file.SHA256,
	}, "media", "upload-url"))
	if err != nil {
		return nil, fmt.Errorf("announcing %s: %w", file.Name, err)
	}
	parts := address.Parts
	if len(parts) == 0 {
		parts = []api.UploadPart{{Size: file.Size, UploadURL: address.UploadURL}}
	}
	sent := &progress{tell: file.Progress, total: file.Size}
	group, sending := errgroup.WithContext(ctx)
	group.SetLimit(inHand)
	for _, part := range parts {
		group.Go(func() error { return m.put(sending, part, address.Headers, file.Content, sent) })
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("uploading %s: %w", file.Name, err)
	}
	response, err := read[api.MediaResponse](m.api.post(repeatable(slow(ctx)), nil, "media", address.MediaID, "complete"))
	if err != nil {
		return nil, fmt.Errorf("completing the upload of %s: %w", file.Name, err)
	}
	return &response.Media, nil
}

// UploadFile is Upload of a file of this machine.
func (m *MediaService) UploadFile(ctx context.Context, path string, progress func(sent, total int64)) (*Media, error) {
	file, end, err := OpenUpload(path)
	if err != nil {
		return nil, err
	}
	defer end()
	file.Progress = progress
	return m.Upload(ctx, file)
}

// OpenUpload makes an Upload of a file of this machine, for those who say more of it than
// UploadFile does. end closes the file, once it is uploaded.
func OpenUpload(path string) (file Upload, end func(), err error) {
	f, err := os.Open(path)
	if err != nil {
		return Upload{}, nil, fmt.Errorf("uploading: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return Upload{}, nil, fmt.Errorf("uploading: %w", err)
	}
	return Upload{Name: filepath.Base(path), Content: f, Size: info.Size()}, func() { f.Close() }, nil
}

// put sends one part to its address, which takes no key.
func (m *MediaService) put(ctx context.Context, part api.UploadPart, headers map[string]string, content io.ReaderAt, sent *progress) error {
	request, err := http.NewRequestWithContext(slow(ctx), http.MethodPut, part.UploadURL, http.NoBody)
	if err != nil {
		return errors.New("the server named an upload address that is none")
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	request.ContentLength = part.Size
	var begun atomic.Int64 // what an earlier try has sent
	request.GetBody = func() (io.ReadCloser, error) {
		sent.add(-begun.Swap(0))
		return io.NopCloser(&counted{io.NewSectionReader(content, part.Offset, part.Size), &begun, sent}), nil
	}
	if request.Body, err = request.GetBody(); err != nil {
		return err
	}
	_, err = m.send.send(request, false)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return failed.Err // without the address, which is a secret
	}
	return err
}

// FromURL has the server fetch a file from a public address, which may take minutes.
func (m *MediaService) FromURL(ctx context.Context, file MediaFromURL) (*Media, error) {
	return part(mediaOf)(m.api.post(slow(ctx), file, "media", "from-url"))
}

// Get reads an upload.
func (m *MediaService) Get(ctx context.Context, id string) (*Media, error) {
	return part(mediaOf)(m.api.get(ctx, nil, "media", id))
}

// Describe changes the description of an upload. Posts that were made before keep theirs.
func (m *MediaService) Describe(ctx context.Context, id, altText string) (*Media, error) {
	return part(mediaOf)(m.api.patch(ctx, api.MediaDescription{AltText: altText}, "media", id))
}

// Delete removes an upload; one that an open post uses stays, and is an error.
func (m *MediaService) Delete(ctx context.Context, id string) error {
	return done(m.api.delete(ctx, "media", id))
}

// List iterates over uploads, newest first.
func (m *MediaService) List(ctx context.Context) iter.Seq2[*Media, error] {
	params := api.ListMediaParams{Limit: pageSize(0)}
	return pages(func(cursor string) (Page[Media], error) {
		params.Cursor = optional(cursor)
		return part(func(r *api.MediaListResponse) Page[Media] { return Page[Media]{r.Media, r.Pagination.NextCursor} })(
			m.api.get(ctx, &params, "media"))
	})
}

// MediaFromURL is a file that the server is to fetch.
type MediaFromURL = api.MediaFromURL

func mediaOf(r *api.MediaResponse) *Media { return &r.Media }

// progress adds up what all parts have sent.
type progress struct {
	mu          sync.Mutex
	tell        func(sent, total int64)
	sent, total int64
}

func (p *progress) add(n int64) {
	if p.tell == nil || n == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent += n
	p.tell(p.sent, p.total)
}

// counted is a part on its way.
type counted struct {
	content io.Reader
	read    *atomic.Int64
	sent    *progress
}

// Read implements io.Reader.
func (c *counted) Read(b []byte) (int, error) {
	n, err := c.content.Read(b)
	c.read.Add(int64(n))
	c.sent.add(int64(n))
	return n, err
}
