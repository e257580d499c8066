package postgres_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres"
)

// dailyCap is what every platform of these tests takes of an account a day.
const dailyCap = 20

// used returns what is used of an account's day, after it has checked that the targets
// hold just as much.
func (f *fixture) used(account schema.AccountID, day time.Time) int {
	f.Helper()
	used, held, err := f.store.Counter(f.Context(), account, schema.DayOf(day))
	if err != nil {
		f.Fatal(err)
	}
	if used != held {
		f.Errorf("%d units are used on %s, and %d held by targets", used, day.Format(time.DateOnly), held)
	}
	return used
}

// noon is the middle of a day ahead, the same for all of a test that runs over midnight.
func (f *fixture) noon(daysAhead int) time.Time {
	return schema.DayOf(f.began).AddDate(0, 0, daysAhead).Add(12 * time.Hour)
}

// on is a scheduled post to n accounts, due at a time.
func (f *fixture) on(n int, at time.Time) schema.Post {
	p := f.post(n, 0)
	p.ScheduledFor = at
	return p
}

// fill takes n units of the first account's day.
func (f *fixture) fill(day time.Time, n int) []schema.Post {
	f.Helper()
	var posts []schema.Post
	for range n {
		posts = append(posts, f.create(f.on(1, day)))
	}
	return posts
}

func (f *fixture) update(p schema.Post, change func(*schema.Post)) (schema.Post, error) {
	return f.gateway.Update(f.Context(), f.workspace, p.ID, func(p *schema.Post) error { change(p); return nil })
}

func TestAUnitOfTheDailyCapFollowsItsTarget(t *testing.T) {
	refused := schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}}
	for name, tt := range map[string]struct {
		do                 func(f *fixture, p schema.Post)
		first, second, day int // units of the first and second account on day 1; of the first on day 2
	}{
		"created": {func(*fixture, schema.Post) {}, 1, 1, 0},
		"moved to another day": {func(f *fixture, p schema.Post) {
			_, err := f.update(p, func(p *schema.Post) { p.ScheduledFor = f.noon(2) })
			f.must(err)
		}, 0, 0, 1},
		"edited on the same day": {func(f *fixture, p schema.Post) {
			_, err := f.update(p, func(p *schema.Post) { p.Content.Entries[0].Text = "new" })
			f.must(err)
		}, 1, 1, 0},
		"one account less": {func(f *fixture, p schema.Post) {
			_, err := f.update(p, func(p *schema.Post) { p.Targets = p.Targets[:1] })
			f.must(err)
		}, 1, 0, 0},
		"made a draft": {func(f *fixture, p schema.Post) {
			_, err := f.update(p, func(p *schema.Post) { p.Status = schema.Draft })
			f.must(err)
		}, 0, 0, 0},
		"made a draft and scheduled again": {func(f *fixture, p schema.Post) {
			_, err := f.update(p, func(p *schema.Post) { p.Status = schema.Draft })
			f.must(err)
			_, err = f.update(p, func(p *schema.Post) { p.Status, p.ScheduledFor = schema.Scheduled, f.noon(2) })
			f.must(err)
		}, 0, 0, 1},
		"an edit that is given up": {func(f *fixture, p schema.Post) {
			_, err := f.gateway.Update(f.Context(), f.workspace, p.ID, func(p *schema.Post) error {
				p.ScheduledFor = f.noon(2)
				return errors.New("given up")
			})
			if err == nil {
				f.Error("the edit was not given up")
			}
		}, 1, 1, 0},
		"cancelled": {func(f *fixture, p schema.Post) {
			_, err := f.gateway.Delete(f.Context(), f.workspace, p.ID)
			f.must(err)
		}, 0, 0, 0},
		"one posted, one refused": {func(f *fixture, p schema.Post) {
			f.finish(f.claim(p, 0)[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "n"}})
			f.finish(f.claim(p, 1)[0], refused)
		}, 1, 0, 0},
		"a failure that comes twice": {func(f *fixture, p schema.Post) {
			f.create(f.on(2, f.noon(1)))
			d := f.claim(p, 0)[0]
			f.finish(d, refused)
			f.finish(d, refused)
		}, 1, 2, 0},
		"a failure that comes late, after another claim": {func(f *fixture, p schema.Post) {
			late := f.claim(p, 0)[0]
			f.exec(`update targets set lease_until = now() - interval '6 seconds' where n = 0`)
			d := f.claim(p, 0)[0]
			f.finish(late, refused)
			f.finish(d, schema.Outcome{Verdict: schema.Found, Receipt: schema.Receipt{NativeID: "n"}})
		}, 1, 1, 0},
		"outcome unknown": {func(f *fixture, p schema.Post) {
			f.claim(p, 0)
			f.exec(`update targets set lease_until = now() - interval '6 seconds' where n = 0`)
			f.finish(f.claim(p, 0)[0], schema.Outcome{Verdict: schema.CannotTell})
		}, 1, 1, 0},
		"a wait": {func(f *fixture, p schema.Post) {
			f.finish(f.claim(p, 0)[0], schema.Outcome{Err: &schema.Error{Kind: schema.RateLimited, RetryAfter: time.Minute}})
		}, 1, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			p := f.create(f.on(2, f.noon(1)))
			tt.do(f, p)
			if got := f.used(f.accounts[0], f.noon(1)); got != tt.first {
				t.Errorf("the first account has used %d, want %d", got, tt.first)
			}
			if got := f.used(f.accounts[1], f.noon(1)); got != tt.second {
				t.Errorf("the second account has used %d, want %d", got, tt.second)
			}
			if got := f.used(f.accounts[0], f.noon(2)); got != tt.day {
				t.Errorf("%d are used on the other day, want %d", got, tt.day)
			}
		})
	}
}

func TestARetryTakesAUnitOfItsDay(t *testing.T) {
	refused := schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}}
	for name, tt := range map[string]struct {
		fail       func(f *fixture, p schema.Post)
		then       func(f *fixture, p schema.Post)
		first, day int // units of the day it was scheduled for, and of the day of the retry
	}{
		"after a refusal": {
			func(f *fixture, p schema.Post) { f.finish(f.claim(p, 0)[0], refused) },
			func(*fixture, schema.Post) {}, 0, 1,
		},
		"after a refusal, and refused again": {
			func(f *fixture, p schema.Post) { f.finish(f.claim(p, 0)[0], refused) },
			func(f *fixture, p schema.Post) {
				f.exec(`update targets set next_at = now(), step = 1`)
				f.finish(f.claim(p, 0)[0], refused)
			}, 0, 0,
		},
		"after a refusal, and cancelled": {
			func(f *fixture, p schema.Post) { f.finish(f.claim(p, 0)[0], refused) },
			func(f *fixture, p schema.Post) {
				_, err := f.gateway.Delete(f.Context(), f.workspace, p.ID)
				f.must(err)
			}, 0, 0,
		},
		"after an unknown outcome": {
			func(f *fixture, p schema.Post) {
				f.claim(p, 0)
				f.exec(`update targets set lease_until = now() - interval '6 seconds'`)
				f.finish(f.claim(p, 0)[0], schema.Outcome{Verdict: schema.CannotTell})
			},
			func(*fixture, schema.Post) {}, 1, 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			p := f.create(f.on(1, f.noon(1)))
			tt.fail(f, p)
			delay := f.noon(3).Sub(f.store.Now())
			tt.then(f, f.retry(p, delay))
			first, _, err := f.store.Counter(t.Context(), f.accounts[0], schema.DayOf(f.noon(1)))
			f.must(err)
			if first != tt.first {
				t.Errorf("%d units of the first day are used, want %d", first, tt.first)
			}
			if got := f.used(f.accounts[0], f.noon(3)); got != tt.day {
				t.Errorf("%d units of the retry's day are used, want %d", got, tt.day)
			}
		})
	}
}

func TestAFullDayRefuses(t *testing.T) {
	for name, reach := range map[string]func(f *fixture, p schema.Post) error{
		"a creation": func(f *fixture, _ schema.Post) error {
			_, err := f.gateway.Create(f.Context(), schema.Creation{Posts: []schema.Post{f.on(2, f.noon(1))}})
			return err
		},
		"a move": func(f *fixture, p schema.Post) error {
			_, err := f.update(p, func(p *schema.Post) { p.ScheduledFor = f.noon(1) })
			return err
		},
		"a draft that becomes scheduled": func(f *fixture, p schema.Post) error {
			_, err := f.update(p, func(p *schema.Post) { p.Status = schema.Draft })
			f.must(err)
			_, err = f.update(p, func(p *schema.Post) { p.Status, p.ScheduledFor = schema.Scheduled, f.noon(1) })
			return err
		},
		"a retry": func(f *fixture, p schema.Post) error {
			f.finish(f.claim(p, 0)[0], schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}})
			_, err := f.gateway.Retry(f.Context(), f.workspace, p.ID, schema.Retry{Delay: f.noon(1).Sub(f.store.Now())})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			filled := f.fill(f.noon(1), dailyCap)
			f.fill(f.noon(2), dailyCap)
			p := f.create(f.on(1, f.noon(3)))
			for range 2 { // a second time, once the day is known to be full
				err := reach(f, p)
				wantKind(t, err, schema.DailyLimitReached)
				if e, ok := errors.AsType[*schema.Error](err); ok {
					want := schema.DayOf(f.noon(3)).Format(time.DateOnly)
					if d := e.Details[0]; d.Field != "platforms[0]" || d.Code != "daily_limit_reached" || d.Limit != dailyCap || d.NextFreeDay != want {
						t.Errorf("details = %+v, want platforms[0], %d and %s", e.Details, dailyCap, want)
					}
				}
				if name != "a creation" {
					break
				}
			}
			if got := f.used(f.accounts[0], f.noon(1)); got != dailyCap {
				t.Errorf("%d are used", got)
			}
			if got := f.used(f.accounts[1], f.noon(1)); got != 0 {
				t.Errorf("a refused post has used %d of another account", got)
			}
			_, err := f.gateway.Delete(t.Context(), f.workspace, filled[0].ID)
			f.must(err)
			f.create(f.on(1, f.noon(1)))
		})
	}
}

func TestARefusedRequestCanBeSentAgain(t *testing.T) {
	f := newFixture(t)
	filled := f.fill(f.noon(1), dailyCap)
	request := func() (schema.Created, error) {
		return f.gateway.Create(t.Context(), schema.Creation{
			Idempotency: &schema.Idempotency{Lineage: f.key, Key: "k", Fingerprint: [32]byte{1}},
			Posts:       []schema.Post{f.on(1, f.noon(1))}, Response: []byte("made"),
		})
	}
	for range 2 {
		_, err := request()
		wantKind(t, err, schema.DailyLimitReached)
	}
	_, err := f.gateway.Delete(t.Context(), f.workspace, filled[0].ID)
	f.must(err)
	if made, err := request(); err != nil || made.Replayed {
		t.Fatalf("Create = %+v, %v, want a post", made, err)
	}
	if again, err := request(); err != nil || !again.Replayed {
		t.Fatalf("Create = %+v, %v, want the first answer: the day is full by the request itself", again, err)
	}
	if got := f.used(f.accounts[0], f.noon(1)); got != dailyCap {
		t.Errorf("%d are used", got)
	}
}

// TestALastUnitIsGivenOnce races many requests of one batch, some of them repeated, for
// an account's last units; neighbours for other accounts are not held up.
func TestALastUnitIsGivenOnce(t *testing.T) {
	f := newFixture(t)
	f.fill(f.noon(1), dailyCap-5)
	var mu sync.Mutex
	made := map[string]bool{}
	var callers sync.WaitGroup
	for i := range 120 {
		callers.Go(func() {
			key := fmt.Sprint("k", i/3)
			_, err := f.gateway.Create(f.Context(), schema.Creation{
				Idempotency: &schema.Idempotency{Lineage: f.key, Key: key, Fingerprint: [32]byte{1}},
				Posts:       []schema.Post{f.on(1, f.noon(1))}, Response: []byte(key),
			})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				made[key] = true
			} else if e, ok := errors.AsType[*schema.Error](err); !ok || e.Kind != schema.DailyLimitReached {
				t.Error(err)
			}
		})
		if i%10 == 0 {
			callers.Go(func() {
				p := f.on(2, f.noon(1))
				p.Targets = p.Targets[1:]
				if _, err := f.gateway.Create(f.Context(), schema.Creation{Posts: []schema.Post{p}}); err != nil {
					t.Error(err)
				}
			})
		}
	}
	callers.Wait()
	if got := f.used(f.accounts[0], f.noon(1)); got != dailyCap || len(made) != 5 {
		t.Errorf("%d are used by %d requests, want %d by 5", got, len(made), dailyCap)
	}
}

func TestABulkGoesOnWithoutWhatIsRefused(t *testing.T) {
	f := newFixture(t)
	f.fill(f.noon(1), dailyCap-2)
	posts := make([]schema.Post, 5)
	for i := range posts {
		posts[i] = f.on(1, f.noon(1))
	}
	request := func() schema.Created {
		made, err := f.gateway.Create(t.Context(), schema.Creation{
			Idempotency: &schema.Idempotency{Lineage: f.key, Key: "k", Fingerprint: [32]byte{1}},
			Posts:       posts, Response: []byte("all"),
			ResponseIfRefused: func(refused map[schema.PostID]*schema.Error) []byte {
				return fmt.Appendf(nil, "without %d, the third %v", len(refused), refused[posts[2].ID] != nil)
			},
		})
		f.must(err)
		return made
	}
	first, again := request(), request()
	if string(first.Response) != "without 3, the third true" || string(again.Response) != string(first.Response) || !again.Replayed {
		t.Errorf("answers %q and %q", first.Response, again.Response)
	}
	if got := f.used(f.accounts[0], f.noon(1)); got != dailyCap {
		t.Errorf("%d are used", got)
	}
}

func TestAPlanBoundsPostsAMonth(t *testing.T) {
	f := newFixture(t)
	thread := f.on(1, f.noon(1))
	thread.Content.Entries = []schema.Entry{{Text: "one"}, {Text: "two"}, {Text: "three"}}
	make := func(p schema.Post) error {
		_, err := f.gateway.Create(t.Context(), schema.Creation{Posts: []schema.Post{p}, PostsPerMonth: 4})
		return err
	}
	f.must(make(thread))
	f.must(make(f.on(1, f.noon(1))))
	for range 2 {
		wantKind(t, make(f.on(1, f.noon(40))), schema.PlanLimitReached)
	}
	f.exec(`update workspaces set plan = 'free'`)
	usage, err := f.gateway.Usage(t.Context(), f.workspace)
	if err != nil || usage.Posts != 4 || usage.Plan.PostsPerMonth != 4 || usage.Accounts != 3 {
		t.Errorf("Usage = %+v, %v", usage, err)
	}
	_, err = f.update(thread, func(p *schema.Post) { p.Content.Entries = append(p.Content.Entries, schema.Entry{Text: "four"}) })
	wantKind(t, err, schema.PlanLimitReached)
	_, err = f.update(thread, func(p *schema.Post) { p.Content.Entries = p.Content.Entries[:2] })
	f.must(err)
}

// TestTheLastPostsOfAMonthAreTakenOnce races creations and threads that grow, each in a
// transaction of its own, for what a plan allows.
func TestTheLastPostsOfAMonthAreTakenOnce(t *testing.T) {
	const limit = 100
	f := newFixture(t)
	f.exec(fmt.Sprintf(`update plans set posts_per_month = %d where name = 'free'`, limit))
	f.exec(`update workspaces set plan = 'free'`)
	var taken atomic.Int32
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			thread := f.post(1, 0)
			thread.Status, thread.ScheduledFor = schema.Draft, time.Time{}
			_, err := f.gateway.Create(f.Context(), schema.Creation{Posts: []schema.Post{thread}, PostsPerMonth: limit})
			for err == nil {
				taken.Add(1)
				_, err = f.update(thread, func(p *schema.Post) { p.Content.Entries = append(p.Content.Entries, schema.Entry{Text: "more"}) })
			}
			wantKind(t, err, schema.PlanLimitReached)
		})
	}
	callers.Wait()
	usage, err := f.gateway.Usage(t.Context(), f.workspace)
	if err != nil || usage.Posts != limit || taken.Load() != limit {
		t.Errorf("%d are taken, usage = %+v, %v, want %d", taken.Load(), usage, err, limit)
	}
	if versions := f.count(`select count(*) from plan_usage`); versions != 1 {
		t.Errorf("%d versions of the month are left, want the newest alone", versions)
	}
}

func TestAPlanBoundsAccounts(t *testing.T) {
	f := newFixture(t)
	admin := postgres.NewAdmin(f.store)
	live, err := admin.MakeWorkspace(t.Context(), "small", "free", false)
	f.must(err)
	twin, err := admin.MakeWorkspace(t.Context(), "small", "free", true)
	f.must(err)
	put := func(workspace schema.WorkspaceID, name string) error {
		a := schema.Account{Workspace: workspace, Platform: schema.Mastodon, NativeID: name, Name: name, Sealed: []byte("x")}
		var err error
		a.ID, err = admin.AccountID(t.Context(), a)
		f.must(err)
		return admin.PutAccount(t.Context(), a)
	}
	var mu sync.Mutex
	connected := 0
	var callers sync.WaitGroup
	for i := range 6 {
		callers.Go(func() {
			err := put(live.ID, fmt.Sprint(i))
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				connected++
				return
			}
			wantKind(t, err, schema.PlanLimitReached)
		})
	}
	callers.Wait()
	if connected != 2 {
		t.Errorf("%d accounts were connected, want 2", connected)
	}
	for i := range 4 {
		f.must(put(twin.ID, fmt.Sprint(i)))
	}
	usage, err := f.gateway.Usage(t.Context(), twin.ID)
	if err != nil || usage.Plan.Name != "free" || usage.Plan.PostsPerMonth != 4 || usage.Plan.Accounts != 0 || usage.Accounts != 4 {
		t.Errorf("usage of the twin = %+v, %v", usage, err)
	}
	before, err := admin.GivePlan(t.Context(), "small", "team")
	if f.must(err); before != "free" {
		t.Errorf("it was on the plan %q", before)
	}
	f.must(put(live.ID, "another"))
	_, err = admin.GivePlan(t.Context(), "none", "team")
	wantKind(t, err, schema.NotFound)
}

func TestWorkspacesAreListedByName(t *testing.T) {
	f := newFixture(t)
	admin := postgres.NewAdmin(f.store)
	for _, name := range []string{"zoo", "bakery", "gone"} {
		_, err := admin.MakeWorkspace(t.Context(), name, "free", name == "zoo") // with its sandbox
		f.must(err)
	}
	f.exec(`update workspaces set deleting_at = now() where name = 'gone'`)
	for after, want := range map[string][]string{"": {"acme", "bakery"}, "acme": {"bakery", "zoo"}, "zoo": nil} {
		all, err := admin.Workspaces(t.Context(), after, 2)
		f.must(err)
		var names []string
		for _, w := range all {
			names = append(names, w.Name)
			if w.ID.IsZero() || w.Sandbox || w.Plan != map[bool]string{true: "operator", false: "free"}[w.Name == "acme"] {
				t.Errorf("listed is %+v", w)
			}
		}
		if !slices.Equal(names, want) {
			t.Errorf("after %q are %v, want %v", after, names, want)
		}
	}
}

func TestOldCountersAreForgotten(t *testing.T) {
	f := newFixture(t)
	f.fill(f.noon(1), 1)
	f.exec(`insert into counters select subject, period - 70, 1, 20 from counters`)
	f.exec(`insert into plan_usage select current_date - age, id, 1, 1, 4 from workspaces, unnest('{0,70}'::int[]) age`)
	f.chore(f.delay.ForgetCounters)
	if months := f.count(`select count(*) from plan_usage`); months != 1 {
		t.Errorf("%d months are left, want this one", months)
	}
	old, _, err := f.store.Counter(t.Context(), f.accounts[0], schema.DayOf(f.noon(-69)))
	f.must(err)
	if got := f.used(f.accounts[0], f.noon(1)); got != 1 || old != 0 {
		t.Errorf("%d and %d are left, want 1 and nothing", got, old)
	}
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}
