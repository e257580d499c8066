package compose_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/compose/embedded/embeddedtest"
	"crier/schema"
	"crier/schema/postgres"
)

// TestPostgresClockIsTheOnlyOne runs crier with a clock that is wrong by PostgreSQL's, in
// either direction, and lets the difference jump while it runs.
func TestPostgresClockIsTheOnlyOne(t *testing.T) {
	t.Parallel()
	for name, shift := range map[string]time.Duration{
		"the process is an hour behind": time.Hour,
		"the process is an hour ahead":  -time.Hour,
		"the process is a day behind":   24 * time.Hour,
	} {
		t.Run(name, func(t *testing.T) {
			server := embeddedtest.Postgres(t)
			c := shiftedClock{t, server}
			c.set(shift)
			w := newWorldOn(t, childConfig{Postgres: server})
			w.publishByClock(shift, "first")
			c.set(0) // a step of the server's clock that is set right
			time.Sleep(6 * time.Second)
			w.publishByClock(0, "after the jump")
			w.checkNoStrays()
		})
	}
}

// TestAClockThatJumpsInTheMiddleOfCalls lets PostgreSQL's clock jump while calls are in hand
// whose leases are over by it then, or for long not.
func TestAClockThatJumpsInTheMiddleOfCalls(t *testing.T) {
	t.Parallel()
	for name, jump := range map[string]time.Duration{
		"ahead, past every lease": 10 * time.Minute,
		"back":                    -10 * time.Minute,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := embeddedtest.Postgres(t)
			c := shiftedClock{t, server}
			c.set(0)
			w := newWorldOn(t, childConfig{Postgres: server})
			w.publishSlowly(15*time.Second, func() { c.set(jump) })
			w.publishByClock(jump, "after the jump")
			w.checkNoStrays()
		})
	}
}

// TestAShortJumpOfTheClockPublishesNothingEarly lets PostgreSQL's clock be an hour ahead for some
// seconds, and then behind, under two processes: what is due in ten minutes stays, and what is due, or
// begins, meanwhile is done.
func TestAShortJumpOfTheClockPublishesNothingEarly(t *testing.T) {
	t.Parallel()
	server := embeddedtest.Postgres(t)
	c := shiftedClock{t, server}
	c.set(0)
	if err := postgres.Migrate(t.Context(), server); err != nil {
		t.Fatal(err)
	}
	w := newFleetOn(t, server, 2, connectionsOfTwo)
	accounts := w.connect(schema.Mastodon, 40) // one of its own for each post that begins meanwhile: none waits for its turn
	var later, now []string
	for _, account := range accounts[:5] {
		later = append(later, w.scheduleOn(account, 10*time.Minute))
	}
	const back = 50 * time.Minute // less than what is too late
	for i, jump := range []time.Duration{time.Hour, -back} {
		own := accounts[5+15*i:]
		now = append(now, w.scheduleOn(own[0], 4*time.Second))
		c.set(jump)
		for end := time.Now().Add(8 * time.Second); time.Now().Before(end) && len(own) > 1; time.Sleep(time.Second) {
			own = own[1:]
			now = append(now, w.publishTo(schema.Mastodon, own[0], fmt.Sprintf("meanwhile %d", len(now))))
		}
		c.set(0)
		w.eventually(2*time.Minute, "what began while it was off is done", func() bool { return w.done(now) })
		if oldest := w.figure("crier_oldest_overdue_seconds"); oldest < 0 {
			t.Errorf("the oldest is %v s late", oldest)
		}
	}
	w.checkOnce(now)
	for _, id := range later {
		if w.done([]string{id}) {
			t.Errorf("%s was published ten minutes early", id)
		}
	}
	w.checkNoStrays()
}

// scheduleOn creates a post to an account that is due in a time by this machine's clock, and returns its
// id. While a process does not know yet that the server's clock was set back, that time is past for it.
func (w *world) scheduleOn(account schema.AccountID, in time.Duration) string {
	w.Helper()
	var answer postAnswer
	w.eventually(30*time.Second, "a post is scheduled", func() bool {
		return w.call(http.MethodPost, "/posts", map[string]any{
			"content": fmt.Sprintf("in %v %s", in, account), "scheduledFor": time.Now().Add(in).Format(time.RFC3339Nano),
			"platforms": []map[string]any{{"platform": "mastodon", "accountId": account.String()}},
		}, &answer) == http.StatusCreated
	})
	return answer.Post.ID
}

// publishSlowly publishes to three accounts of each platform, whose calls take a while, and
// does something when all are in hand: each is posted, by the call that was in hand.
func (w *world) publishSlowly(takes time.Duration, meanwhile func()) {
	w.Helper()
	const each = 3
	var ids []string
	for p, operation := range visibleCalls {
		w.inject(map[string]any{"platform": p.String(), "operation": operation, "times": each, "delay": takes.Milliseconds()})
		for n, account := range w.connect(p, each) {
			ids = append(ids, w.publishTo(p, account, fmt.Sprintf("slowly on %s %d", p, n)))
		}
	}
	w.eventually(takes/2, "all calls are in hand", func() bool { return len(w.simulated()) == len(ids) })
	if w.done(ids[:1]) {
		w.Fatal("the calls do not take their time")
	}
	meanwhile()
	w.eventually(2*takes+90*time.Second, "all are done, though a jump may wait to be confirmed", func() bool { return w.done(ids) })
	if unknown := w.checkOnce(ids); unknown > 0 {
		w.Errorf("%d outcomes are unknown, though every call was answered", unknown)
	}
	for _, id := range ids {
		for _, a := range w.timeline(id).Attempts {
			if a.Platform != "" && a.Event != "published" && a.Event != "processing" {
				w.Errorf("%s: %s on %s; its call was answered", id, a.Event, a.Platform)
			}
		}
	}
}

// publishTo publishes at once to one account and returns the id of the post.
func (w *world) publishTo(p schema.Platform, account schema.AccountID, text string) string {
	w.Helper()
	var answer postAnswer
	body := map[string]any{
		"content": text, "publishNow": true, "mediaItems": w.smallestMedia(p), "platformSettings": smallestSettings(),
		"platforms": []map[string]any{{"platform": p.String(), "accountId": account.String()}},
	}
	if status := w.call(http.MethodPost, "/posts", body, &answer); status != http.StatusCreated {
		w.Fatalf("creating %q: %d", text, status)
	}
	return answer.Post.ID
}

// shiftedClock is a database whose clock differs from that of the machine: functions of the
// same names stand before PostgreSQL's own.
type shiftedClock struct {
	*testing.T
	server string
}

func (c shiftedClock) set(shift time.Duration) {
	c.Helper()
	conn, err := pgx.Connect(c.Context(), c.server)
	if err != nil {
		c.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(c.Context()))
	for _, sql := range []string{
		`create schema if not exists shifted`,
		`create or replace function shifted.now() returns timestamptz stable language sql as $$ select pg_catalog.now() + interval 'SHIFT' $$`,
		`create or replace function shifted.clock_timestamp() returns timestamptz volatile language sql as $$ select pg_catalog.clock_timestamp() + interval 'SHIFT' $$`,
		`do $$ begin execute format('alter database %I set search_path = shifted, pg_catalog, public', current_database()); end $$`,
	} {
		sql = strings.ReplaceAll(sql, "SHIFT", fmt.Sprint(int(shift.Seconds()), " seconds"))
		if _, err := conn.Exec(c.Context(), sql); err != nil {
			c.Fatalf("%s: %v", sql, err)
		}
	}
}

// publishByClock schedules posts a few seconds ahead on PostgreSQL's clock and checks that
// each goes out, none of them early, and that webhooks are signed by the same clock.
func (w *world) publishByClock(shift time.Duration, label string) {
	w.Helper()
	const posts = 10
	var mu sync.Mutex
	var signed []time.Duration // too early, or too late, by PostgreSQL's clock
	began := time.Now()
	w.receiveBy(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		unix, err := strconv.ParseInt(r.Header.Get("Webhook-Timestamp"), 10, 64)
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			at := time.Unix(unix, 0).Add(-shift)
			signed = append(signed, max(began.Sub(at), -time.Since(at)))
		}
	}), "post.published")
	account := w.connect(schema.Mastodon, 1)[0].String()
	due := map[string]time.Time{}
	var ids []string
	for n := range posts {
		text, at := fmt.Sprintf("%s %d", label, n), time.Now().Add(shift+time.Duration(n%4+2)*time.Second)
		var answer postAnswer
		body := map[string]any{"content": text, "scheduledFor": at.Format(time.RFC3339Nano), "platforms": []map[string]any{{"platform": "mastodon", "accountId": account}}}
		if status := w.call(http.MethodPost, "/posts", body, &answer); status != http.StatusCreated {
			w.Fatalf("creating a post: %d", status)
		}
		due[text], ids = at, append(ids, answer.Post.ID)
	}
	w.eventually(time.Minute, "all posts are published", func() bool { return w.done(ids) })
	w.checkOnce(ids)
	for _, there := range w.simulated() {
		at, ok := due[there.Text]
		if early := at.Sub(there.CreatedAt.Add(shift)); ok && early > 200*time.Millisecond {
			w.Errorf("%q went out %v before its time", there.Text, early)
		}
	}
	w.eventually(time.Minute, "all webhooks", func() bool { mu.Lock(); defer mu.Unlock(); return len(signed) >= posts })
	mu.Lock()
	defer mu.Unlock()
	for _, off := range signed {
		if off > 15*time.Second {
			w.Errorf("a webhook was signed %v off", off)
		}
	}
}
