package threads

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"crier/connectors/media"
	"crier/schema"
)

const (
	// The pauses between two looks at a container that Threads works on double from one to
	// the other: texts and pictures are ready soon, and of videos its documents ask for a
	// look a minute (developers.facebook.com/docs/threads/troubleshooting).
	firstPause = 2 * time.Second
	lastPause  = time.Minute
	// mostWork is for how long Threads may work on a container. Its documents speak of five
	// minutes.
	mostWork = 30 * time.Minute
)

// Prepare makes the entry's containers and looks once at each that is not ready. An error
// comes with what was made before it.
func (c *Connector) Prepare(ctx context.Context, d schema.Delivery) (schema.Progress, error) {
	p, err := progressOf(d)
	if err != nil {
		return schema.Progress{}, err
	}
	err = c.advance(ctx, d, &p)
	kept := schema.Progress{Ready: err == nil && p.Post.Ready}
	if err == nil && !kept.Ready {
		kept.RetryIn = min(firstPause<<min(p.Looks, 10), lastPause)
		p.Looks++
	}
	var encodeErr error
	if kept.State, encodeErr = json.Marshal(p); encodeErr != nil {
		return schema.Progress{}, fmt.Errorf("encoding progress: %w", encodeErr)
	}
	return kept, err
}

// advance takes the entry as far as it goes without waiting.
func (c *Connector) advance(ctx context.Context, d schema.Delivery, p *progress) error {
	if p.Post.ID == "" {
		if err := c.make(ctx, d, p); err != nil || p.Post.ID == "" {
			return err
		}
	}
	return c.settle(ctx, d, p, &p.Post)
}

// make makes the containers up to the post's own, which a carousel has once its items are
// ready.
func (c *Connector) make(ctx context.Context, d schema.Delivery, p *progress) error {
	if p.Since == 0 {
		p.Since = c.now().Unix()
	}
	if len(d.Media) <= 1 {
		asked, err := c.single(ctx, d)
		if err != nil {
			return err
		}
		p.Post.ID, err = c.create(ctx, d, asked)
		return err
	}
	if err := c.makeItems(ctx, d, p); err != nil {
		return err
	}
	ids := make([]string, len(p.Items))
	for i := range p.Items {
		if err := c.settle(ctx, d, p, &p.Items[i]); err != nil {
			return err
		}
		if len(p.Items) == 0 || !p.Items[i].Ready {
			return nil
		}
		ids[i] = p.Items[i].ID
	}
	asked, err := requestOf(d, ids)
	if err != nil {
		return err
	}
	p.Post.ID, err = c.create(ctx, d, asked)
	return err
}

// single returns the container of an entry with one media item or none.
func (c *Connector) single(ctx context.Context, d schema.Delivery) (url.Values, error) {
	asked, err := requestOf(d, nil)
	if err != nil || len(d.Media) == 0 {
		return asked, err
	}
	facts, err := media.Inspect(ctx, c.media, d.Media[0], Constraints())
	if err != nil {
		return nil, err
	}
	for field, values := range itemOf(d.Media[0], facts.Kind) {
		asked[field] = values
	}
	return asked, nil
}

// makeItems makes the containers of a carousel's items that have none. All are looked at
// first, so that nothing is made for an entry that cannot be published.
func (c *Connector) makeItems(ctx context.Context, d schema.Delivery, p *progress) error {
	if len(p.Items) == len(d.Media) {
		return nil
	}
	asked := make([]url.Values, len(d.Media))
	for i := len(p.Items); i < len(d.Media); i++ {
		facts, err := media.Inspect(ctx, c.media, d.Media[i], Constraints())
		if err != nil {
			return fmt.Errorf("looking at media item %d: %w", i, err)
		}
		asked[i] = itemOf(d.Media[i], facts.Kind)
		asked[i].Set("is_carousel_item", "true")
	}
	for i := len(p.Items); i < len(d.Media); i++ {
		id, err := c.create(ctx, d, asked[i])
		if err != nil {
			return err
		}
		p.Items = append(p.Items, container{ID: id})
	}
	return nil
}

// settle looks at a container unless it is ready. One that failed, or that Threads works on
// for ever, is dropped with all others: the next try makes them anew.
func (c *Connector) settle(ctx context.Context, d schema.Delivery, p *progress, one *container) error {
	if one.Ready {
		return nil
	}
	state, err := c.look(ctx, d, one.ID)
	switch {
	case isGone(err):
		return &schema.Error{Kind: schema.Retryable, RetryAfter: goneWait, Message: "Threads does not know the container yet", Err: err}
	case err != nil:
		return err
	case state.Status == finished || state.Status == published:
		one.Ready = true
		return nil
	case state.Status != inProgress:
		*p = progress{}
		return state.failure()
	case c.now().Sub(time.Unix(p.Since, 0)) > mostWork:
		*p = progress{}
		return &schema.Error{Kind: schema.Retryable, Message: fmt.Sprintf("Threads did not make the post ready within %s", mostWork)}
	}
	return nil
}
