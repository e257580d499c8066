package postgres_test

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres/postgrestest"
)

// latestJob returns when the latest of all jobs is due; the zero time without one.
func (f *fixture) latestJob() (due time.Time) {
	f.Helper()
	for _, j := range f.Jobs() {
		if j.DueAt.After(due) {
			due = j.DueAt
		}
	}
	return due
}

func TestWhatWaitsForItsPlatformIsPutOff(t *testing.T) {
	const wait, left = 10 * time.Minute, 5 * time.Minute
	for name, tt := range map[string]struct {
		before func(f *fixture, p *schema.Post)
		put    bool
		due    time.Duration // of the post's job after; 0: as before
	}{
		"due":             {func(*fixture, *schema.Post) {}, true, wait},
		"put off already": {func(f *fixture, p *schema.Post) { f.postpone(*p, 0, wait) }, false, 0},
		"claimed":         {func(f *fixture, p *schema.Post) { f.Claim(*p, 0) }, false, 0},
		"cancelled meanwhile": {func(f *fixture, p *schema.Post) {
			_, err := f.Gateway.Delete(f.Context(), f.Workspace, p.ID)
			f.Must(err)
		}, false, 0},
		"edited meanwhile": {func(f *fixture, p *schema.Post) {
			_, err := f.Update(*p, func(p *schema.Post) { p.ScheduledFor = f.Store.Now().Add(2 * time.Hour) })
			f.Must(err)
		}, false, 2 * time.Hour},
		"between two steps": {func(f *fixture, p *schema.Post) {
			f.Finish(f.Claim(*p, 0)[0], schema.Outcome{Err: &schema.Error{Kind: schema.RateLimited}})
			f.Exec(`update targets set next_at = now()`)
		}, true, wait},
		"looked for": {func(f *fixture, p *schema.Post) {
			f.Finish(f.Claim(*p, 0)[0], schema.Outcome{Err: &schema.Error{Kind: schema.Unknown}})
			f.Exec(`update targets set next_at = now()`)
		}, false, 5 * time.Second},
		"past its deadline": {func(f *fixture, _ *schema.Post) {
			f.Exec(`update posts set scheduled_for = now() - interval '` + (postgrestest.MaxLateness + time.Second).String() + `'`)
		}, false, 0},
		"close to its deadline": {func(f *fixture, _ *schema.Post) {
			f.Exec(`update posts set scheduled_for = now() - interval '` + (postgrestest.MaxLateness - left).String() + `'`)
		}, true, left + time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			p := f.Create(f.Post(1, 0))
			since := f.Store.Now()
			tt.before(f, &p)
			before := f.latestJob()
			if got := f.postpone(p, 0, wait); got != tt.put {
				t.Errorf("put off: %t, want %t", got, tt.put)
			}
			if after := f.latestJob(); tt.due > 0 {
				f.WantDue(after, since, tt.due, tt.due)
			} else if !after.Equal(before) {
				t.Errorf("the job is due at %v, want it at %v as before", after, before)
			}
			if name == "due" && f.Status(p) != schema.Scheduled {
				t.Errorf("the post is %s, and cannot be edited though nothing was called", f.Status(p))
			}
			if claimed := f.Claim(p, 0); tt.put && len(claimed) > 0 {
				t.Error("it was claimed before its time")
			}
		})
	}
}

// A wait that a user may notice stands in the timeline with its reason, whether or not the target was
// claimed before: it may last until the deadline.
func TestALongWaitIsTold(t *testing.T) {
	f := newFixture(t)
	_, err := f.Comment.Postpone(t.Context(), []schema.CommentID{f.NewFirstComment()}, []time.Duration{time.Hour})
	f.Must(err)
	f.Exec(`update comments set next_at = now()`)
	commented := f.ClaimComment().Ref.Post
	if put, err := f.Comment.Postpone(t.Context(), []schema.CommentID{f.NewReply()}, []time.Duration{time.Hour}); err != nil || len(put) != 1 {
		t.Errorf("of a reply, which has no timeline, %d are put off, %v", len(put), err)
	}
	p := f.Create(f.Post(2, 0))
	f.postpone(p, 0, 10*time.Second)
	f.postpone(p, 1, time.Hour)
	f.wantWait(map[schema.PostID]schema.Attempt{p.ID: {N: 1, Comment: schema.NoComment}, commented: {N: 0, Comment: 0}})
}

func TestALongWaitInMemoryIsTold(t *testing.T) {
	f := newFixture(t)
	f.Must(f.Comment.RecordWaits(t.Context(), []schema.CommentID{f.NewFirstComment()}, []time.Duration{time.Hour}))
	commented := f.ClaimComment().Ref.Post
	p, claimed := f.Create(f.Post(2, 0)), f.Create(f.Post(1, 0))
	f.Claim(claimed, 0)
	refs := []schema.TargetRef{{Post: p.ID, N: 1, Version: p.Version}, {Post: claimed.ID, Version: claimed.Version}}
	f.Must(f.Publish.RecordWaits(t.Context(), refs, []time.Duration{time.Hour, time.Hour}))
	if _, attempts, err := f.Gateway.Attempts(t.Context(), f.Workspace, claimed.ID); err != nil || len(attempts) > 0 {
		t.Errorf("of a target that does not wait is told %+v, %v", attempts, err)
	}
	f.wantWait(map[schema.PostID]schema.Attempt{p.ID: {N: 1, Comment: schema.NoComment}, commented: {N: 0, Comment: 0}})
}

// wantWait wants that each post's timeline tells of one wait of an hour, and nothing else.
func (f *fixture) wantWait(waits map[schema.PostID]schema.Attempt) {
	f.Helper()
	for post, want := range waits {
		_, attempts, err := f.Gateway.Attempts(f.Context(), f.Workspace, post)
		f.Must(err)
		if len(attempts) != 1 || attempts[0].Kind != schema.AttemptDeferred || attempts[0].N != want.N || attempts[0].Comment != want.Comment ||
			attempts[0].Code != "platform_rate_limited" || attempts[0].Message == "" || time.Until(attempts[0].NextAt) < 59*time.Minute {
			f.Errorf("told is %+v", attempts)
		}
	}
}

func TestAPostWaitsForTheFirstOfItsTargets(t *testing.T) {
	f := newFixture(t)
	p := f.Create(f.Post(2, 0))
	since := f.Store.Now()
	f.postpone(p, 0, 10*time.Minute)
	f.WantDue(f.latestJob(), since, schema.VisibilityTimeout, schema.VisibilityTimeout) // the other target's message may be lost
	since = f.Store.Now()
	f.postpone(p, 1, 5*time.Minute)
	f.WantDue(f.latestJob(), since, 5*time.Minute, 5*time.Minute)
}

// A gateway that is killed between a commit and its announcement has a post wait no longer than this.
func TestWhatIsDueAtOnceFiresSoonEvenUnannounced(t *testing.T) {
	f := newFixture(t)
	soon := func(what string) {
		t.Helper()
		jobs := f.Jobs()
		if len(jobs) != 1 || jobs[0].DueAt.Sub(f.Store.Now()) > schema.AnnounceTimeout+time.Second {
			t.Errorf("jobs of a post that is %s are %+v, want one within %v", what, jobs, schema.AnnounceTimeout)
		}
	}
	p := f.Create(f.Post(1, 0))
	soon("created")
	f.Finish(f.Claim(p, 0)[0], schema.Outcome{Err: &schema.Error{Kind: schema.Invalid, Message: "no"}})
	if _, err := f.Gateway.Retry(t.Context(), f.Workspace, p.ID, schema.Retry{}); err != nil {
		t.Fatal(err)
	}
	soon("retried")
}

func (f *fixture) postpone(p schema.Post, n int16, wait time.Duration) bool {
	f.Helper()
	ref := schema.TargetRef{Post: p.ID, N: n, Version: p.Version}
	postponed, err := f.Publish.Postpone(f.Context(), []schema.TargetRef{ref}, []time.Duration{wait})
	f.Must(err)
	return slices.Contains(postponed, ref)
}

func TestAFirstCommentIsPutOff(t *testing.T) {
	f := newFixture(t)
	const wait = 10 * time.Minute
	id := f.NewFirstComment()
	since := f.Store.Now()
	for i, want := range []int{1, 0} {
		postponed, err := f.Comment.Postpone(t.Context(), []schema.CommentID{id}, []time.Duration{wait})
		f.Must(err)
		if len(postponed) != want {
			t.Errorf("time %d: %d were put off, want %d", i, len(postponed), want)
		}
	}
	claimed, err := f.Comment.Claim(t.Context(), []schema.CommentID{id})
	f.Must(err)
	if len(claimed) > 0 {
		t.Error("it was claimed before its time")
	}
	f.WantDue(f.latestJob(), since, wait, wait)
}

// TestTurnsOfAnAppAreLeasedOnce races processes for an app's turns: none is given twice,
// and none is closer to the one before than the spacing, except the burst.
func TestTurnsOfAnAppAreLeasedOnce(t *testing.T) {
	const spacing, n, burst = 10 * time.Millisecond, 3, 4
	f := newFixture(t)
	var began time.Time // by the clock that turns are counted by, which the store's is only near to
	f.Must(f.Store.Pool.QueryRow(t.Context(), `select clock_timestamp()`).Scan(&began))
	var mu sync.Mutex
	var firsts []time.Time
	denied := 0
	var processes sync.WaitGroup
	for range 4 {
		processes.Go(func() {
			for range 20 {
				first, granted, err := f.Store.LeaseTurns(f.Context(), schema.TurnLease{Name: "app", N: n, Burst: burst, Spacing: spacing, Within: 300 * time.Millisecond})
				mu.Lock()
				switch {
				case err != nil:
					t.Error(err)
				case granted:
					firsts = append(firsts, first)
				default:
					denied++
				}
				mu.Unlock()
			}
		})
	}
	processes.Wait()
	slices.SortFunc(firsts, time.Time.Compare)
	for i := 1; i < len(firsts); i++ {
		if gap := firsts[i].Sub(firsts[i-1]); gap < n*spacing {
			t.Errorf("a lease of %d turns begins %v after the one before", n, gap)
		}
	}
	if early := began.Sub(firsts[0]); early > (burst-1)*spacing {
		t.Errorf("the first turn is %v back, want the burst's at most", early)
	}
	if denied == 0 {
		t.Error("turns were leased for any time ahead")
	}
}

// TestTurnsOfManyAppsAreLeasedTogether: bots are apps, and each is limited by itself.
func TestTurnsOfManyAppsAreLeasedTogether(t *testing.T) {
	const apps, spacing, n, burst = 50, 10 * time.Second, 5, 3
	f := newFixture(t)
	for lease, want := range []struct {
		back    time.Duration // of the first turn, from now
		granted bool
	}{
		{(burst - 1) * spacing, true},
		{(burst - 1 - n) * spacing, true},
		{(burst - 1 - 2*n) * spacing, false},
	} {
		before := f.Store.Now()
		var asking sync.WaitGroup
		for app := range apps {
			asking.Go(func() {
				first, granted, err := f.Store.LeaseTurns(f.Context(), schema.TurnLease{Name: fmt.Sprint("app", app), N: n, Burst: burst, Spacing: spacing, Within: 4 * spacing})
				if err != nil || granted != want.granted {
					t.Errorf("lease %d of app %d = %t, %v; want %t", lease, app, granted, err, want.granted)
				}
				if back := before.Sub(first); (back - want.back).Abs() > spacing/2 {
					t.Errorf("lease %d of app %d begins %v back, want %v", lease, app, back, want.back)
				}
			})
		}
		asking.Wait()
	}
}

// TestAQuotaIsSpentOnce races processes for what is left of a day: all of it is spent, and
// nothing more.
func TestAQuotaIsSpentOnce(t *testing.T) {
	f := newFixture(t)
	day := time.Date(2026, 3, 4, 0, 0, 0, 0, time.FixedZone("", -8*3600))
	of := func(day time.Time, cost int) schema.QuotaCost {
		return schema.QuotaCost{Name: "units", Day: day, Cost: cost, Max: 100}
	}
	spend := func(q schema.QuotaCost) bool {
		spent, err := f.Store.SpendQuota(f.Context(), q)
		if err != nil {
			t.Error(err)
		}
		return spent
	}
	var spent atomic.Int64
	var processes sync.WaitGroup
	for range 4 {
		processes.Go(func() {
			for range 20 {
				if spend(of(day, 3)) {
					spent.Add(3)
				}
			}
		})
	}
	processes.Wait()
	if got := spent.Load(); got != 99 {
		t.Errorf("%d were spent of 100", got)
	}
	if !spend(of(day, 1)) || spend(of(day, 1)) {
		t.Error("the last one is not spent once")
	}
	next := day.AddDate(0, 0, 1)
	if spend(of(next, 101)) || !spend(of(next, 100)) {
		t.Error("the next day is not another")
	}
	next = day.AddDate(0, 0, 9)
	if err := f.Store.ExhaustQuota(f.Context(), of(next, 1)); err != nil {
		t.Fatal(err)
	}
	if spend(of(next, 1)) {
		t.Error("a day is spent of which nothing is left")
	}
	if days := f.Count(`select count(*) from app_quotas`); days != 1 {
		t.Errorf("%d days are kept", days)
	}
}

func TestAPostOfWhichOnlyWhatWaitsIsAskedForStaysEditable(t *testing.T) {
	f := newFixture(t)
	p := f.Create(f.Post(2, 0))
	if !f.postpone(p, 0, time.Hour) || !f.postpone(p, 1, 2*time.Hour) {
		t.Fatal("not postponed")
	}
	if n := len(f.Claim(p, 1)); n != 0 || f.Status(p) != schema.Scheduled {
		t.Fatalf("%d claimed, the post is %s", n, f.Status(p))
	}
	cancelled, err := f.Gateway.Delete(t.Context(), f.Workspace, p.ID)
	if err != nil || !cancelled {
		t.Errorf("cancelled %t, %v", cancelled, err)
	}
}
