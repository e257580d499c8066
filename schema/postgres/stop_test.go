package postgres_test

import (
	"encoding/json"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres"
)

func TestAClaimThatIsGivenBackGoesOnAtOnceInTheSameStep(t *testing.T) {
	for name, prepare := range map[string]bool{"an upload that was cut": true, "a call that was not made": false} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			p := f.Create(f.Post(1, 0))
			d := f.Claim(p, 0)[0]
			var progress json.RawMessage
			if prepare {
				f.Exec(`update targets set step = 0`)
				d.Step, progress = schema.StepPrepare, json.RawMessage(`{"sent":1}`)
			}
			f.Must(f.Publish.Finish(t.Context(), d.GiveBack(progress, f.Store.Now())))
			if in := f.latestJob().Sub(f.Store.Now()); in > time.Second {
				t.Errorf("its job is due in %v", in)
			}
			again := f.Claim(p, 0)
			if len(again) != 1 || again[0].Step != d.Step || again[0].Attempts != 0 || string(again[0].Progress) != string(progress) {
				t.Fatalf("claimed %+v, want the same step, without a try", again)
			}
			f.Must(f.Publish.Finish(t.Context(), d.GiveBack(nil, f.Store.Now()))) // it is another's by now
			if len(f.Claim(p, 0)) != 0 {
				t.Error("an old claim gave a new one back")
			}
		})
	}
}

func TestAFirstCommentThatIsGivenBackGoesOnAtOnce(t *testing.T) {
	f := newFixture(t)
	id := f.NewFirstComment()
	for i := range 2 {
		got, err := f.Comment.Claim(t.Context(), []schema.CommentID{id})
		if err != nil || len(got) != 1 || got[0].Step != schema.StepPublish || got[0].Attempts != 0 {
			t.Fatalf("claim %d: %+v, %v", i, got, err)
		}
		f.Must(f.Comment.Finish(t.Context(), got[0].GiveBack(nil, f.Store.Now()).OfComment(got[0])))
	}
	if in := f.latestJob().Sub(f.Store.Now()); in > time.Second {
		t.Errorf("its job is due in %v", in)
	}
}

func TestARenewalThatIsGivenBackIsAsBefore(t *testing.T) {
	for name, open := range map[string]bool{"a trade that was not made": false, "a check of an open trade": true} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			store := postgres.NewRefresh(f.Store)
			a := f.RenewableAccount(2 * time.Hour)
			f.Must(f.Store.AskRenewal(t.Context(), a))
			if open {
				f.FinishRenewal(store, f.ClaimRenewal(store, a), schema.RenewalOutcome{Err: &schema.Error{Kind: schema.Unknown, Message: "lost"}})
				f.MakeRenewalsDue()
			}
			for range 2 {
				r := f.ClaimRenewal(store, a)
				if r == nil || r.Trade == open || r.Open != open {
					t.Fatalf("renewal = %+v, want it as before the claim", r)
				}
				f.Must(store.Finish(t.Context(), r.GiveBack(f.Store.Now())))
			}
			if in := f.latestJob().Sub(f.Store.Now()); in > time.Second {
				t.Errorf("its job is due in %v", in)
			}
		})
	}
}

func TestJobsAreBroughtForward(t *testing.T) {
	f := newFixture(t)
	fired := f.Create(f.Post(1, 0))
	f.Create(f.Post(1, time.Hour)) // of no task in hand
	n, err := f.Store.BringForward(t.Context(), []schema.JobID{schema.JobID(fired.ID), {15: 1}})
	if err != nil || n != 1 {
		t.Errorf("brought %d forward, %v; want 1", n, err)
	}
	for _, j := range f.Jobs() {
		if due := !j.DueAt.After(f.Store.Now().Add(time.Second)); due != (j.ID == schema.JobID(fired.ID)) {
			t.Errorf("the job of %v is due at %v", j.ID, j.DueAt)
		}
	}
}
