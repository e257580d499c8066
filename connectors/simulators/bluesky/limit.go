package bluesky

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// limits is how many points a simulator gives, by what they are spent on. All windows
// of a list hold at once; an empty list limits nothing.
type limits struct {
	logins  []window // createSession, for each identifier
	writes  []window // records, for each repository
	uploads []window // blobs, for each account
}

// window is a number of points for a length of time that begins with the first one.
type window struct {
	points int
	length time.Duration
}

// pdsLimits are the limits of a PDS (docs.bsky.app/docs/advanced-guides/rate-limits).
func pdsLimits() limits {
	const day = 24 * time.Hour
	return limits{
		logins:  []window{{30, 5 * time.Minute}, {300, day}},
		writes:  []window{{5_000, time.Hour}, {35_000, day}},
		uploads: []window{{1_000, day}},
	}
}

// What a write costs: putRecord the same whether it creates or updates.
const (
	createCost = 3
	putCost    = 2
	deleteCost = 1
)

var errTooMany = refusal{http.StatusTooManyRequests, "RateLimitExceeded", "Rate Limit Exceeded"}

// quota counts the points of one kind.
type quota struct {
	windows []window
	now     func() time.Time

	mu    sync.Mutex
	spent map[string][]spending // by whose they are; one for each window
}

type spending struct {
	points int
	resets time.Time
}

func newQuota(windows []window, now func() time.Time) *quota {
	return &quota{windows: windows, now: now, spent: map[string][]spending{}}
}

// take spends points and describes the tightest window in the headers of the answer.
func (q *quota) take(header http.Header, owner string, points int) error {
	if len(q.windows) == 0 {
		return nil
	}
	now := q.now()
	q.mu.Lock()
	defer q.mu.Unlock()
	spent, ok := q.spent[owner]
	if !ok {
		spent = make([]spending, len(q.windows))
		q.spent[owner] = spent
	}
	tightest, minimum := 0, 0
	for i, w := range q.windows {
		if !now.Before(spent[i].resets) {
			spent[i] = spending{resets: now.Add(w.length)}
		}
		spent[i].points += points
		if left := w.points - spent[i].points; i == 0 || left < minimum {
			tightest, minimum = i, left
		}
	}
	describe(header, q.windows[tightest], max(minimum, 0), spent[tightest].resets)
	if minimum >= 0 {
		return nil
	}
	wait := spent[tightest].resets.Sub(now)
	header.Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
	return errTooMany
}

func describe(header http.Header, w window, left int, resets time.Time) {
	header.Set("RateLimit-Limit", strconv.Itoa(w.points))
	header.Set("RateLimit-Remaining", strconv.Itoa(left))
	header.Set("RateLimit-Reset", strconv.FormatInt(resets.Unix(), 10))
	header.Set("RateLimit-Policy", fmt.Sprintf("%d;w=%d", w.points, int(w.length.Seconds())))
}
