package youtube

import (
	"cmp"
	"context"
	"errors"
	"time"

	"crier/connectors"
	"crier/connectors/google"
	"crier/schema"
)

// What an app has of a day, unless Google has given its project more
// (developers.google.com/youtube/v3/determine_quota_cost).
const (
	usualUploads = 100
	usualUnits   = 10_000
	usualStats   = 10_000 // calls of videos.batchGetStats
	// dear is from which cost on a call leaves a tenth of the day's units to looks, without
	// which nobody would know what became of a video.
	dear = 50
)

// costs are of the calls that take units; a session's take none.
var costs = map[string]int{
	opThumbnail: 50, opAddToPlaylist: 50, opComment: 50, opReply: 50, opCaptions: 50, opDownload: 200, opReplies: 1,
	opStats: 1, opVideos: 1, opPlaylists: 1, opPlaylistItems: 1, opChannels: 1, opComments: 1,
}

// price returns what a call takes, and of what.
func (c *Connector) price(call connectors.Call, app string) schema.QuotaCost {
	q := schema.QuotaCost{Day: dayOf(c.now()), Cost: costs[call.Operation], Max: cmp.Or(c.App.Units, usualUnits), Name: "youtube/units/" + app}
	if q.Cost >= dear {
		q.Max -= q.Max / 10
	}
	switch {
	case call.Operation == opInsert:
		q.Name, q.Cost, q.Max = "youtube/uploads/"+app, 1, cmp.Or(c.App.Uploads, usualUploads)
	case call.Operation == opStats:
		q.Name, q.Max = "youtube/stats/"+app, usualStats
	case call.Kind == connectors.Read: // the rest is for what is published
		q.Max /= 2
	}
	return q
}

// do makes a call of the Data API, if the day's quota of the app is enough for it. The
// simulators count by themselves.
func (c *Connector) do(ctx context.Context, a schema.Account, credentials schema.Credentials, call connectors.Call, out any) (*connectors.Response, error) {
	if a.Sandbox {
		return c.client.Do(ctx, call, out)
	}
	q := c.price(call, cmp.Or(credentials.AppID, c.App.ID))
	spent, err := c.quotas.SpendQuota(ctx, q)
	switch {
	case err != nil:
		return nil, &schema.Error{Kind: schema.Retryable, Message: "crier could not count the call", Err: err}
	case !spent:
		return nil, &schema.Error{
			Kind: schema.RateLimited, RetryAfter: google.NextDay(c.now()).Sub(c.now()),
			Message: "crier's app has used up what YouTube gives it for the day, which ends at midnight Pacific time",
		}
	}
	response, err := c.client.Do(ctx, call, out)
	if failure, ok := errors.AsType[google.Error](err); ok && isSpent(failure) {
		if noting := c.quotas.ExhaustQuota(ctx, q); noting != nil {
			return response, &schema.Error{Kind: schema.RateLimited, RetryAfter: minuteWait, Message: "YouTube's quota of the day is used up", Err: noting}
		}
	}
	return response, err
}

func dayOf(at time.Time) time.Time { return google.NextDay(at).AddDate(0, 0, -1) }
