package posts

import (
	"context"
	"net/url"
	"sync"
	"time"

	"crier/gateway/body"
	"crier/schema"

	"golang.org/x/sync/errgroup"
)

const (
	addressTimeout = 2 * time.Second // for all look-ups of a request together
	addressLookups = 8               // at once, of a post
)

// lookups are those of the hosts that one request names: each host is looked up once, and all of
// them together take no longer than addressTimeout.
type lookups struct {
	refuses func(ctx context.Context, address string) string

	mu       sync.Mutex
	until    time.Time                // zero before the first
	refusals map[string]func() string // by scheme and host
}

func newLookups(refuses func(context.Context, string) string) *lookups {
	return &lookups{refuses: refuses, refusals: map[string]func() string{}}
}

// refusal says why crier must not call an address; empty: it may, or its host could not be looked
// up in time.
func (l *lookups) refusal(ctx context.Context, address string) string {
	return l.of(ctx, originOf(address))()
}

func (l *lookups) of(ctx context.Context, origin string) func() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.until.IsZero() {
		l.until = time.Now().Add(addressTimeout)
	}
	if l.refusals[origin] == nil {
		l.refusals[origin] = sync.OnceValue(func() string {
			ctx, cancel := context.WithDeadline(ctx, l.until)
			defer cancel()
			return l.refuses(ctx, origin)
		})
	}
	return l.refusals[origin]
}

// originOf returns what of an address decides whether it may be called; all of one that cannot be
// read.
func originOf(address string) string {
	u, err := schema.ParseURL(address)
	if err != nil {
		return address
	}
	return (&url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host}).String()
}

// checkAddresses refuses media at addresses that are not public. A name that cannot be
// looked up in time passes: addresses are checked again at every connection.
func checkAddresses(ctx context.Context, l *lookups, media []locatedMedia, r *body.Report) {
	refused := make([]string, len(media))
	var group errgroup.Group
	group.SetLimit(addressLookups)
	for i, m := range media {
		if m.URL == "" || !m.MediaID.IsZero() {
			continue
		}
		group.Go(func() error {
			refused[i] = l.refusal(ctx, m.URL)
			return nil
		})
	}
	_ = group.Wait() // the lookups keep their errors themselves
	for i, message := range refused {
		if field := media[i].urlField(); message != "" && !r.About(field) {
			r.Fail(field, body.CodeInvalidURL, "must be a public http or https URL: "+message)
		}
	}
}
