package threads

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"crier/connectors"
	"crier/connectors/graph"
	"crier/schema"
)

// fullWait is how long a profile waits that has published as many posts as it may in 24 hours.
const fullWait = 15 * time.Minute

// answers is what Threads' refusals mean beyond those of all Graph APIs.
func answers() connectors.Answers {
	return graph.Answers([]connectors.Answer{
		graph.NotGranted("developers.facebook.com/docs/threads/get-started/get-access-tokens-and-permissions",
			opInsights, opAccountInsights, opConversation, opMentions, opSearch),
		{ // by Threads, until the person has settled it
			Codes: []string{"/4279013"}, Means: connectors.IsRefused, Source: "gitroomhq/postiz-app threads.provider.ts",
			Example: `{"error":{"message":"User restricted","type":"OAuthException","code":10,"error_subcode":4279013}}`,
		},
	}, opProfile, graph.OpRefresh)
}

// refused judges why a container was not published.
func (c *Connector) refused(ctx context.Context, d schema.Delivery, container string, err error) error {
	if isGone(err) {
		return c.Containers.Unpublishable(ctx, d, container, c.search(d), err)
	}
	switch err = c.Containers.Refused(ctx, d, container, err); {
	case schema.KindOf(err) == schema.Refused && c.usedUp(ctx, d):
		return &schema.Error{
			Kind: schema.RateLimited, RetryAfter: fullWait, Err: err,
			Message: "the profile has as many posts as Threads takes in 24 hours",
		}
	default:
		return err
	}
}

// usedUp reports whether the profile has used its posts of the last 24 hours, or its replies,
// which are counted by themselves (developers.facebook.com/docs/threads/overview). Where
// that cannot be asked it has not.
func (c *Connector) usedUp(ctx context.Context, d schema.Delivery) bool {
	call := c.Call(d, http.MethodGet, "/me/threads_publishing_limit", opLimits)
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
	if _, err := c.Client.Do(ctx, call, &out); err != nil || len(out.Data) == 0 {
		return false
	}
	usage, total := out.Data[0].Usage, out.Data[0].Config.Total
	if d.ReplyTo() != "" {
		usage, total = out.Data[0].ReplyUsage, out.Data[0].ReplyConfig.Total
	}
	return total > 0 && usage >= total
}
