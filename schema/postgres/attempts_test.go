package postgres_test

import (
	"testing"
	"time"

	"crier/schema"
)

func (f *fixture) attempts(p schema.Post) []schema.Attempt {
	f.Helper()
	_, got, err := f.gateway.Attempts(f.Context(), f.workspace, p.ID)
	if err != nil {
		f.Fatal(err)
	}
	return got
}

func TestWhatIsNotPlainSuccessIsKept(t *testing.T) {
	f := newFixture(t)
	p := f.create(f.post(2, 0))
	f.finish(f.claim(p, 0)[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "1"}})
	if got := f.attempts(p); len(got) != 0 {
		t.Fatalf("plain success left %+v", got)
	}
	f.finish(f.claim(p, 1)[0], schema.Outcome{Err: &schema.Error{Kind: schema.RateLimited, Message: "slow down", RetryAfter: time.Hour}})
	f.exec(`update targets set next_at = now()`)
	f.finish(f.claim(p, 1)[0], schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}})
	got := f.attempts(p)
	if len(got) != 2 || got[0].Kind != schema.AttemptDeferred || got[0].Message != "slow down" || time.Until(got[0].NextAt) < 50*time.Minute ||
		got[1].Kind != schema.AttemptFailed || got[1].Code != "platform_refused" || got[1].N != 1 {
		t.Fatalf("attempts %+v", got)
	}
	if _, err := f.gateway.Retry(t.Context(), f.workspace, p.ID, schema.Retry{Delay: time.Minute}); err != nil {
		t.Fatal(err)
	}
	if got := f.attempts(p); len(got) != 3 || got[2].Kind != schema.AttemptRetried || got[2].N != schema.WholePost {
		t.Fatalf("after a retry %+v", got)
	}
}

func TestOfProcessingOnlyTheFirstLookIsKept(t *testing.T) {
	f := newFixture(t)
	p := f.post(1, 0)
	p.Targets[0].FirstStep = schema.StepPrepare
	f.create(p)
	for range 3 {
		f.finish(f.claim(p, 0)[0], schema.Outcome{Progress: schema.Progress{State: []byte(`{}`), RetryIn: time.Second}})
		f.exec(`update targets set next_at = now()`)
	}
	if got := f.attempts(p); len(got) != 1 || got[0].Kind != schema.AttemptProcessing {
		t.Fatalf("attempts %+v, want processing once", got)
	}
}

func TestTheNewestAttemptsOfAPostAreKeptForAWhile(t *testing.T) {
	f := newFixture(t)
	p, other := f.create(f.post(1, 0)), f.create(f.post(1, 0))
	f.exec(`insert into attempts (post_id, at, kind, n) select '` + uuidText(p.ID) + `', now() - i * interval '1 second', 6, 0 from generate_series(1, 250) i`)
	f.exec(`insert into attempts (post_id, at, kind, n) values ('` + uuidText(other.ID) + `', now() - interval '91 days', 6, 0)`)
	f.finish(f.claim(p, 0)[0], schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}})
	got := f.attempts(p)
	if len(got) != schema.MaxAttempts || got[len(got)-1].Kind != schema.AttemptFailed {
		t.Fatalf("%d attempts, the last %+v", len(got), got[len(got)-1])
	}
	if len(f.attempts(other)) != 1 {
		t.Fatal("another post's attempts were trimmed")
	}
	f.chore(f.delay.ForgetAttempts)
	if len(f.attempts(other)) != 0 || len(f.attempts(p)) != schema.MaxAttempts {
		t.Error("what is old was not forgotten, or what is not was")
	}
}

func TestADraftTakesItsAttemptsWithIt(t *testing.T) {
	f := newFixture(t)
	p := f.post(1, time.Hour)
	p.Status = schema.Draft
	f.create(p)
	if _, err := f.gateway.Update(t.Context(), f.workspace, p.ID, func(*schema.Post) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if len(f.attempts(p)) != 1 {
		t.Fatal("an edit is not told")
	}
	if _, err := f.gateway.Delete(t.Context(), f.workspace, p.ID); err != nil {
		t.Fatal(err)
	}
	if n := f.count(`select count(*) from attempts`); n != 0 {
		t.Errorf("%d attempts are left of a post that is gone", n)
	}
}

func TestAFailedCommentIsToldOfItsPost(t *testing.T) {
	f := newFixture(t)
	p := f.post(1, 0)
	p.Content.FirstComments = []schema.FirstComment{{Text: "first"}, {Text: "second"}}
	f.create(p)
	f.finish(f.claim(p, 0)[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "1"}})
	var ids []schema.CommentID
	for _, j := range f.jobs() {
		ids = append(ids, schema.CommentID(j.ID))
	}
	claimed, err := f.comment.Claim(t.Context(), ids)
	if err != nil || len(claimed) != 2 {
		t.Fatalf("claimed %d, %v", len(claimed), err)
	}
	for _, d := range claimed {
		r := d.After(schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}}, f.store.Now(), 0).OfComment(d)
		if err := f.comment.Finish(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	got := f.attempts(p)
	if len(got) != 2 || got[0].Comment+got[1].Comment != 1 || got[0].Kind != schema.AttemptFailed {
		t.Errorf("attempts %+v, want the failure of both comments", got)
	}
}

func TestACommentWhoseClaimWasLostTellsNothing(t *testing.T) {
	f := newFixture(t)
	p := f.post(1, 0)
	p.Content.FirstComments = []schema.FirstComment{{Text: "first"}}
	f.create(p)
	f.finish(f.claim(p, 0)[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "1"}})
	lost := f.claimComment()
	f.expire()
	held := f.claimComment()
	refused := schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}}
	f.finishComment(lost, refused)
	if got := f.attempts(p); len(got) != 0 {
		t.Errorf("attempts %+v, want none of the lost claim", got)
	}
	f.finishComment(held, refused)
	if got := f.attempts(p); len(got) != 1 {
		t.Errorf("attempts %+v, want one of the claim that held", got)
	}
}
