package page

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/singleflight"

	"crier/connectors/media"
	"crier/schema"
	"crier/schema/metric"
)

// Page is what a page says of itself for previews. The zero value says nothing.
type Page struct {
	Title       string // plain text of one line, at most MaxTitle characters; so is the next
	Description string
	Picture     Picture
}

// Picture is the picture of a page. The zero value is none.
type Picture struct {
	Type    string // image/jpeg, …
	Content []byte
}

// IsEmpty reports whether a page says nothing.
func (p Page) IsEmpty() bool {
	return p.Title == "" && p.Description == "" && len(p.Picture.Content) == 0
}

// ReadLimit is how long reading a page takes at most, with its picture. Before that it may wait as long for
// a slot.
const ReadLimit = 10 * time.Second

// The bounds of a page. Sites that write their head behind scripts have it after some 700 KB.
const (
	maxPage     = 1536 << 10 // bytes, unpacked
	maxPicture  = 1_000_000  // bytes of a picture that was made to fit
	largestFile = 10 << 20   // bytes of one before that
)

// PictureLimits bound what is fetched of a picture.
func PictureLimits(quota *media.DiskQuota) media.Limits {
	return media.Limits{MaxBytes: largestFile, Quota: quota}
}

// Config is what a Reader is made of.
type Config struct {
	HTTP *http.Client // of package egress
	// Pictures opens pictures by their url, made to fit where they are asked to.
	Pictures media.Source
	Pool     pool // that pages are read in; nil: they are read at once
	Metrics  *Metrics
	Now      func() time.Time
}

// pool bounds what is read at a time.
type pool interface {
	// Do does work that asks a server once there is a slot for it. Its error is the work's, or that of a
	// call which gets none.
	Do(ctx context.Context, server string, work func() error) error
}

// Reader reads pages, each once a day. It is safe for concurrent use.
type Reader struct {
	Config
	limit   time.Duration // of a read
	cache   *cache
	reading singleflight.Group // by address
}

// NewReader makes a Reader.
func NewReader(config Config) *Reader {
	return &Reader{Config: config, limit: ReadLimit, cache: newCache()}
}

// Read returns what the page at an address says of itself, for nothing where it does not answer in time, or
// is none. Its error is a *schema.Error of kind Retryable: ctx has ended.
func (r *Reader) Read(ctx context.Context, address string) (Page, error) {
	if page, ok := r.cache.find(address, r.Now()); ok {
		r.Metrics.count(wasCached)
		return page, nil
	}
	var page Page
	var outcome outcome
	err := r.pooled(ctx, address, func() error {
		page, outcome = r.readOnce(ctx, address)
		return nil
	})
	switch {
	case ctx.Err() != nil:
		return Page{}, &schema.Error{Kind: schema.Retryable, Message: "the call ended while a page was read", Err: ctx.Err()}
	case err != nil: // others were read all the time
		outcome = notAnswered
	}
	r.Metrics.count(outcome)
	return page, nil
}

// pooled reads in a slot of the pool, if there is one in time.
func (r *Reader) pooled(ctx context.Context, address string, work func() error) error {
	at, err := schema.ParseURL(address)
	if err != nil {
		return err
	}
	if r.Pool == nil {
		return work()
	}
	ctx, cancel := context.WithTimeout(ctx, r.limit)
	defer cancel()
	return r.Pool.Do(ctx, at.Host, work)
}

// readOnce reads a page, or waits for somebody who reads it already. Who that is may give up: the others
// still get it.
func (r *Reader) readOnce(ctx context.Context, address string) (Page, outcome) {
	type result struct {
		page    Page
		outcome outcome
	}
	done, _, _ := r.reading.Do(address, func() (any, error) {
		if page, ok := r.cache.find(address, r.Now()); ok {
			return result{page, wasCached}, nil
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.limit)
		defer cancel()
		page, outcome := r.read(ctx, address)
		lasts := cacheTime
		if outcome == notAnswered {
			lasts = missingFor
		}
		r.cache.keep(address, page, r.Now().Add(lasts))
		return result{page, outcome}, nil
	})
	there := done.(result)
	return there.page, there.outcome
}

// read reads a page. Of one that did not all come in time there is what came.
func (r *Reader) read(ctx context.Context, address string) (Page, outcome) {
	found, outcome := r.readHead(ctx, address)
	page := Page{Title: found.title, Description: found.description}
	if outcome != wasRead || found.picture == "" {
		return page, outcome
	}
	picture, err := r.readPicture(ctx, found.picture)
	if err != nil && schema.KindOf(err) != schema.Refused {
		return page, notAnswered
	}
	page.Picture = picture
	return page, wasRead
}

// readHead asks for the page and reads what it says of itself.
func (r *Reader) readHead(ctx context.Context, address string) (head, outcome) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, schema.EscapePercent(address), nil)
	if err != nil {
		return head{}, saysNothing
	}
	request.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.1")
	response, err := r.HTTP.Do(request)
	switch {
	case schema.KindOf(err) == schema.Refused: // by the guard
		return head{}, saysNothing
	case err != nil:
		return head{}, notAnswered
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return head{}, notAnswered
	}
	content := bufio.NewReader(io.LimitReader(response.Body, maxPage))
	found, isPage := readHead(content, response.Header.Get("Content-Type"), response.Request.URL)
	switch {
	case ctx.Err() != nil:
		return found, notAnswered
	case !isPage || found == head{}:
		return head{}, saysNothing
	default:
		return found, wasRead
	}
}

// readPicture brings a picture, made to fit. The error is a *schema.Error, of kind Refused for what is none.
func (r *Reader) readPicture(ctx context.Context, address string) (picture Picture, err error) {
	file, err := r.Pictures.Open(ctx, schema.Media{Kind: schema.Image, URL: address, Fit: schema.FitContain})
	if err != nil {
		return Picture{}, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if file.Kind != schema.Image && file.Kind != schema.GIF || file.Size > maxPicture {
		return Picture{}, &schema.Error{Kind: schema.Refused, Message: "the page names no picture"}
	}
	content, err := file.Open()
	if err != nil {
		return Picture{}, err
	}
	defer content.Close()
	all, err := io.ReadAll(content)
	return Picture{file.Type, all}, err
}

// outcome is what came of reading a page.
type outcome string

const (
	wasRead     outcome = "read"
	wasCached   outcome = "kept"       // it was read before
	saysNothing outcome = "nothing"    // or it is no page
	notAnswered outcome = "unanswered" // it did not come, or not all of it
)

// Metrics counts pages.
type Metrics struct{ pages *prometheus.CounterVec }

// NewMetrics makes and registers the metrics of pages.
func NewMetrics(r prometheus.Registerer) *Metrics {
	return &Metrics{metric.With(r).CounterVec("crier_pages_total",
		"Pages that posts show a card of, by what came of reading them.", "outcome")}
}

func (m *Metrics) count(o outcome) { m.pages.WithLabelValues(string(o)).Inc() }
