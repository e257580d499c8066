package postgres_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
)

func TestAPostEndsWithItsLastTarget(t *testing.T) {
	f := newFixture(t)
	p := f.Create(f.Post(2, 0))
	if jobs := f.Jobs(); len(jobs) != 1 || jobs[0].ID != schema.JobID(p.ID) {
		t.Fatalf("jobs = %v, want the post's", jobs)
	}
	first := f.Claim(p, 0)
	if len(first) != 1 || f.Status(p) != schema.Processing {
		t.Fatalf("claimed %d, status %v", len(first), f.Status(p))
	}
	if again := f.Claim(p, 0); len(again) != 0 {
		t.Fatal("a leased target was claimed again")
	}
	f.Finish(first[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "n0", URL: "https://x/0"}})
	if got := f.Status(p); got != schema.Processing || len(f.Jobs()) != 1 {
		t.Fatalf("status %v, %d jobs: the second target is open", got, len(f.Jobs()))
	}
	f.Finish(f.Claim(p, 1)[0], schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}})
	if got := f.Status(p); got != schema.PartiallyFailed {
		t.Fatalf("status = %v, want partially_failed", got)
	}
	if jobs := f.Jobs(); len(jobs) != 0 {
		t.Fatalf("%d jobs are left of a post that is done", len(jobs))
	}
	var types []schema.EventType
	for _, b := range f.Events() {
		for _, e := range b.Events {
			types = append(types, e.Type)
		}
	}
	want := []schema.EventType{schema.PostScheduled, schema.TargetWasPosted, schema.TargetHasFailed, schema.PostPublished}
	if fmt.Sprint(types) != fmt.Sprint(want) {
		t.Errorf("events = %v, want %v", types, want)
	}
}

func TestAnOpenClaimIsLookedFor(t *testing.T) {
	f := newFixture(t)
	p := f.Create(f.Post(1, 0))
	f.Claim(p, 0)
	f.Exec(`update targets set lease_until = now() - interval '6 seconds'`)
	d := f.Claim(p, 0)
	if len(d) != 1 || d[0].Step != schema.StepFind || d[0].Since.IsZero() {
		t.Fatalf("claimed %+v, want a look for the open call", d)
	}
	late := d[0]
	late.Claim = 1
	if err := f.Publish.Finish(t.Context(), late.After(schema.Outcome{Err: &schema.Error{Kind: schema.Refused}}, f.Store.Now(), 0)); err != nil {
		t.Fatal(err)
	}
	if f.Status(p) != schema.Processing {
		t.Error("the result of an older claim was taken")
	}
}

func TestAWaitingTargetIsNotClaimedBeforeItsTime(t *testing.T) {
	f := newFixture(t)
	p := f.Create(f.Post(1, 0))
	d := f.Claim(p, 0)[0]
	const wait = 10 * time.Minute
	since := f.Store.Now()
	f.Finish(d, schema.Outcome{Err: &schema.Error{Kind: schema.RateLimited, RetryAfter: wait}})
	if d := f.Claim(p, 0); len(d) != 0 {
		t.Fatal("claimed before its time")
	}
	f.WantDue(f.Jobs()[0].DueAt, since, wait, wait)
	f.Exec(`update targets set next_at = now()`)
	if d := f.Claim(p, 0); len(d) != 1 || d[0].Attempts != 0 {
		t.Fatalf("claimed %+v, want it at no cost of a try", d)
	}
}

func TestFirstCommentsFollowTheirTarget(t *testing.T) {
	f := newFixture(t)
	p := f.Post(1, 0)
	p.Content.FirstComments = []schema.FirstComment{{Target: 0, Text: "first"}}
	f.Create(p)
	since := f.Store.Now()
	f.Finish(f.Claim(p, 0)[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "n0"}})
	jobs := f.Jobs()
	if len(jobs) != 1 || jobs[0].Kind != schema.JobComment {
		t.Fatalf("jobs = %+v, want the comment's", jobs)
	}
	f.WantDue(jobs[0].DueAt, since, schema.FirstCommentDelay, schema.FirstCommentDelay)
	id := schema.CommentID(jobs[0].ID)
	claimed, err := f.Comment.Claim(t.Context(), []schema.CommentID{id})
	if err != nil || len(claimed) != 1 || claimed[0].Comment.Text != "first" || claimed[0].Receipt(0) == nil {
		t.Fatalf("claimed %+v, %v", claimed, err)
	}
	r := claimed[0].After(schema.Outcome{Receipt: schema.Receipt{NativeID: "c0", URL: "https://x/c"}}, f.Store.Now(), 0).OfComment(claimed[0])
	if err := f.Comment.Finish(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	got, err := f.Gateway.Post(t.Context(), f.Workspace, p.ID)
	if err != nil || len(got.Targets[0].Comments) != 1 || got.Targets[0].Comments[0].NativeID != "c0" || len(f.Jobs()) != 0 {
		t.Fatalf("post %+v, %v, %d jobs", got, err, len(f.Jobs()))
	}
}

func TestFiredJobsFireAgain(t *testing.T) {
	f := newFixture(t)
	f.Create(f.Post(1, time.Second))
	jobs := f.Jobs()
	since := f.Store.Now()
	if _, err := f.Delay.Fired(t.Context(), jobs); err != nil {
		t.Fatal(err)
	}
	moved := f.Jobs()
	f.WantDue(moved[0].DueAt, since, schema.VisibilityTimeout, schema.VisibilityTimeout)
	if _, err := f.Delay.Fired(t.Context(), jobs); err != nil {
		t.Fatal(err)
	}
	if again := f.Jobs(); !again[0].DueAt.Equal(moved[0].DueAt) {
		t.Error("a job that was moved meanwhile was moved again")
	}
}

// A call may end before its job is moved on. What another target of the post waits for is not put off by that.
func TestAResultBeforeItsJobIsMovedOnPutsNothingOff(t *testing.T) {
	f := newFixture(t)
	p := f.Create(f.Post(2, 0))
	f.Finish(f.Claim(p, 1)[0], schema.Outcome{Err: &schema.Error{Kind: schema.RateLimited, RetryAfter: 10 * time.Second}})
	f.Exec(`update jobs set due_at = now()`) // of the first target
	firing, since := f.Jobs(), f.Store.Now()
	f.Finish(f.Claim(p, 0)[0], schema.Outcome{Err: &schema.Error{Kind: schema.Refused}})
	if _, err := f.Delay.Fired(t.Context(), firing); err != nil {
		t.Fatal(err)
	}
	f.WantDue(f.Jobs()[0].DueAt, since, 0, 15*time.Second)
}

// What fires waits for nobody who holds jobs: they may want those that it holds.
func TestFiringWaitsForNobody(t *testing.T) {
	f := newFixture(t)
	for range 2 {
		f.Create(f.Post(1, time.Second))
	}
	jobs := f.Jobs()
	slices.SortFunc(jobs, func(a, b schema.Job) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	conn, err := pgx.Connect(t.Context(), f.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range jobs { // the later one first
		if i == 1 {
			fired, err := f.Delay.Fired(t.Context(), jobs) // one that waits fails once lock_timeout is over
			if err != nil || len(fired) != 1 || fired[0].ID != jobs[0].ID {
				t.Errorf("fired = %v, %v; want the first alone", fired, err)
			}
		}
		if _, err := tx.Exec(t.Context(), `update jobs set due_at = now() where id = $1`, jobs[1-i].ID); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestADeliveryThatWaitsFiresLessOften(t *testing.T) {
	f := newFixture(t)
	f.Create(f.Post(1, time.Second))
	f.Exec(fmt.Sprintf(`update jobs set kind = %d, fires = 9`, schema.JobNotify))
	since := f.Store.Now()
	if _, err := f.Delay.Fired(t.Context(), f.Jobs()); err != nil {
		t.Fatal(err)
	}
	f.WantDue(f.Jobs()[0].DueAt, since, 4*time.Minute, 6*time.Minute)
}
