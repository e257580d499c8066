package compose_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"crier/compose"
	"crier/schema"
)

// laterPosts are how many posts of a kind there are in a test of a backlog: of the backlog of a
// downtime, of what was paused.
var laterPosts = map[string]int{
	"backlog": bySize(600, 30_000), "parked": bySize(1200, 10_000),
}

// Posts that fell due while crier was down, or were paused, go out soon and in the order of their
// times, and what is published meanwhile is not late for it. How fast that is beside a herd is what
// crier bench backlog and resume measure.
func TestABacklogDrainsInOrder(t *testing.T) {
	down := bySize(5*time.Second, 150*time.Second)
	w := newWorld(t, testKafka(t))
	fresh := w.connect(schema.Mastodon, 10)
	w.createLater()

	due := w.setDue("backlog", fmt.Sprintf(`now() + interval '2 seconds' + random() * interval '%f seconds'`, down.Seconds()-2))
	w.kill()
	time.Sleep(down)
	restarted := time.Now()
	w.start()
	w.drains("backlog", fresh[:5])
	if took := w.times("backlog")[laterPosts["backlog"]-1].Sub(restarted); took > 30*time.Second {
		t.Errorf("the last of %d posts is there %v after the restart", laterPosts["backlog"], took)
	}
	w.inOrder("backlog", due)

	platform := compose.PauseTarget{Platform: schema.Mastodon.String()}
	if err := compose.Pause(t.Context(), w.operator(), platform, "a test"); err != nil {
		t.Fatal(err)
	}
	due = w.setDue("parked", fmt.Sprintf(`now() - random() * interval '%d seconds'`, laterPosts["parked"]/100))
	w.eventually(5*time.Minute, "all is parked", func() bool { return w.count(`select count(*) from jobs where held`) == laterPosts["parked"] })
	if _, err := compose.Resume(t.Context(), w.operator(), platform); err != nil {
		t.Fatal(err)
	}
	w.drains("parked", fresh[5:])
	w.inOrder("parked", due)
	w.membersPause(fresh[0])
}

// createLater creates posts that are due in some hours, each kind for accounts of its own.
func (w *world) createLater() {
	w.Helper()
	at := time.Now().Add(5 * time.Hour).Format(time.RFC3339)
	bodies := make(chan map[string]any)
	var creating sync.WaitGroup
	for range 8 {
		creating.Go(func() {
			for body := range bodies {
				if status, err := w.tryCall(http.MethodPost, "/posts/bulk", body, nil); status != http.StatusCreated {
					w.Errorf("creating: %d, %v", status, err)
				}
			}
		})
	}
	first := 10
	for kind, n := range laterPosts {
		mine := n/postsPerAccount + 1
		accounts := w.connect(schema.Mastodon, first+mine)[first:]
		first += mine
		var posts []map[string]any
		for i := range n {
			posts = append(posts, map[string]any{
				"content": fmt.Sprintf("%s %06d", kind, i), "scheduledFor": at,
				"platforms": []map[string]any{{"platform": "mastodon", "accountId": accounts[i%mine].String()}},
			})
		}
		for bulk := range slices.Chunk(posts, 25) {
			bodies <- map[string]any{"posts": bulk}
		}
	}
	close(bodies)
	creating.Wait()
}

// setDue moves the times of posts in the tables.
func (w *world) setDue(kind, at string) map[string]time.Time {
	w.Helper()
	conn, err := w.tryPostgres(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	defer conn.Close(w.Context())
	rows, err := conn.Query(w.Context(), `
		with posts as (
			update posts set scheduled_for = `+at+` where content -> 'entries' -> 0 ->> 'text' like $1 returning id, scheduled_for, content -> 'entries' -> 0 ->> 'text' as text
		), jobs as (
			update jobs j set due_at = p.scheduled_for, payload = jsonb_set(payload::jsonb, '{due}', to_jsonb((extract(epoch from p.scheduled_for) * 1000000)::bigint))::json
			from posts p where j.id = p.id returning 1
		)
		select text, scheduled_for from posts`, kind+" %")
	if err != nil {
		w.Fatal(err)
	}
	due := map[string]time.Time{}
	for rows.Next() {
		var text string
		var at time.Time
		if err := rows.Scan(&text, &at); err != nil {
			w.Fatal(err)
		}
		due[text] = at
	}
	if rows.Err() != nil || len(due) != laterPosts[kind] {
		w.Fatalf("moved %d posts, %v", len(due), rows.Err())
	}
	return due
}

func (w *world) count(sql string) (n int) {
	w.Helper()
	conn, err := w.tryPostgres(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	defer conn.Close(w.Context())
	if err := conn.QueryRow(w.Context(), sql).Scan(&n); err != nil {
		w.Fatal(err)
	}
	return n
}

// drains waits until all posts of a kind are there. Meanwhile accounts publish at once what is not
// to wait for them.
func (w *world) drains(kind string, fresh []schema.AccountID) {
	w.Helper()
	began := time.Now()
	sent := map[string]time.Time{}
	const left = `select count(*) from jobs where kind = 1 and due_at < now() + interval '1 hour'`
	for i := 0; w.count(left) > 0; i++ {
		if time.Since(began) > 10*time.Minute {
			w.Fatalf("%d of %d are left", w.count(left), laterPosts[kind])
		}
		for n := range 10 {
			time.Sleep(100 * time.Millisecond)
			if len(sent) >= len(fresh)*postsPerAccount {
				continue
			}
			text := fmt.Sprintf("beside %s %d.%d", kind, i, n)
			sent[text] = time.Now()
			w.publishBeside(text, fresh[len(sent)%len(fresh)])
		}
	}
	at := w.times(kind)
	if len(at) != laterPosts[kind] {
		w.Fatalf("%d of %d posts of the %s are there", len(at), laterPosts[kind], kind)
	}
	last := at[len(at)-1]
	w.Logf("%s: %d within %v, the last after %v", kind, len(at), last.Sub(at[0]), last.Sub(began))
	w.notLate(kind, sent)
}

func (w *world) publishBeside(text string, account schema.AccountID) {
	w.Helper()
	status := w.call(http.MethodPost, "/posts", map[string]any{
		"content": text, "publishNow": true, "platforms": []map[string]any{{"platform": "mastodon", "accountId": account.String()}},
	}, nil)
	if status != http.StatusCreated {
		w.Fatalf("publishing %q: %d", text, status)
	}
}

// notLate holds what was published meanwhile to its lateness.
func (w *world) notLate(kind string, sent map[string]time.Time) {
	w.Helper()
	if len(sent) == 0 {
		return
	}
	time.Sleep(2 * time.Second)
	var late []time.Duration
	for _, s := range w.simulated() {
		if at, is := sent[s.Text]; is {
			late = append(late, s.CreatedAt.Sub(at))
		}
	}
	slices.Sort(late)
	w.Logf("beside %s: %d of %d, p50 %v, p99 %v, max %v", kind, len(late), len(sent), late[len(late)/2], late[len(late)*99/100], late[len(late)-1])
	if p99 := late[len(late)*99/100]; len(late) < len(sent) || p99 > bySize(2*time.Second, 500*time.Millisecond) {
		w.Errorf("%d of %d posts beside %s are there, p99 %v late", len(late), len(sent), kind, p99)
	}
}

// times returns when the posts of a kind came.
func (w *world) times(kind string) (at []time.Time) {
	w.Helper()
	for _, s := range w.simulated() {
		if strings.HasPrefix(s.Text, kind+" ") {
			at = append(at, s.CreatedAt)
		}
	}
	slices.SortFunc(at, time.Time.Compare)
	return at
}

// inOrder reports whether posts came in the order of their times: within an account exactly,
// else none before one that was due a minute earlier. Up to a thousand are on their way: of
// fewer than 20 a second, accounts that have little to do would be further ahead.
func (w *world) inOrder(kind string, due map[string]time.Time) {
	w.Helper()
	came := slices.DeleteFunc(w.simulated(), func(s simulated) bool { return !strings.HasPrefix(s.Text, kind+" ") })
	slices.SortFunc(came, func(a, b simulated) int { return a.CreatedAt.Compare(b.CreatedAt) })
	last := map[string]time.Time{}
	var latest time.Time
	var maximum time.Duration
	swapped := 0
	for _, s := range came {
		at := due[s.Text]
		if at.Before(last[s.Account]) {
			swapped++
		}
		last[s.Account] = at
		if at.After(latest) {
			latest = at
		}
		maximum = max(maximum, latest.Sub(at))
	}
	w.Logf("%s: at most %v ahead of one that was due earlier", kind, maximum)
	if swapped > 0 || maximum > time.Minute {
		w.Errorf("%s: %d posts passed one of their account, one of another that was due %v earlier", kind, swapped, maximum)
	}
}
