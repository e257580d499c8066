package threads

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"crier/connectors"
	"crier/schema"
)

const (
	// goneWait is when a container is asked for again that Threads does not know: right after
	// it was made, some of its servers do not know it yet.
	goneWait = 10 * time.Second
	// fullWait is when a profile is tried again whose posts of the last 24 hours are used up.
	fullWait = 15 * time.Minute
)

// refused judges why a container was not published.
func (c *Connector) refused(ctx context.Context, d schema.Delivery, container string, err error) error {
	switch {
	case isGone(err):
		return c.gone(ctx, d, container, err)
	case schema.KindOf(err) == schema.Refused && c.usedUp(ctx, d):
		return &schema.Error{
			Kind: schema.RateLimited, RetryAfter: fullWait, Err: err,
			Message: "the profile has as many posts as Threads takes in 24 hours",
		}
	default:
		return err
	}
}

// gone judges that Threads knows no such container to publish. It says so of one that is
// published, too, and of one that it will know in a moment: the container itself tells.
func (c *Connector) gone(ctx context.Context, d schema.Delivery, container string, err error) error {
	state, lookErr := c.look(ctx, d, container)
	switch {
	case isGone(lookErr) || lookErr == nil && (state.Status == failed || state.Status == expired):
		return &schema.Error{Kind: schema.Retryable, Unprepared: true, Message: "Threads has dropped the container", Err: err}
	case lookErr == nil && state.Status == published:
		return &schema.Error{Kind: schema.Duplicate, Message: "the container is published already", Err: err}
	default:
		return &schema.Error{Kind: schema.Retryable, RetryAfter: goneWait, Message: "Threads does not know the container yet", Err: err}
	}
}

// usedUp tells whether the profile has used its posts of the last 24 hours, or its replies,
// which are counted by themselves (developers.facebook.com/docs/threads/overview). Where
// that cannot be asked it has not.
func (c *Connector) usedUp(ctx context.Context, d schema.Delivery) bool {
	call := c.call(d, http.MethodGet, "/me/threads_publishing_limit", opLimits)
	call.Query = url.Values{"fields": {"quota_usage,config,reply_quota_usage,reply_config"}}
	call.Kind = connectors.Status
	type config struct {
		Total int `json:"quota_total"`
	}
	var out struct {
		Data []struct {
			Usage       int    `json:"quota_usage"`
			Config      config `json:"config"`
			ReplyUsage  int    `json:"reply_quota_usage"`
			ReplyConfig config `json:"reply_config"`
		} `json:"data"`
	}
	if _, err := c.client.Do(ctx, call, &out); err != nil || len(out.Data) == 0 {
		return false
	}
	usage, total := out.Data[0].Usage, out.Data[0].Config.Total
	if replyTo(d) != "" {
		usage, total = out.Data[0].ReplyUsage, out.Data[0].ReplyConfig.Total
	}
	return total > 0 && usage >= total
}

// withoutEnd judges the refusal of what an account may do without and publish all the same.
func withoutEnd(err error) error {
	if e, ok := errors.AsType[*schema.Error](err); ok && e.End == schema.EndScope {
		return fmt.Errorf("missing permission: %w", &schema.Error{Kind: schema.Refused, Message: e.Message, Err: err})
	}
	return err
}
