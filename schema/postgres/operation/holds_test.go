package operation_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/postgres/internal/tables"
	"crier/schema/postgres/operation"
	"crier/schema/postgres/postgrestest"
)

func TestWhatIsPausedIsHeldVisibleAndGoesOn(t *testing.T) {
	for name, pause := range map[string]func(*fixture) schema.Hold{
		"a workspace": func(f *fixture) schema.Hold {
			return schema.Hold{Kind: schema.WorkspacePaused, Workspace: f.Workspace}
		},
		"an account": func(f *fixture) schema.Hold {
			return schema.Hold{Kind: schema.AccountPaused, Account: f.Accounts[0]}
		},
		"a platform": func(*fixture) schema.Hold {
			return schema.Hold{Kind: schema.PlatformPaused, Platform: schema.Mastodon}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			admin := postgres.NewAdmin(f.Store)
			p := f.Create(f.Post(1, 0))
			hold := pause(f)
			hold.Reason = "the operator said so"
			again := hold // without a reason it keeps the first
			again.Reason = ""
			for _, h := range []schema.Hold{hold, again} {
				if err := admin.Pause(t.Context(), h); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 { // the first claim finds out that something is paused
				if d := f.Claim(p, 0); len(d) != 0 {
					t.Fatal("a paused target was claimed")
				}
			}
			got := f.Read(p)
			if h := got.Targets[0].Hold; h == nil || h.Kind != hold.Kind || h.Reason != hold.Reason {
				t.Errorf("the target shows the hold %+v, want %+v", h, hold)
			}
			if told := f.Attempts(p); len(told) != 1 || told[0].Kind != schema.AttemptDeferred || told[0].N != 0 || told[0].Comment != schema.NoComment ||
				told[0].Code != hold.Kind.String() || told[0].Message != "the operator has paused the "+strings.Fields(name)[1]+": the operator said so" {
				t.Errorf("the timeline says %+v, want the pause once", told)
			}
			job := f.Jobs()[0]
			if in := job.DueAt.Sub(p.ScheduledFor); in < postgrestest.MaxLateness || in > postgrestest.MaxLateness+10*time.Second {
				t.Errorf("the job is due %v after the post, want it at the deadline", in)
			}
			if overdue := f.Overdue(); overdue != (schema.Overdue{Waiting: 1, Held: 1}) {
				t.Errorf("overdue = %+v, want one that is held, and so has no age", overdue)
			}
			if err := admin.Resume(t.Context(), hold); err != nil {
				t.Fatal(err)
			}
			if in := f.Jobs()[0].DueAt.Sub(f.Store.Now()); in > 0 {
				t.Errorf("the job is due in %v after the pause, want it at once", in)
			}
			if overdue := f.Overdue(); overdue.Held != 0 || overdue.Waiting != 1 || overdue.Oldest == 0 {
				t.Errorf("overdue = %+v, want one that is not held", overdue)
			}
			f.Finish(f.MustClaim(p, 0), postgrestest.Found("n0"))
			if got := f.Read(p); got.Status != schema.Posted || got.Targets[0].Hold != nil {
				t.Errorf("the post is %v, its target %+v", got.Status, got.Targets[0])
			}
			postgrestest.WantKind(t, admin.Resume(t.Context(), hold), schema.NotFound)
		})
	}
}

func TestAPostTellsThatItsFirstCommentWaitsForAPause(t *testing.T) {
	f := newFixture(t)
	id := f.NewFirstComment()
	f.pause(schema.Hold{Kind: schema.AccountPaused, Account: f.Accounts[0]})
	for range 2 {
		if d, err := f.Comment.Claim(t.Context(), []schema.CommentID{id}); err != nil || len(d) != 0 {
			t.Fatalf("claimed %+v, %v", d, err)
		}
	}
	if n := f.Count(`select count(*) from attempts where comment = 0 and code = 'account_paused' and message = 'the operator has paused the account'`); n != 1 {
		t.Errorf("%d lines tell of it, want one", n)
	}
}

func TestTheOldestIsOfWhatIsNotHeld(t *testing.T) {
	f := newFixture(t)
	p := f.Create(f.Post(1, 0))
	hold := schema.Hold{Kind: schema.AccountPaused, Account: f.Accounts[0]}
	f.pause(hold)
	if d := f.Claim(p, 0); len(d) != 0 {
		t.Fatal("a paused target was claimed")
	}
	f.Exec(`update posts set scheduled_for = scheduled_for - interval '1 hour'`)
	f.Exec(`update jobs set overdue_since = overdue_since - interval '1 hour', due_at = now() - interval '1 hour'`)
	if o := f.Overdue(); o.Oldest != 0 || o.Held != 1 {
		t.Errorf("overdue = %+v, want one that is held, and nothing else", o)
	}

	f.Exec(`
		insert into jobs (id, kind, shard, due_at, payload, held, overdue_since)
		select uuidv7(), 2, i % 256, now() + interval '1 day', '{}', true, now() - interval '2 hours' from generate_series(1, 10_001) i`)
	limited := f.Post(1, 0)
	limited.Targets[0].Account = f.Accounts[1]
	f.Create(limited)
	f.Finish(f.MustClaim(limited, 0), schema.Outcome{Err: &schema.Error{Kind: schema.RateLimited, RetryAfter: time.Hour}})
	f.Exec(`update posts set scheduled_for = now() - interval '10 minutes' where id = '` + postgrestest.UUIDText(limited.ID) + `'`)
	if o := f.Overdue(); o.Oldest < 10*time.Minute || o.Oldest > 11*time.Minute || o.Waiting != o.Held+1 {
		t.Errorf("overdue = %+v, want the age of the one that waits for its limit behind what is held", o)
	}

	if err := postgres.NewAdmin(f.Store).Resume(t.Context(), hold); err != nil {
		t.Fatal(err)
	}
	if o := f.Overdue(); o.Oldest < 2*time.Hour || o.Held != 0 {
		t.Errorf("overdue = %+v, want the age of the oldest that was resumed", o)
	}
}

// parked inserts jobs as a pause leaves them, the youngest first; nothing holds them.
func (f *fixture) parked(n int) {
	f.Helper()
	f.Exec(fmt.Sprintf(`
		insert into jobs (id, kind, shard, due_at, payload, held, overdue_since)
		select uuidv7(), 1, i %% 256, now() + interval '1 day', '{}', true, now() - i / 2 * interval '1 second' from generate_series(1, %d) i`, n))
}

// liftAndDie lifts a pause as a process does that dies before it has resumed anything.
func liftAndDie(ctx context.Context, pool *pgxpool.Pool, h schema.Hold) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `delete from holds where kind = $1 and platform = $2`, int16(h.Kind), int16(h.Platform)); err != nil {
			return err
		}
		_, err := tables.BeginResume(ctx, tx)
		return err
	})
}

// resumeLate resumes a chunk in a transaction that begins before another has resumed one.
func resumeLate(ctx context.Context, pool *pgxpool.Pool, another func()) (resumed int, err error) {
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select now()`); err != nil {
			return err
		}
		another()
		resumed, _, err = tables.GoOnResuming(ctx, tx, nil)
		return err
	})
	return resumed, err
}

func TestAResumeGoesOnAfterItsProcessDied(t *testing.T) {
	f := newFixture(t)
	paused := f.Create(f.Post(1, 0))
	f.pause(schema.Hold{Kind: schema.AccountPaused, Account: f.Accounts[0]})
	f.Claim(paused, 0)
	f.parked(3500)
	f.pause(schema.Hold{Kind: schema.PlatformPaused, Platform: schema.Telegram})
	f.Must(liftAndDie(t.Context(), f.Store.Pool, schema.Hold{Kind: schema.PlatformPaused, Platform: schema.Telegram}))

	late, err := resumeLate(t.Context(), f.Store.Pool, func() {
		n, more, err := f.Delay.Resume(t.Context()) // by a process that dies, too
		if err != nil || !more || n != 1000 {
			t.Fatalf("the first chunk resumed %d, more %t, %v", n, more, err)
		}
	})
	if err != nil || late != 1000 {
		t.Fatalf("the second chunk resumed %d, %v", late, err)
	}
	another := postgres.NewDelay(f.OpenProcess())
	if rest := f.RunChore(another.Resume); rest != 1500 {
		t.Errorf("another process resumed %d, want the other 1500", rest)
	}
	if n := f.Count(`select count(*) from jobs where held and id = '` + postgrestest.UUIDText(paused.ID) + `'`); n != 1 {
		t.Error("what another pause is on was resumed")
	}
	if n := f.Count(`select count(*) from (
		select overdue_since < lag(overdue_since) over (order by due_at, id) wrong, due_at > now() late, due_at = lag(due_at) over (order by due_at, id) tie
		from jobs where not held
	) resumed where wrong or late or tie`); n != 0 {
		t.Errorf("%d jobs are not due in the order of their times", n)
	}
	if n := f.Count(`select count(*) from resumes`); n != 0 {
		t.Errorf("%d resumes go on", n)
	}
}

func TestWhatIsResumedStillWaitsForItsPlatform(t *testing.T) {
	f := newFixture(t)
	p := f.Create(f.Post(1, 0))
	since := f.Store.Now()
	f.Finish(f.MustClaim(p, 0), schema.Outcome{Err: &schema.Error{Kind: schema.RateLimited, RetryAfter: 20 * time.Minute}})
	hold := schema.Hold{Kind: schema.AccountPaused, Account: f.Accounts[0]}
	f.pause(hold)
	f.Claim(p, 0)
	const parked = `select count(*) from jobs where held`
	if f.Count(parked) != 1 {
		t.Fatal("the post is not parked")
	}
	f.Must(postgres.NewAdmin(f.Store).Resume(t.Context(), hold))
	if f.Count(parked) != 0 {
		t.Fatal("the post is still parked")
	}
	f.WantDue(f.Jobs()[0].DueAt, since, 20*time.Minute, 20*time.Minute) // once its platform takes it
}

// TestAPauseHoldsOnlyWhatItNames has one of a post's accounts paused: whenever the claims find that out, the other target
// goes on, and the post is among what a resume makes due.
func TestAPauseHoldsOnlyWhatItNames(t *testing.T) {
	for name, claims := range map[string][]int16{"found before the other is claimed": {0, 1}, "found while the other is published": {1, 0}} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			p := f.Create(f.Post(2, 0))
			hold := schema.Hold{Kind: schema.AccountPaused, Account: f.Accounts[0]}
			f.pause(hold)
			var claimed []schema.Delivery
			for _, n := range claims {
				claimed = append(claimed, f.Claim(p, n)...)
			}
			if len(claimed) != 1 || claimed[0].Ref.N != 1 {
				t.Fatalf("claimed %+v, want the target whose account is not paused", claimed)
			}
			f.Finish(claimed[0], postgrestest.Found("n1"))
			if got := f.Read(p); got.Targets[0].Hold == nil || got.Targets[1].State != schema.TargetPosted || got.Status != schema.Processing {
				t.Errorf("the post is %v: %+v", got.Status, got.Targets)
			}
			f.Must(postgres.NewAdmin(f.Store).Resume(t.Context(), hold))
			if in := f.Jobs()[0].DueAt.Sub(f.Store.Now()); in > 0 {
				t.Errorf("the job is due in %v after the pause, want it at once", in)
			}
			f.Finish(f.MustClaim(p, 0), postgrestest.Found("n0"))
		})
	}
}

func (f *fixture) pause(h schema.Hold) {
	f.Helper()
	if err := postgres.NewAdmin(f.Store).Pause(f.Context(), h); err != nil {
		f.Fatal(err)
	}
}

func TestAPausedPostCanBeCancelled(t *testing.T) {
	f := newFixture(t)
	p := f.Create(f.Post(1, 0))
	f.pause(schema.Hold{Kind: schema.PlatformPaused, Platform: schema.Mastodon})
	f.Claim(p, 0)
	if got := f.Status(p); got != schema.Scheduled {
		t.Fatalf("the post is %v, want it scheduled while all of it is paused", got)
	}
	if cancelled, err := f.Gateway.Delete(t.Context(), f.Workspace, p.ID); err != nil || !cancelled {
		t.Errorf("Delete = %t, %v", cancelled, err)
	}
}

func TestPausedWorkMissesItsDeadline(t *testing.T) {
	f := newFixture(t)
	p := f.Post(1, 0)
	p.Content.FirstComments = []schema.FirstComment{{Target: 0, Text: "first"}}
	f.Create(p)
	f.Finish(f.MustClaim(p, 0), postgrestest.Found("n0"))
	other := f.Create(f.Post(1, 0))
	f.pause(schema.Hold{Kind: schema.WorkspacePaused, Workspace: f.Workspace})
	if d := f.Claim(other, 0); len(d) != 0 {
		t.Fatal("a paused target was claimed")
	}
	f.Exec(`update posts set scheduled_for = scheduled_for - interval '25 hours'`)
	missed := f.MustClaim(other, 0)
	if missed.Until = missed.DueAt.Add(postgrestest.MaxLateness); !missed.TooLate(f.Store.Now()) {
		t.Errorf("the delivery %+v may go out", missed)
	}
	if f.Status(other) != schema.Processing {
		t.Error("the post that misses its deadline is not processing")
	}
	d, err := f.Comment.Claim(t.Context(), []schema.CommentID{f.Read(p).Targets[0].Comments[0].ID})
	if err != nil || len(d) != 0 {
		t.Fatalf("claimed %d paused comments, %v", len(d), err)
	}
	if n := f.Count(`select count(*) from jobs where kind = 2 and held and due_at > now() + interval '23 hours'`); n != 1 {
		t.Errorf("%d parked jobs of comments, want one", n)
	}
}

func TestWhatIsOverdueIsHeldForReview(t *testing.T) {
	f := newFixture(t)
	admin := postgres.NewAdmin(f.Store)
	released, cancelled, future := f.Create(f.Post(1, 0)), f.Create(f.Post(1, 0)), f.Create(f.Post(1, time.Hour))
	f.MustClaim(cancelled, 0) // a call was in hand when the backup was made
	commented := f.Post(1, 0)
	commented.Content.FirstComments = []schema.FirstComment{{Target: 0, Text: "first"}}
	f.Create(commented)
	f.Finish(f.MustClaim(commented, 0), postgrestest.Found("n0"))
	f.ExpireLeases()
	held, err := f.Store.HoldOverdue(t.Context())
	if err != nil || held != 3 {
		t.Fatalf("held %d, %v; want three", held, err)
	}
	for _, p := range []schema.Post{released, cancelled} {
		if d := f.Claim(p, 0); len(d) != 0 {
			t.Fatalf("a post under review was claimed")
		}
	}
	f.Exec(`update posts set scheduled_for = scheduled_for - interval '25 hours' where scheduled_for <= now()`)
	if d := f.Claim(released, 0); len(d) != 0 {
		t.Fatal("a post under review was claimed after its deadline")
	}
	comment := f.Read(commented).Targets[0].Comments[0].ID
	if d, err := f.Comment.Claim(t.Context(), []schema.CommentID{comment}); err != nil || len(d) != 0 {
		t.Fatalf("claimed %d comments of a post under review, %v", len(d), err)
	}
	list, err := admin.Holds(t.Context())
	if err != nil || len(list) != 3 || list[0].Workspace != "acme" || list[0].Post.ID != list[0].Hold.Post {
		t.Fatalf("Holds = %+v, %v", list, err)
	}
	if h := f.Read(future).Targets[0].Hold; h != nil {
		t.Errorf("a post of the future shows the hold %+v", h)
	}
	if n, unreleased, err := admin.Release(t.Context(), []schema.PostID{released.ID}, postgrestest.Constraints); err != nil || n != 1 || len(unreleased) > 0 {
		t.Fatalf("released %d, kept %v, %v", n, unreleased, err)
	}
	if d := f.MustClaim(released, 0); f.Store.Now().Sub(d.DueAt) > time.Minute {
		t.Errorf("a released post is due %v, want it from now on", d.DueAt)
	}
	if n, err := admin.CancelReviewed(t.Context(), nil); err != nil || n != 2 {
		t.Fatalf("cancelled %d, %v", n, err)
	}
	if got := f.Read(cancelled); got.Status != schema.Cancelled || got.Targets[0].State != schema.TargetCancelled {
		t.Errorf("the post is %v, its target %v", got.Status, got.Targets[0].State)
	}
	if got := f.Read(commented); got.Status != schema.Posted || got.Targets[0].Comments[0].State != schema.CommentFailed {
		t.Errorf("the post is %v, its comment %v", got.Status, got.Targets[0].Comments[0].State)
	}
	if n := f.Count(`select count(*) from jobs`); n != 2 {
		t.Errorf("%d jobs are left, want those of the released post and of the future one", n)
	}
}

func TestAWaitCountsAsOverdue(t *testing.T) {
	f := newFixture(t)
	p := f.Create(f.Post(1, 0))
	if o := f.Overdue(); o.Waiting != 0 || o.Oldest != 0 {
		t.Fatalf("overdue = %+v of a post on its way", o)
	}
	f.Finish(f.MustClaim(p, 0), schema.Outcome{Err: &schema.Error{Kind: schema.RateLimited, RetryAfter: time.Hour}})
	f.Exec(`update posts set scheduled_for = scheduled_for - interval '10 minutes'`)
	if o := f.Overdue(); o.Waiting != 1 || o.Oldest < 10*time.Minute || o.Oldest > 11*time.Minute {
		t.Errorf("overdue = %+v, want the post that waits for its limit since ten minutes", o)
	}
	f.EndWaits()
	f.Finish(f.MustClaim(p, 0), postgrestest.Found("n0"))
	if o := f.Overdue(); o.Waiting != 0 || o.Oldest != 0 {
		t.Errorf("overdue = %+v after all is done", o)
	}
	fired := f.Create(f.Post(1, time.Second))
	for range 2 {
		if _, err := f.Delay.Fired(t.Context(), f.Jobs()); err != nil {
			t.Fatal(err)
		}
	}
	if o := f.Overdue(); o.Waiting != 1 {
		t.Errorf("overdue = %+v, want the post whose job %v fired twice", o, fired.ID)
	}
}

func TestAPauseOfAWorkspaceCoversItsSandbox(t *testing.T) {
	f := newFixture(t)
	admin := postgres.NewAdmin(f.Store)
	live, err := admin.MakeWorkspace(t.Context(), "beside it", "operator", false)
	if err != nil {
		t.Fatal(err)
	}
	f.Exec(`update workspaces w set live_id = l.id, name = l.name from workspaces l where l.name = 'beside it' and w.name <> l.name`)
	p := f.Create(f.Post(1, 0))
	hold := schema.Hold{Kind: schema.WorkspacePaused, Workspace: live.ID, Reason: "invoice"}
	f.pause(hold)
	for range 2 { // the first claim finds out that something is paused
		if d := f.Claim(p, 0); len(d) != 0 {
			t.Fatal("a target of a paused workspace's sandbox was claimed")
		}
	}
	if h := f.Read(p).Targets[0].Hold; h == nil || h.Reason != hold.Reason {
		t.Errorf("the target shows the hold %+v", h)
	}
	if held, err := admin.Holds(t.Context()); err != nil || len(held) != 1 || held[0].Hold.Workspace != live.ID {
		t.Errorf("Holds = %+v, %v; want the pause of the workspace alone", held, err)
	}
	if err := admin.Resume(t.Context(), hold); err != nil {
		t.Fatal(err)
	}
	f.Finish(f.MustClaim(p, 0), postgrestest.Found("n0"))
}

func TestASandboxMadeDuringAPauseIsPaused(t *testing.T) {
	for name, make := range map[string]func(*operation.Admin, schema.Workspace) (schema.WorkspaceID, error){
		"by its name": func(a *operation.Admin, w schema.Workspace) (schema.WorkspaceID, error) {
			twin, err := a.MakeWorkspace(t.Context(), w.Name, "operator", true)
			return twin.ID, err
		},
		"for a key": func(a *operation.Admin, w schema.Workspace) (schema.WorkspaceID, error) {
			return a.Twin(t.Context(), w.ID)
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			admin := postgres.NewAdmin(f.Store)
			live, err := admin.MakeWorkspace(t.Context(), "paused", "operator", false)
			if err != nil {
				t.Fatal(err)
			}
			hold := schema.Hold{Kind: schema.WorkspacePaused, Workspace: live.ID, Reason: "invoice"}
			f.pause(hold)
			if _, err := make(admin, live); err != nil {
				t.Fatal(err)
			}
			if n := f.Count(`select count(*) from holds h join workspaces w on w.id = h.subject and w.live_id is not null where h.reason = 'invoice'`); n != 1 {
				t.Errorf("%d pauses of the sandbox, want one", n)
			}
			if err := admin.Resume(t.Context(), hold); err != nil {
				t.Fatal(err)
			}
			if n := f.Count(`select count(*) from holds`); n != 0 {
				t.Errorf("%d pauses are left", n)
			}
		})
	}
}
