package compose_test

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"crier/schema"
)

// What other workspaces do to the quiet one: a herd of one account, accounts of a
// platform that answers after 20 s, more than a process makes calls at a time.
var (
	herdPosts    = bySize(1500, 4200) // what a daily cap of 50 lets into 85 days
	slowAccounts = bySize(20, 600)
)

func TestOthersTroublesDelayNobody(t *testing.T) {
	// floor is what the neighbours of a small run, which may be tests of their own, add to
	// a p99 of a few milliseconds.
	floor := bySize(750*time.Millisecond, 0)
	noisy := newWorld(t, testKafka(t))
	defer noisy.kill() // rather than wait for calls that hang
	herd, slow := noisy.connect(schema.Mastodon, 1)[0], noisy.connect(schema.Telegram, slowAccounts)
	quiet := noisy.in("quiet")
	accounts := quiet.connect(schema.Bluesky, 40) // half for each time, by their daily caps

	alone := quiet.lateness("alone", accounts[:20], nil)
	noisy.subscribeDeadReceiver()
	noisy.inject(map[string]any{"platform": "telegram", "operation": "sendMessage", "delay": 20_000, "times": 1_000_000})
	for _, account := range slow {
		noisy.createFor(account, "telegram", "slow", time.Now().Add(4*time.Second))
	}
	noisy.createHerd(herd, herdPosts)
	crowded := quiet.lateness("crowded", accounts[20:], func() { noisy.releaseHerd() })
	t.Logf("p99 of the lateness: %v alone, %v beside the others' troubles", alone, crowded)
	if limit := 2*alone + floor; crowded > limit {
		t.Errorf("p99 of the lateness is %v beside the others' troubles, want at most %v", crowded, limit)
	}
}

// lateness publishes posts evenly and returns the p99 of how late they are there. begun
// is called while they are being sent.
func (w *world) lateness(label string, accounts []schema.AccountID, begun func()) time.Duration {
	w.Helper()
	const perSecond, ahead = 20, 3 * time.Second
	n := bySize(200, 900)
	due := map[string]time.Time{}
	var starting sync.WaitGroup
	if begun != nil {
		starting.Go(begun)
	}
	began := time.Now()
	for i := range n {
		time.Sleep(time.Until(began.Add(time.Duration(i) * time.Second / perSecond)))
		text, at := fmt.Sprintf("%s %04d", label, i), time.Now().Add(ahead)
		w.createFor(accounts[i%len(accounts)], "bluesky", text, at)
		due[text] = at
	}
	starting.Wait()
	var late []time.Duration
	w.eventually(60*time.Second, "the quiet workspace's posts are there", func() bool {
		late = nil
		for _, s := range w.simulated() {
			if at, ok := due[s.Text]; ok {
				late = append(late, s.CreatedAt.Sub(at))
			}
		}
		return len(late) == n
	})
	slices.Sort(late)
	w.Logf("%s: lateness p50 %v, p99 %v, max %v", label, late[n/2], late[n*99/100], late[n-1])
	return late[n*99/100]
}

func (w *world) createFor(account schema.AccountID, platform, text string, due time.Time) {
	w.Helper()
	status := w.call(http.MethodPost, "/posts", map[string]any{
		"content": text, "scheduledFor": due.Format(time.RFC3339Nano),
		"platforms": []map[string]any{{"platform": platform, "accountId": account.String()}},
	}, nil)
	if status != http.StatusCreated {
		w.Fatalf("creating %q: %d", text, status)
	}
}

// subscribeDeadReceiver makes a webhook whose receiver takes connections and never
// answers.
func (w *world) subscribeDeadReceiver() {
	w.Helper()
	dead, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { dead.Close() })
	w.subscribe("http://"+dead.Addr().String(), "post.scheduled", "post.published", "post.failed")
}

// createHerd creates n posts of one account, over as many days as its daily cap asks for.
func (w *world) createHerd(account schema.AccountID, n int) {
	w.Helper()
	const perDay = 50 // the cap
	ahead := time.Now().Add(2 * 24 * time.Hour)
	for from := 0; from < n; from += 20 {
		var posts []map[string]any
		for i := from; i < from+20; i++ {
			posts = append(posts, map[string]any{
				"content":      fmt.Sprintf("herd %05d", i),
				"scheduledFor": ahead.Add(time.Duration(i/perDay%85) * 24 * time.Hour).Format(time.RFC3339),
				"platforms":    []map[string]any{{"platform": "mastodon", "accountId": account.String()}},
			})
		}
		if status := w.call(http.MethodPost, "/posts/bulk", map[string]any{"posts": posts}, nil); status != http.StatusCreated {
			w.Fatalf("creating the herd: %d", status)
		}
	}
}

// releaseHerd makes the whole herd due at once, which the API's caps do not let happen.
func (w *world) releaseHerd() {
	w.Helper()
	conn, err := w.tryPostgres(w.Context())
	if err != nil {
		w.Error(err)
		return
	}
	defer conn.Close(w.Context())
	for _, sql := range []string{
		`update posts set scheduled_for = now() where scheduled_for > now() + interval '1 day'`,
		`with moved as (delete from jobs_far returning *)
		 insert into jobs (id, kind, shard, due_at, version, payload) select id, kind, shard, now(), version, payload from moved`,
	} {
		if _, err := conn.Exec(w.Context(), sql); err != nil {
			w.Errorf("making the herd due: %v", err)
		}
	}
}
