package listening

import (
	"context"
	"strings"
	"time"

	"crier/connectors"
	"crier/schema"
	"crier/schema/guard"
	"crier/schema/sleep"
)

// chunk is what was read of a stream and is not stored yet.
type chunk struct {
	*Listener
	loaded  loaded
	claim   schema.StreamClaim // its place is that of the last event in hand
	stored  schema.StreamPlace // where all before is stored
	finds   []schema.Find
	matches []Match
}

// run matches events and stores what is found every half second, until ctx ends, the events do,
// another process reads the stream, or no monitor is left. It then stores what is in hand.
func (c *chunk) run(ctx context.Context, events <-chan connectors.StreamEvent) error {
	tick := time.NewTicker(chunkAge)
	defer tick.Stop()
	for {
		select {
		case e, ok := <-events:
			if !ok {
				return c.last(ctx)
			}
			c.take(ctx, &e)
			if len(c.finds) < chunkFinds {
				continue
			}
		case <-tick.C:
		case <-ctx.Done():
			return c.last(ctx)
		}
		if held, err := c.store(ctx); err != nil || !held {
			return err
		}
		if err := c.follow(ctx); err != nil {
			c.Logger.WarnContext(ctx, "reading the monitors failed", "stream", c.Stream, "err", err)
		}
		if c.loaded.Monitors() == 0 {
			return nil
		}
	}
}

// take matches an event.
func (c *chunk) take(ctx context.Context, e *connectors.StreamEvent) {
	c.kinds[e.Kind].Inc()
	if e.Resumed && !e.At.Time.IsZero() && e.At.Time.Sub(e.Requested.Time) > gap {
		c.Metrics.gaps.WithLabelValues(c.Stream).Inc()
		c.Logger.WarnContext(ctx, "posts between were not kept by the stream's host", "stream", c.Stream, "from", e.Requested.Time, "until", e.At.Time)
	}
	if !e.At.Time.IsZero() {
		c.claim.Place = e.At
	}
	if e.Kind != connectors.StreamPost {
		return
	}
	c.matches = c.loaded.Match(&e.Item, c.matches[:0])
	for i := range c.matches {
		c.finds = append(c.finds, findOf(&c.matches[i]))
	}
}

// store stores what is in hand, and tries until it succeeds, without finds that cannot be stored.
// held is false where another process reads the stream, which will find the same.
func (c *chunk) store(ctx context.Context) (held bool, err error) {
	for {
		start := time.Now()
		held, err := c.advance(ctx, c.claim, c.finds)
		c.Metrics.commits.WithLabelValues(c.Stream).Observe(time.Since(start).Seconds())
		if err == nil {
			if held {
				c.stored = c.claim.Place
				c.Metrics.places.set(c.Stream, c.stored)
			}
			c.finds = c.finds[:0]
			return held, nil
		}
		if isOfData(err) {
			c.sift(ctx)
		}
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		c.Logger.WarnContext(ctx, "storing what was found failed", "stream", c.Stream, "err", err, "again", retry)
		if err := sleep.For(ctx, retry); err != nil {
			return false, err
		}
	}
}

func (c *chunk) advance(ctx context.Context, claim schema.StreamClaim, finds []schema.Find) (held bool, err error) {
	err = guard.Do(func() (err error) {
		var found int
		found, held, err = c.Store.Advance(ctx, claim, finds)
		c.Metrics.found.WithLabelValues(c.Stream).Add(float64(found))
		return err
	})
	return held, err
}

// sift leaves out what cannot be stored. Until the rest is, the stream is stored as far as before.
func (c *chunk) sift(ctx context.Context) {
	before, n := c.claim, len(c.finds)
	before.Place = c.stored
	c.finds = sift(c.finds, func(some []schema.Find) error {
		_, err := c.advance(ctx, before, some)
		return err
	})
	if left := n - len(c.finds); left > 0 {
		c.Metrics.gaps.WithLabelValues(c.Stream).Inc()
		c.Logger.ErrorContext(ctx, "what a stream had could not be stored and was left out", "stream", c.Stream, "finds", left)
	}
}

// last stores what is in hand when the process ends, in a time of its own.
func (c *chunk) last(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	_, err := c.store(ctx)
	return err
}

// follow reads the monitors again once they have changed.
func (c *chunk) follow(ctx context.Context) error {
	if time.Since(c.loaded.at) < max(fresh, reloadShare*c.loaded.took) {
		return nil
	}
	revision, err := c.Store.Revision(ctx, c.Sandbox)
	if err != nil {
		return err
	}
	if revision == c.loaded.revision {
		c.loaded.at = time.Now()
		return nil
	}
	again, err := c.load(ctx)
	if err == nil {
		c.loaded = again
	}
	return err
}

// clip cuts text that is too long to be kept, at a character.
func clip(text string) string {
	if len(text) > maxText {
		text = text[:maxText]
	}
	return strings.ToValidUTF8(text, "")
}
