package compose_test

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

type postAnswer struct {
	Post struct {
		ID, Status, Content string
		Platforms           []struct {
			Platform, Status string
			Error            struct{ Code, Message string }
		}
	} `json:"post"`
	Error struct{ Code, Message string } // where it was refused
}

// done reports whether all posts have come to their end. The last one, which mostly ends last,
// is asked for first.
func (w *world) done(ids []string) bool {
	for _, id := range slices.Backward(ids) {
		var answer postAnswer
		if _, err := w.tryCall(http.MethodGet, "/posts/"+id, nil, &answer); err != nil {
			return false
		}
		switch answer.Post.Status {
		case "posted", "partially_failed", "failed":
		default:
			return false
		}
	}
	return true
}

// checkOnce checks that the simulators have what the API says, once. A telegram target
// whose call was cut off may have failed as outcome_unknown: there is no way to look. It
// returns how many did.
func (w *world) checkOnce(ids []string) (unknown int) {
	w.Helper()
	there := map[string]int{}
	for _, s := range w.simulated() {
		there[s.Platform+" "+s.Text]++
	}
	for _, id := range ids {
		var answer postAnswer
		w.call(http.MethodGet, "/posts/"+id, nil, &answer)
		for _, p := range answer.Post.Platforms {
			n := there[p.Platform+" "+answer.Post.Content]
			switch {
			case p.Status == "posted" && n == 1:
			case p.Platform == "telegram" && p.Error.Code == "outcome_unknown" && n <= 1:
				unknown++
			default:
				w.Errorf("%s %q on %s: %s (%s), there %d times", id, answer.Post.Content, p.Platform, p.Status, p.Error.Code, n)
			}
		}
	}
	return unknown
}

// checkEvents checks that each post's event came to the webhook under one id, and that
// ClickHouse counts each target once.
func (w *world) checkEvents(ids []string, hook *receiver, targets int) {
	w.Helper()
	w.eventually(60*time.Second, "an event of every post", func() bool {
		for _, id := range ids {
			if hook.has(id, "post.published") == "" {
				return false
			}
		}
		return true
	})
	for _, id := range ids {
		if event := hook.has(id, "post.published"); !strings.HasPrefix(event, "evt_") && w.endedTwice(id) == 0 { // which is told again
			w.Errorf("%s: event %s", id, event)
		}
	}
	counted := 0
	w.Cleanup(func() {
		if w.Failed() {
			w.Logf("ClickHouse counted %d targets of %d", counted, targets)
		}
	})
	w.eventually(time.Minute, "each target counted once in ClickHouse", func() bool { counted = w.counted(); return counted >= targets })
	time.Sleep(3 * time.Second) // what would be counted twice comes late
	n := w.counted()
	if n == targets {
		return
	}
	for _, id := range ids {
		targets += w.endedTwice(id)
	}
	if n != targets {
		w.Errorf("ClickHouse counts %d targets, want %d", n, targets)
	}
}

// endedTwice returns how many targets of a post failed before the receipt came late by which
// they are posted: a process that was paused brings it.
func (w *world) endedTwice(id string) (n int) {
	w.Helper()
	attempts := w.timeline(id).Attempts
	for _, failed := range attempts {
		if failed.Event == "failed" && slices.ContainsFunc(attempts, func(a timelineLine) bool { return a.Event == "published" && a.Platform == failed.Platform }) {
			n++
		}
	}
	return n
}

func (w *world) counted() int {
	w.Helper()
	var answer struct {
		Counts []struct {
			Status string
			Count  int
		}
	}
	w.call(http.MethodGet, "/analytics/posts", nil, &answer)
	total := 0
	for _, c := range answer.Counts {
		total += c.Count
	}
	return total
}

// checkNoStrays checks that nothing is there twice, acknowledged or not.
func (w *world) checkNoStrays() {
	w.Helper()
	there := map[string]int{}
	for _, s := range w.simulated() {
		there[s.Platform+" "+s.Text]++
	}
	for post, n := range there {
		if n > 1 {
			w.Errorf("%s is there %d times", post, n)
		}
	}
}
