package posts

import (
	"context"
	"time"

	"crier/gateway/body"

	"golang.org/x/sync/errgroup"
)

const (
	addressTimeout = 2 * time.Second // for all of a post's media together
	addressLookups = 8               // at once
)

// checkAddresses refuses media at addresses that are not public. A name that cannot be
// looked up in time passes: addresses are checked again at every connection.
func (p *posts) checkAddresses(ctx context.Context, fields postFields, r *body.Report) {
	media := fields.allMedia()
	if len(media) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, addressTimeout)
	defer cancel()
	refused := make([]string, len(media))
	var lookups errgroup.Group
	lookups.SetLimit(addressLookups)
	for i, m := range media {
		if m.URL == "" || !m.MediaID.IsZero() {
			continue
		}
		lookups.Go(func() error {
			refused[i] = p.Refuses(ctx, m.URL)
			return nil
		})
	}
	_ = lookups.Wait() // the lookups keep their errors themselves
	for i, message := range refused {
		field := media[i].field + ".url"
		if message != "" && !r.About(field) {
			r.Fail(field, body.CodeInvalidURL, "must be a public http or https URL: "+message)
		}
	}
}
