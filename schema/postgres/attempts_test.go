package postgres_test

import (
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres/postgrestest"
)

func TestWhatIsNotPlainSuccessIsKept(t *testing.T) {
	f := newFixture(t)
	p := f.Create(f.Post(2, 0))
	f.Finish(f.Claim(p, 0)[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "1"}})
	if got := f.Attempts(p); len(got) != 0 {
		t.Fatalf("plain success left %+v", got)
	}
	f.Finish(f.Claim(p, 1)[0], schema.Outcome{Err: &schema.Error{Kind: schema.RateLimited, Message: "slow down", RetryAfter: time.Hour}})
	f.Exec(`update targets set next_at = now()`)
	f.Finish(f.Claim(p, 1)[0], schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}})
	got := f.Attempts(p)
	if len(got) != 2 || got[0].Kind != schema.AttemptDeferred || got[0].Message != "slow down" || time.Until(got[0].NextAt) < 50*time.Minute ||
		got[1].Kind != schema.AttemptFailed || got[1].Code != "platform_refused" || got[1].N != 1 {
		t.Fatalf("attempts %+v", got)
	}
	if _, err := f.Gateway.Retry(t.Context(), f.Workspace, p.ID, schema.Retry{Delay: time.Minute}); err != nil {
		t.Fatal(err)
	}
	if got := f.Attempts(p); len(got) != 3 || got[2].Kind != schema.AttemptRetried || got[2].N != schema.WholePost {
		t.Fatalf("after a retry %+v", got)
	}
}

func TestOfProcessingOnlyTheFirstLookIsKept(t *testing.T) {
	f := newFixture(t)
	p := f.Post(1, 0)
	p.Targets[0].FirstStep = schema.StepPrepare
	f.Create(p)
	for range 3 {
		f.Finish(f.Claim(p, 0)[0], schema.Outcome{Progress: schema.Progress{State: []byte(`{}`), RetryIn: time.Second}})
		f.Exec(`update targets set next_at = now()`)
	}
	if got := f.Attempts(p); len(got) != 1 || got[0].Kind != schema.AttemptProcessing {
		t.Fatalf("attempts %+v, want processing once", got)
	}
}

func TestTheNewestAttemptsOfAPostAreKeptForAWhile(t *testing.T) {
	f := newFixture(t)
	p, other := f.Create(f.Post(1, 0)), f.Create(f.Post(1, 0))
	f.Exec(`insert into attempts (post_id, at, kind, n) select '` + postgrestest.UUIDText(p.ID) + `', now() - i * interval '1 second', 6, 0 from generate_series(1, 250) i`)
	f.Exec(`insert into attempts (post_id, at, kind, n) values ('` + postgrestest.UUIDText(other.ID) + `', now() - interval '91 days', 6, 0)`)
	f.Finish(f.Claim(p, 0)[0], schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}})
	got := f.Attempts(p)
	if len(got) != schema.MaxAttempts || got[len(got)-1].Kind != schema.AttemptFailed {
		t.Fatalf("%d attempts, the last %+v", len(got), got[len(got)-1])
	}
	if len(f.Attempts(other)) != 1 {
		t.Fatal("another post's attempts were trimmed")
	}
	f.RunChore(f.Delay.ForgetAttempts)
	if len(f.Attempts(other)) != 0 || len(f.Attempts(p)) != schema.MaxAttempts {
		t.Error("what is old was not forgotten, or what is not was")
	}
}

func TestADraftTakesItsAttemptsWithIt(t *testing.T) {
	f := newFixture(t)
	p := f.Post(1, time.Hour)
	p.Status = schema.Draft
	f.Create(p)
	if _, err := f.Gateway.Update(t.Context(), f.Workspace, p.ID, func(*schema.Post, schema.QueueReader) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if len(f.Attempts(p)) != 1 {
		t.Fatal("an edit is not told")
	}
	if _, err := f.Gateway.Delete(t.Context(), f.Workspace, p.ID); err != nil {
		t.Fatal(err)
	}
	if n := f.Count(`select count(*) from attempts`); n != 0 {
		t.Errorf("%d attempts are left of a post that is gone", n)
	}
}

func TestAFailedCommentIsToldOfItsPost(t *testing.T) {
	f := newFixture(t)
	p := f.Post(1, 0)
	p.Content.FirstComments = []schema.FirstComment{{Text: "first"}, {Text: "second"}}
	f.Create(p)
	f.Finish(f.Claim(p, 0)[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "1"}})
	var ids []schema.CommentID
	for _, j := range f.Jobs() {
		ids = append(ids, schema.CommentID(j.ID))
	}
	claimed, err := f.Comment.Claim(t.Context(), ids)
	if err != nil || len(claimed) != 2 {
		t.Fatalf("claimed %d, %v", len(claimed), err)
	}
	for _, d := range claimed {
		r := d.After(schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}}, f.Store.Now(), 0).OfComment(d)
		if err := f.Comment.Finish(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	got := f.Attempts(p)
	if len(got) != 2 || got[0].Comment+got[1].Comment != 1 || got[0].Kind != schema.AttemptFailed {
		t.Errorf("attempts %+v, want the failure of both comments", got)
	}
}

func TestACommentWhoseClaimWasLostTellsNothing(t *testing.T) {
	f := newFixture(t)
	p := f.Post(1, 0)
	p.Content.FirstComments = []schema.FirstComment{{Text: "first"}}
	f.Create(p)
	f.Finish(f.Claim(p, 0)[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "1"}})
	lost := f.ClaimComment()
	f.ExpireLeases()
	held := f.ClaimComment()
	refused := schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}}
	f.FinishComment(lost, refused)
	if got := f.Attempts(p); len(got) != 0 {
		t.Errorf("attempts %+v, want none of the lost claim", got)
	}
	f.FinishComment(held, refused)
	if got := f.Attempts(p); len(got) != 1 {
		t.Errorf("attempts %+v, want one of the claim that held", got)
	}
}
