package media

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"time"

	"crier/schema"
)

// Source is where connectors get the content of a media item from.
type Source interface {
	Open(ctx context.Context, item schema.Media) (*File, error)
}

// Config is what a Fetcher is made of.
type Config struct {
	HTTP *http.Client // of package egress
	Dir  string       // where files are while they are used; empty: the system's folder for such
	// Folder is the folder where files are kept between the steps of an upload, of Dir's file
	// system; empty: they are not.
	Folder     string
	MinFetched int64         // bytes of what is kept; 0: 8 MiB
	Timeout    time.Duration // of one fetch, whole
	Limits     Limits        // of what Open fetches
	Pool       pool          // that Open fetches in; nil: it fetches at once
	// Stored opens the media crier keeps itself.
	Stored func(ctx context.Context, id schema.MediaID) (*File, error)
}

// pool bounds what is fetched at a time.
type pool interface {
	// Do does work that asks a server once there is a slot for it. Its error is the work's, or that of a
	// call which gets none.
	Do(ctx context.Context, server string, work func() error) error
}

// Fetcher brings media to this machine. It is safe for concurrent use.
type Fetcher struct {
	config  Config
	fetched *fetched // nil: nothing is kept
}

var _ Source = (*Fetcher)(nil)

// NewFetcher makes a Fetcher. It is the only one of its folder of kept files, and counts what
// is there.
func NewFetcher(config Config) *Fetcher {
	f := &Fetcher{config: config}
	if config.Folder == "" {
		return f
	}
	quota := config.Limits.Quota
	f.fetched = newFetched(config.Folder, quota, config.MinFetched)
	f.fetched.removePartly()
	if quota != nil {
		quota.fetched = f.fetched
		quota.recount(0, 0)
	}
	return f
}

// Open brings a media item, by its id where it has one, else from its URL. That there is
// no room for it passes: it is Retryable. What is read of it has no metadata, unless the item keeps
// that.
func (f *Fetcher) Open(ctx context.Context, item schema.Media) (*File, error) {
	file, err := f.open(ctx, item)
	if err != nil {
		return nil, passing(err)
	}
	return file.sent(item)
}

// passing makes what is unavailable to a client what a stage tries again.
func passing(err error) error {
	if full, ok := errors.AsType[*schema.Error](err); ok && full.Kind == schema.Unavailable {
		return &schema.Error{Kind: schema.Retryable, Message: full.Message, Err: err}
	}
	return err
}

// open brings an item; what an earlier step of its upload brought is used as it is, so that an
// upload continues with what it began with, whatever is at the url by now.
func (f *Fetcher) open(ctx context.Context, item schema.Media) (*File, error) {
	name := cacheName(item)
	if f.fetched == nil || name == "" {
		return f.bring(ctx, "", item)
	}
	if file, err := f.fetched.open(name); file != nil || err != nil {
		return file, err
	}
	file, err := f.bring(ctx, name, item)
	if err != nil {
		return nil, err
	}
	return f.fetched.keep(name, file)
}

// bring brings an item from where it is. With a name the next step of its upload can go on with what this
// one does not get whole.
func (f *Fetcher) bring(ctx context.Context, name string, item schema.Media) (file *File, err error) {
	if !item.MediaID.IsZero() {
		return f.config.Stored(ctx, item.MediaID)
	}
	err = f.pooled(ctx, item.URL, func() (err error) {
		if name != "" {
			file, err = f.fetchOn(ctx, name, item.URL)
		} else {
			file, err = f.Fetch(ctx, item.URL, f.config.Limits)
		}
		return err
	})
	if err != nil && file != nil { // the call has ended meanwhile
		return nil, errors.Join(err, file.Close())
	}
	return file, err
}

// pooled fetches from an address in a slot of the pool.
func (f *Fetcher) pooled(ctx context.Context, address string, fetch func() error) error {
	if f.config.Pool == nil {
		return fetch()
	}
	at, err := schema.ParseURL(address)
	if err != nil {
		return refused("the media's url cannot be read", nil)
	}
	return f.config.Pool.Do(ctx, at.Host, fetch)
}

// Fetch brings the media at a URL. Its errors are *schema.Error: Refused for what is
// not there, too large, no media, or at an address that is not public; Retryable for a
// server that failed. Any other error is our fault.
func (f *Fetcher) Fetch(ctx context.Context, address string, limits Limits) (*File, error) {
	return f.FetchTo(ctx, f.config.Dir, address, limits)
}

// FetchTo is Fetch into another folder.
func (f *Fetcher) FetchTo(ctx context.Context, dir, address string, limits Limits) (*File, error) {
	ctx, cancel := context.WithTimeout(ctx, f.config.Timeout)
	defer cancel()
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	response, err := f.ask(ctx, address, nil)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if err := judge(response, limits); err != nil {
		return nil, err
	}
	content := newPaced(response.Body, func() { giveUp(errTooSlow()) })
	defer content.stop()
	return Save(dir, bodyOf(ctx, content), limits)
}

// ask asks for what is at a url.
func (f *Fetcher) ask(ctx context.Context, address string, header http.Header) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, schema.EscapePercent(address), nil)
	if err != nil {
		return nil, refused("the media's url cannot be read", nil)
	}
	maps.Copy(request.Header, header)
	response, err := f.config.HTTP.Do(request)
	if err != nil {
		return nil, unreachable(err)
	}
	return response, nil
}

func judge(response *http.Response, limits Limits) error {
	status := response.StatusCode
	message := fmt.Sprintf("the media's server answered %d %s", status, http.StatusText(status))
	switch {
	case status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout:
		return &schema.Error{Kind: schema.Retryable, Message: message}
	case status != http.StatusOK:
		return refused(message, nil)
	case response.ContentLength > limits.MaxBytes:
		return tooLarge(limits)
	}
	return nil
}

// unreachable is the error of a fetch that got no answer. A refusal of the address
// guard passes as it is.
func unreachable(err error) *schema.Error {
	if refusal, ok := errors.AsType[*schema.Error](err); ok {
		return refusal
	}
	// The URL that net/http puts into its errors may be a signed one.
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	return &schema.Error{Kind: schema.Retryable, Message: "the media could not be fetched", Err: err}
}

// bodyOf is the body of an answer to a request of ctx, whose failures are the server's, not ours.
func bodyOf(ctx context.Context, answer io.Reader) io.Reader {
	return failing{answer, func(err error) error { return unreachable(cmp.Or(context.Cause(ctx), err)) }}
}

// paced is content that has to keep up with the slowest line that is waited for: a server
// that sends a byte a second is given up long before the time of the whole fetch is over.
type paced struct {
	content io.Reader
	began   time.Time
	read    int64
	late    *time.Timer
}

// newPaced begins to count. What it calls when the content falls behind has to end its
// reads; stop ends the counting.
func newPaced(content io.Reader, giveUp func()) *paced {
	return &paced{content: content, began: time.Now(), late: time.AfterFunc(schema.TransferTime(0), giveUp)}
}

func (p *paced) Read(into []byte) (int, error) {
	p.late.Reset(time.Until(p.began.Add(schema.TransferTime(p.read))))
	n, err := p.content.Read(into)
	p.read += int64(n)
	return n, err
}

func (p *paced) stop() { p.late.Stop() }

func errTooSlow() error {
	return &schema.Error{Kind: schema.Retryable, Message: "the media's server sends too slowly"}
}
