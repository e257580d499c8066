package compose_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"crier/schema"
)

// The accounts of each platform that the killed posts go to: enough for the platforms'
// daily caps of 50.
const (
	killPosts    = 300
	killAccounts = 6
)

// testKafka is the broker of make test-kafka; none: the embedded log.
func testKafka() []string {
	if address := os.Getenv("CRIER_TEST_KAFKA"); address != "" {
		return []string{address}
	}
	return nil
}

func TestAKilledProcessLosesAndRepeatsNothing(t *testing.T) {
	testKill(t, testKafka(), func(*world) {})
}

func TestALostLogLosesAndRepeatsNothing(t *testing.T) {
	testKill(t, nil, func(w *world) {
		logs, err := filepath.Glob(filepath.Join(w.config.Data, "log*"))
		if err != nil || len(logs) == 0 {
			w.Fatalf("finding the log's folder: %v %v", logs, err)
		}
		for _, folder := range logs {
			if err := os.RemoveAll(folder); err != nil {
				w.Fatal(err)
			}
		}
	})
}

// testKill publishes 300 posts due in one second, kills crier in the middle, does what
// damage does, and starts it again: every post is there exactly once, every event came
// with one id, and ClickHouse has each once.
func testKill(t *testing.T, kafka []string, damage func(*world)) {
	w := newWorld(t, kafka)
	hook := w.receive("post.published", "post.failed")
	var accounts [][]schema.AccountID
	for _, p := range []schema.Platform{schema.Mastodon, schema.Bluesky, schema.Telegram} {
		accounts = append(accounts, w.connect(p, killAccounts))
	}
	due := time.Now().Add(6 * time.Second)
	ids := w.createDue(due, accounts)
	time.Sleep(time.Until(due.Add(250 * time.Millisecond)))
	w.kill()
	before := len(w.simulated())
	if before == 0 || before == killPosts*3 {
		t.Fatalf("%d posts were there at the kill: it was not in the middle", before)
	}
	t.Logf("killed with %d of %d posts there", before, killPosts*3)
	damage(w)
	killed := time.Now()
	w.start()
	t.Logf("ready again after %v", time.Since(killed).Round(10*time.Millisecond))
	w.eventually(120*time.Second, "every post is done", func() bool { return w.done(ids) })
	t.Logf("all done after %v", time.Since(killed).Round(10*time.Millisecond))
	unknown := w.checkOnce(ids)
	t.Logf("%d telegram targets ended as outcome_unknown", unknown)
	w.checkEvents(ids, hook)
}

// createDue creates the posts in bulk, each to one account of each platform.
func (w *world) createDue(due time.Time, accounts [][]schema.AccountID) []string {
	w.Helper()
	var ids []string
	for from := 0; from < killPosts; from += 25 {
		var posts []map[string]any
		for i := from; i < from+25; i++ {
			var targets []map[string]any
			for p, name := range []string{"mastodon", "bluesky", "telegram"} {
				targets = append(targets, map[string]any{"platform": name, "accountId": accounts[p][i%killAccounts].String()})
			}
			posts = append(posts, map[string]any{
				"content": fmt.Sprintf("killed post %04d", i), "platforms": targets,
				"scheduledFor": due.Add(time.Duration(i) * time.Second / killPosts).Format(time.RFC3339Nano),
			})
		}
		var answer struct {
			Results []struct {
				Success bool
				Post    struct{ ID string }
				Error   any
			} `json:"results"`
		}
		if status := w.call(http.MethodPost, "/posts/bulk", map[string]any{"posts": posts}, &answer); status != http.StatusCreated {
			w.Fatalf("creating posts: %d", status)
		}
		for _, r := range answer.Results {
			if !r.Success {
				w.Fatalf("creating a post: %v", r.Error)
			}
			ids = append(ids, r.Post.ID)
		}
	}
	if time.Until(due) < 0 {
		w.Fatal("creating the posts took longer than until they were due")
	}
	return ids
}

type postAnswer struct {
	Post struct {
		ID, Status, Content string
		Platforms           []struct {
			Platform, Status string
			Error            struct{ Code string }
		}
	} `json:"post"`
}

func (w *world) done(ids []string) bool {
	for _, id := range ids {
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
func (w *world) checkEvents(ids []string, hook *receiver) {
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
		if event := hook.has(id, "post.published"); !strings.HasPrefix(event, "evt_") {
			w.Errorf("%s: event %s", id, event)
		}
	}
	w.eventually(30*time.Second, "each target counted once in ClickHouse", func() bool { return w.counted() == killPosts*3 })
	time.Sleep(3 * time.Second) // what would be counted twice comes late
	if n := w.counted(); n != killPosts*3 {
		w.Errorf("ClickHouse counts %d targets, want %d", n, killPosts*3)
	}
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
