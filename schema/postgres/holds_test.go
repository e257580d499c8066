package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/postgres/operation"
)

func TestWhatIsPausedIsHeldVisibleAndGoesOn(t *testing.T) {
	for name, pause := range map[string]func(*fixture) schema.Hold{
		"a workspace": func(f *fixture) schema.Hold {
			return schema.Hold{Kind: schema.WorkspacePaused, Workspace: f.workspace}
		},
		"an account": func(f *fixture) schema.Hold {
			return schema.Hold{Kind: schema.AccountPaused, Account: f.accounts[0]}
		},
		"a platform": func(*fixture) schema.Hold {
			return schema.Hold{Kind: schema.PlatformPaused, Platform: schema.Mastodon}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			admin := postgres.NewAdmin(f.store)
			p := f.create(f.post(1, 0))
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
				if d := f.claim(p, 0); len(d) != 0 {
					t.Fatal("a paused target was claimed")
				}
			}
			got := f.read(p)
			if h := got.Targets[0].Hold; h == nil || h.Kind != hold.Kind || h.Reason != hold.Reason {
				t.Errorf("the target shows the hold %+v, want %+v", h, hold)
			}
			job := f.jobs()[0]
			if in := job.DueAt.Sub(p.ScheduledFor); in < maxLateness || in > maxLateness+10*time.Second {
				t.Errorf("the job is due %v after the post, want it at the deadline", in)
			}
			if overdue := f.overdue(); overdue != (schema.Overdue{Waiting: 1, Held: 1}) {
				t.Errorf("overdue = %+v, want one that is held, and so has no age", overdue)
			}
			if err := admin.Resume(t.Context(), hold); err != nil {
				t.Fatal(err)
			}
			if in := f.jobs()[0].DueAt.Sub(f.store.Now()); in > 0 {
				t.Errorf("the job is due in %v after the pause, want it at once", in)
			}
			if overdue := f.overdue(); overdue.Held != 0 || overdue.Waiting != 1 || overdue.Oldest == 0 {
				t.Errorf("overdue = %+v, want one that is not held", overdue)
			}
			f.finish(f.claimOne(p, 0), found("n0"))
			if got := f.read(p); got.Status != schema.Posted || got.Targets[0].Hold != nil {
				t.Errorf("the post is %v, its target %+v", got.Status, got.Targets[0])
			}
			wantKind(t, admin.Resume(t.Context(), hold), schema.NotFound)
		})
	}
}

func (f *fixture) overdue() schema.Overdue {
	f.Helper()
	var shards []int16
	for i := range schema.Shards {
		shards = append(shards, int16(i))
	}
	o, err := f.delay.Overdue(f.Context(), shards)
	if err != nil {
		f.Fatal(err)
	}
	return o
}

func TestTheOldestIsOfWhatIsNotHeld(t *testing.T) {
	f := newFixture(t)
	p := f.create(f.post(1, 0))
	hold := schema.Hold{Kind: schema.AccountPaused, Account: f.accounts[0]}
	f.pause(hold)
	if d := f.claim(p, 0); len(d) != 0 {
		t.Fatal("a paused target was claimed")
	}
	f.exec(`update posts set scheduled_for = scheduled_for - interval '1 hour'`)
	f.exec(`update jobs set overdue_since = overdue_since - interval '1 hour', due_at = now() - interval '1 hour'`)
	if o := f.overdue(); o.Oldest != 0 || o.Held != 1 {
		t.Errorf("overdue = %+v, want one that is held, and nothing else", o)
	}

	f.exec(`
		insert into jobs (id, kind, shard, due_at, payload, held, overdue_since)
		select uuidv7(), 2, i % 256, now() + interval '1 day', '{}', true, now() - interval '2 hours' from generate_series(1, 10_001) i`)
	limited := f.post(1, 0)
	limited.Targets[0].Account = f.accounts[1]
	f.create(limited)
	f.finish(f.claimOne(limited, 0), schema.Outcome{Err: &schema.Error{Kind: schema.RateLimited, RetryAfter: time.Hour}})
	f.exec(`update posts set scheduled_for = now() - interval '10 minutes' where id = '` + uuidText(limited.ID) + `'`)
	if o := f.overdue(); o.Oldest < 10*time.Minute || o.Oldest > 11*time.Minute || o.Waiting != o.Held+1 {
		t.Errorf("overdue = %+v, want the age of the one that waits for its limit behind what is held", o)
	}

	if err := postgres.NewAdmin(f.store).Resume(t.Context(), hold); err != nil {
		t.Fatal(err)
	}
	if o := f.overdue(); o.Oldest < 2*time.Hour || o.Held != 0 {
		t.Errorf("overdue = %+v, want the age of the oldest that was resumed", o)
	}
}

// parked inserts jobs as a pause leaves them, the youngest first; nothing holds them.
func (f *fixture) parked(n int) {
	f.Helper()
	f.exec(fmt.Sprintf(`
		insert into jobs (id, kind, shard, due_at, payload, held, overdue_since)
		select uuidv7(), 1, i %% 256, now() + interval '1 day', '{}', true, now() - i / 2 * interval '1 second' from generate_series(1, %d) i`, n))
}

func TestAResumeGoesOnAfterItsProcessDied(t *testing.T) {
	f := newFixture(t)
	paused := f.create(f.post(1, 0))
	f.pause(schema.Hold{Kind: schema.AccountPaused, Account: f.accounts[0]})
	f.claim(paused, 0)
	f.parked(3500)
	f.pause(schema.Hold{Kind: schema.PlatformPaused, Platform: schema.Telegram})
	f.must(postgres.LiftAndDie(t.Context(), f.store, schema.Hold{Kind: schema.PlatformPaused, Platform: schema.Telegram}))

	late, err := postgres.ResumeLate(t.Context(), f.store, func() {
		n, more, err := f.delay.Resume(t.Context()) // by a process that dies, too
		if err != nil || !more || n != 1000 {
			t.Fatalf("the first chunk resumed %d, more %t, %v", n, more, err)
		}
	})
	if err != nil || late != 1000 {
		t.Fatalf("the second chunk resumed %d, %v", late, err)
	}
	another := postgres.NewDelay(f.anotherProcess())
	if rest := f.chore(another.Resume); rest != 1500 {
		t.Errorf("another process resumed %d, want the other 1500", rest)
	}
	if n := f.count(`select count(*) from jobs where held and id = '` + uuidText(paused.ID) + `'`); n != 1 {
		t.Error("what another pause is on was resumed")
	}
	if n := f.count(`select count(*) from (
		select overdue_since < lag(overdue_since) over (order by due_at, id) wrong, due_at > now() late, due_at = lag(due_at) over (order by due_at, id) tie
		from jobs where not held
	) resumed where wrong or late or tie`); n != 0 {
		t.Errorf("%d jobs are not due in the order of their times", n)
	}
	if n := f.count(`select count(*) from resumes`); n != 0 {
		t.Errorf("%d resumes go on", n)
	}
}

func TestWhatIsResumedStillWaitsForItsPlatform(t *testing.T) {
	f := newFixture(t)
	p := f.create(f.post(1, 0))
	asked := f.store.Now()
	f.finish(f.claimOne(p, 0), schema.Outcome{Err: &schema.Error{Kind: schema.RateLimited, RetryAfter: 20 * time.Minute}})
	hold := schema.Hold{Kind: schema.AccountPaused, Account: f.accounts[0]}
	f.pause(hold)
	f.claim(p, 0)
	const parked = `select count(*) from jobs where held`
	if f.count(parked) != 1 {
		t.Fatal("the post is not parked")
	}
	f.must(postgres.NewAdmin(f.store).Resume(t.Context(), hold))
	if f.count(parked) != 0 {
		t.Fatal("the post is still parked")
	}
	f.wantDue(f.jobs()[0].DueAt, asked, 20*time.Minute, 20*time.Minute) // once its platform takes it
}

func TestAPauseHoldsOnlyWhatItNames(t *testing.T) {
	f := newFixture(t)
	p := f.create(f.post(2, 0))
	f.pause(schema.Hold{Kind: schema.AccountPaused, Account: f.accounts[0]})
	if d := f.claim(p, 0); len(d) != 0 {
		t.Fatal("a paused target was claimed")
	}
	f.finish(f.claimOne(p, 1), found("n1"))
	if got := f.read(p); got.Targets[0].Hold == nil || got.Targets[1].State != schema.TargetPosted || got.Status != schema.Processing {
		t.Errorf("the post is %v: %+v", got.Status, got.Targets)
	}
}

func (f *fixture) pause(h schema.Hold) {
	f.Helper()
	if err := postgres.NewAdmin(f.store).Pause(f.Context(), h); err != nil {
		f.Fatal(err)
	}
}

func TestAPausedPostCanBeCancelled(t *testing.T) {
	f := newFixture(t)
	p := f.create(f.post(1, 0))
	f.pause(schema.Hold{Kind: schema.PlatformPaused, Platform: schema.Mastodon})
	f.claim(p, 0)
	if got := f.status(p); got != schema.Scheduled {
		t.Fatalf("the post is %v, want it scheduled while all of it is paused", got)
	}
	if cancelled, err := f.gateway.Delete(t.Context(), f.workspace, p.ID); err != nil || !cancelled {
		t.Errorf("Delete = %t, %v", cancelled, err)
	}
}

func TestPausedWorkMissesItsDeadline(t *testing.T) {
	f := newFixture(t)
	p := f.post(1, 0)
	p.Content.FirstComments = []schema.FirstComment{{Target: 0, Text: "first"}}
	f.create(p)
	f.finish(f.claimOne(p, 0), found("n0"))
	other := f.create(f.post(1, 0))
	f.pause(schema.Hold{Kind: schema.WorkspacePaused, Workspace: f.workspace})
	if d := f.claim(other, 0); len(d) != 0 {
		t.Fatal("a paused target was claimed")
	}
	f.exec(`update posts set scheduled_for = scheduled_for - interval '25 hours'`)
	missed := f.claimOne(other, 0)
	if missed.Until = missed.DueAt.Add(maxLateness); !missed.TooLate(f.store.Now()) {
		t.Errorf("the delivery %+v may go out", missed)
	}
	if f.status(other) != schema.Processing {
		t.Error("the post that misses its deadline is not processing")
	}
	d, err := f.comment.Claim(t.Context(), []schema.CommentID{f.read(p).Targets[0].Comments[0].ID})
	if err != nil || len(d) != 0 {
		t.Fatalf("claimed %d paused comments, %v", len(d), err)
	}
	if n := f.count(`select count(*) from jobs where kind = 2 and held and due_at > now() + interval '23 hours'`); n != 1 {
		t.Errorf("%d parked jobs of comments, want one", n)
	}
}

func TestWhatIsOverdueIsHeldForReview(t *testing.T) {
	f := newFixture(t)
	admin := postgres.NewAdmin(f.store)
	released, cancelled, future := f.create(f.post(1, 0)), f.create(f.post(1, 0)), f.create(f.post(1, time.Hour))
	f.claimOne(cancelled, 0) // a call was in hand when the backup was made
	commented := f.post(1, 0)
	commented.Content.FirstComments = []schema.FirstComment{{Target: 0, Text: "first"}}
	f.create(commented)
	f.finish(f.claimOne(commented, 0), found("n0"))
	f.expire()
	held, err := f.store.HoldOverdue(t.Context())
	if err != nil || held != 3 {
		t.Fatalf("held %d, %v; want three", held, err)
	}
	for _, p := range []schema.Post{released, cancelled} {
		if d := f.claim(p, 0); len(d) != 0 {
			t.Fatalf("a post under review was claimed")
		}
	}
	f.exec(`update posts set scheduled_for = scheduled_for - interval '25 hours' where scheduled_for <= now()`)
	if d := f.claim(released, 0); len(d) != 0 {
		t.Fatal("a post under review was claimed after its deadline")
	}
	comment := f.read(commented).Targets[0].Comments[0].ID
	if d, err := f.comment.Claim(t.Context(), []schema.CommentID{comment}); err != nil || len(d) != 0 {
		t.Fatalf("claimed %d comments of a post under review, %v", len(d), err)
	}
	list, err := admin.Holds(t.Context())
	if err != nil || len(list) != 3 || list[0].Workspace != "acme" || list[0].Post.ID != list[0].Hold.Post {
		t.Fatalf("Holds = %+v, %v", list, err)
	}
	if h := f.read(future).Targets[0].Hold; h != nil {
		t.Errorf("a post of the future shows the hold %+v", h)
	}
	if n, kept, err := admin.Release(t.Context(), []schema.PostID{released.ID}, constraints); err != nil || n != 1 || len(kept) > 0 {
		t.Fatalf("released %d, kept %v, %v", n, kept, err)
	}
	if d := f.claimOne(released, 0); f.store.Now().Sub(d.DueAt) > time.Minute {
		t.Errorf("a released post is due %v, want it from now on", d.DueAt)
	}
	if n, err := admin.CancelReviewed(t.Context(), nil); err != nil || n != 2 {
		t.Fatalf("cancelled %d, %v", n, err)
	}
	if got := f.read(cancelled); got.Status != schema.Cancelled || got.Targets[0].State != schema.TargetCancelled {
		t.Errorf("the post is %v, its target %v", got.Status, got.Targets[0].State)
	}
	if got := f.read(commented); got.Status != schema.Posted || got.Targets[0].Comments[0].State != schema.CommentFailed {
		t.Errorf("the post is %v, its comment %v", got.Status, got.Targets[0].Comments[0].State)
	}
	if n := f.count(`select count(*) from jobs`); n != 2 {
		t.Errorf("%d jobs are left, want those of the released post and of the future one", n)
	}
}

func TestAWaitCountsAsOverdue(t *testing.T) {
	f := newFixture(t)
	p := f.create(f.post(1, 0))
	if o := f.overdue(); o.Waiting != 0 || o.Oldest != 0 {
		t.Fatalf("overdue = %+v of a post on its way", o)
	}
	f.finish(f.claimOne(p, 0), schema.Outcome{Err: &schema.Error{Kind: schema.RateLimited, RetryAfter: time.Hour}})
	f.exec(`update posts set scheduled_for = scheduled_for - interval '10 minutes'`)
	if o := f.overdue(); o.Waiting != 1 || o.Oldest < 10*time.Minute || o.Oldest > 11*time.Minute {
		t.Errorf("overdue = %+v, want the post that waits for its limit since ten minutes", o)
	}
	f.wake()
	f.finish(f.claimOne(p, 0), found("n0"))
	if o := f.overdue(); o.Waiting != 0 || o.Oldest != 0 {
		t.Errorf("overdue = %+v after all is done", o)
	}
	fired := f.create(f.post(1, time.Second))
	for range 2 {
		if _, err := f.delay.Fired(t.Context(), f.jobs()); err != nil {
			t.Fatal(err)
		}
	}
	if o := f.overdue(); o.Waiting != 1 {
		t.Errorf("overdue = %+v, want the post whose job %v fired twice", o, fired.ID)
	}
}

func TestAPauseOfAWorkspaceCoversItsSandbox(t *testing.T) {
	f := newFixture(t)
	admin := postgres.NewAdmin(f.store)
	live, err := admin.MakeWorkspace(t.Context(), "beside it", "operator", false)
	if err != nil {
		t.Fatal(err)
	}
	f.exec(`update workspaces w set live_id = l.id, name = l.name from workspaces l where l.name = 'beside it' and w.name <> l.name`)
	p := f.create(f.post(1, 0))
	hold := schema.Hold{Kind: schema.WorkspacePaused, Workspace: live.ID, Reason: "invoice"}
	f.pause(hold)
	for range 2 { // the first claim finds out that something is paused
		if d := f.claim(p, 0); len(d) != 0 {
			t.Fatal("a target of a paused workspace's sandbox was claimed")
		}
	}
	if h := f.read(p).Targets[0].Hold; h == nil || h.Reason != hold.Reason {
		t.Errorf("the target shows the hold %+v", h)
	}
	if held, err := admin.Holds(t.Context()); err != nil || len(held) != 1 || held[0].Hold.Workspace != live.ID {
		t.Errorf("Holds = %+v, %v; want the pause of the workspace alone", held, err)
	}
	if err := admin.Resume(t.Context(), hold); err != nil {
		t.Fatal(err)
	}
	f.finish(f.claimOne(p, 0), found("n0"))
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
			admin := postgres.NewAdmin(f.store)
			live, err := admin.MakeWorkspace(t.Context(), "paused", "operator", false)
			if err != nil {
				t.Fatal(err)
			}
			hold := schema.Hold{Kind: schema.WorkspacePaused, Workspace: live.ID, Reason: "invoice"}
			f.pause(hold)
			if _, err := make(admin, live); err != nil {
				t.Fatal(err)
			}
			if n := f.count(`select count(*) from holds h join workspaces w on w.id = h.subject and w.live_id is not null where h.reason = 'invoice'`); n != 1 {
				t.Errorf("%d pauses of the sandbox, want one", n)
			}
			if err := admin.Resume(t.Context(), hold); err != nil {
				t.Fatal(err)
			}
			if n := f.count(`select count(*) from holds`); n != 0 {
				t.Errorf("%d pauses are left", n)
			}
		})
	}
}
