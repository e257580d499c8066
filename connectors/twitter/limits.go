package twitter

import (
	"net/http"
	"strconv"
	"time"

	"crier/connectors"
)

// The windows an answer can tell of, by the start of their headers: 15 minutes of an
// endpoint (docs.x.com/x-api/fundamentals/rate-limits), and 24 hours of the app and of the
// user, which come with POST /2/tweets (github.com/plhery/node-twitter-api-v2, issues 495
// and 553).
const (
	window  = "X-Rate-Limit"
	appDay  = "X-App-Limit-24hour"
	userDay = "X-User-Limit-24hour"
)

// longestWindow bounds what a header may say.
const longestWindow = 24 * time.Hour

// Limits is how fast X is called: in any 15 minutes no more than half of what it allows an
// account, the burst included, and no more than 10,000 posts of the app in 24 hours
// (docs.x.com/x-api/fundamentals/rate-limits).
func Limits() connectors.Limits {
	const quarter, day = 900, 86400 // seconds
	return connectors.Limits{
		connectors.Post: {
			Account: connectors.Rate{PerSecond: 50. / quarter, Burst: 50},
			App:     connectors.Rate{PerSecond: 6000. / day, Burst: 4000},
		},
		connectors.Media:  {Account: connectors.Rate{PerSecond: 1200. / quarter, Burst: 600}},
		connectors.Status: {Account: connectors.Rate{PerSecond: 600. / quarter, Burst: 300}},
		// 5,000 calls for posts, and 75 for the account, of which one a day is made.
		connectors.Read: {Account: connectors.Rate{PerSecond: 1500. / quarter, Burst: 500}},
	}
}

// LimitOf is the LimitOf of the platform's connectors.ClientConfig: X counts by endpoint, and all that
// makes something visible is of one, so that what has to wait for it is not even claimed.
func LimitOf(call connectors.Call) string {
	if call.Kind == connectors.Post {
		return opCreatePost
	}
	return call.Operation
}

// exhausted returns how long a window that is used up lasts, by X's own clock; zero: it is
// not, or the answer does not say.
func exhausted(header http.Header, name string) time.Duration {
	if header.Get(name+"-Remaining") != "0" {
		return 0
	}
	reset, err := strconv.ParseInt(header.Get(name+"-Reset"), 10, 64)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return 0
	}
	return min(max(0, time.Unix(reset, 0).Sub(now)), longestWindow)
}

// obey keeps posts of an account, or of all of the app, back until a window that the answer to one
// has used up is over. Looks have windows of their own.
func (c *Connector) obey(call connectors.Call, response *connectors.Response) {
	if response == nil {
		return
	}
	if wait := exhausted(response.Header, appDay); wait > 0 {
		c.dayUntil.Store(c.now().Add(wait).UnixMilli())
	}
	c.client.Throttle(call, max(exhausted(response.Header, window), exhausted(response.Header, userDay)))
}

// dayLeft returns how long the app's day still is used up; a clock that was set back forgets that it is.
func (c *Connector) dayLeft() time.Duration {
	left := time.UnixMilli(c.dayUntil.Load()).Sub(c.now())
	if left > longestWindow {
		return 0
	}
	return left
}
