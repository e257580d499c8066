package client

import (
	"cmp"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Retry says when a request is sent again: after a lost connection and an answer of 500 or more
// where that is safe, and wherever the server asks for it by 429 or 503 with Retry-After. Safe
// are reads, changes, deletions, and creations with an Idempotency-Key, which all of posts and
// threads have. Fields that are zero are those of DefaultRetry.
type Retry struct {
	Tries int           // the first one included; 1: send nothing again
	For   time.Duration // the least time that is left for trying; a wait beyond it is not begun
	Wait  time.Duration // before the second try; doubled for each further one, up to 30 s, and spread by a quarter
	// Notify is told of each try that failed and is followed by another.
	Notify func(failed error, wait time.Duration)
}

// DefaultRetry is how requests are sent again unless WithRetry says otherwise.
var DefaultRetry = Retry{Tries: 8, For: 90 * time.Second, Wait: 500 * time.Millisecond}

const longestWait = 30 * time.Second

func (r Retry) orDefault() Retry {
	r.Tries = cmp.Or(r.Tries, DefaultRetry.Tries)
	r.For = cmp.Or(r.For, DefaultRetry.For)
	r.Wait = cmp.Or(r.Wait, DefaultRetry.Wait)
	return r
}

// before is how long to wait before the next try. named is the wait that the server named; 0: none.
func (r Retry) before(next int, named time.Duration) time.Duration {
	if named > 0 {
		return named
	}
	wait := r.Wait
	for range next - 2 {
		if wait *= 2; wait >= longestWait {
			wait = longestWait
			break
		}
	}
	return wait - wait/4 + rand.N(wait/2+1)
}

// window is the rate limit of the key: while it is used up, nothing is sent. A key that goes on
// in spite of 429 is suspended.
type window struct {
	mu      sync.Mutex
	resumes time.Time
}

// heed notes when the key may be used again if an answer has used up its limit.
func (w *window) heed(response *http.Response, refused *Error, now time.Time) {
	var wait time.Duration
	switch {
	case refused != nil && refused.Code == CodeRateLimitExceeded:
		wait = max(refused.RetryAfter, time.Second)
	case response.Header.Get("X-RateLimit-Remaining") == "0":
		wait = untilReset(response.Header)
	}
	if wait <= 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if resumes := now.Add(wait); resumes.After(w.resumes) {
		w.resumes = resumes
	}
}

// untilReset is the rest of the minute by the server's own clock.
func untilReset(header http.Header) time.Duration {
	const maximum = time.Minute
	reset, err := strconv.ParseInt(header.Get("X-RateLimit-Reset"), 10, 64)
	if err != nil {
		return 0
	}
	date, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return 0
	}
	return min(time.UnixMilli(reset).Sub(date), maximum)
}

// wait is how long the key is not to be used.
func (w *window) wait(now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.resumes.Sub(now)
}
