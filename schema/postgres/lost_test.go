package postgres_test

import (
	"context"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/postgres/postgrestest"
	"crier/schema/secure/securetest"
)

func TestAClaimWhoseAnswerWasLostGoesOnAtOnce(t *testing.T) {
	overdue := `update targets set lease_until = now() - interval '6 seconds'`
	for name, tt := range map[string]struct {
		meanwhile func(f *fixture, other *postgres.Publish, ref schema.TargetRef)
		claimed   bool
		step      schema.Step
	}{
		"nothing happened":      {func(*fixture, *postgres.Publish, schema.TargetRef) {}, true, schema.StepPublish},
		"its lease is over":     {func(f *fixture, _ *postgres.Publish, _ schema.TargetRef) { f.Exec(overdue) }, true, schema.StepPublish},
		"the answer lost again": {func(f *fixture, _ *postgres.Publish, ref schema.TargetRef) { f.unheard(ref) }, true, schema.StepPublish},
		"a try that did not reach the database": {func(f *fixture, _ *postgres.Publish, ref schema.TargetRef) {
			ctx, cancel := context.WithCancel(f.Context())
			cancel()
			if _, err := f.Publish.Claim(ctx, []schema.TargetRef{ref}); err == nil {
				f.Error("a claim without time succeeded")
			}
		}, true, schema.StepPublish},
		"another process took it over": {func(f *fixture, other *postgres.Publish, ref schema.TargetRef) {
			f.Exec(overdue)
			if got, err := other.Claim(f.Context(), []schema.TargetRef{ref}); err != nil || len(got) != 1 || got[0].Step != schema.StepFind {
				f.Errorf("the other claimed %+v, %v; it has to look", got, err)
			}
		}, false, 0},
		"claimed and in hand": {func(f *fixture, _ *postgres.Publish, ref schema.TargetRef) {
			if got, err := f.Publish.Claim(f.Context(), []schema.TargetRef{ref}); err != nil || len(got) != 1 {
				f.Errorf("claimed %+v, %v", got, err)
			}
		}, false, 0},
		"claimed by an older crier": {func(f *fixture, _ *postgres.Publish, _ schema.TargetRef) {
			f.Exec(`update targets set token = null, lease_until = now() - interval '6 seconds'`)
		}, true, schema.StepFind},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			p := f.Create(f.Post(1, 0))
			ref := schema.TargetRef{Post: p.ID, Version: p.Version}
			f.unheard(ref)
			other := postgres.NewPublish(f.Store, postgrestest.Constraints)
			if got, err := other.Claim(t.Context(), []schema.TargetRef{ref}); err != nil || len(got) > 0 {
				t.Errorf("another process claimed %+v, %v before the lease was over", got, err)
			}
			tt.meanwhile(f, other, ref)
			got := f.Claim(p, 0)
			if claimed := len(got) == 1; claimed != tt.claimed {
				t.Fatalf("claimed %+v, want %t", got, tt.claimed)
			}
			if tt.claimed && got[0].Step != tt.step {
				t.Errorf("the step is %d, want %d", got[0].Step, tt.step)
			}
		})
	}
}

func (f *fixture) unheard(ref schema.TargetRef) {
	f.Helper()
	f.Must(f.Publish.ClaimUnheard(f.Context(), []schema.TargetRef{ref}))
}

func TestAFirstCommentWhoseClaimWasLostGoesOnAtOnce(t *testing.T) {
	f := newFixture(t)
	id := f.NewFirstComment()
	f.Must(f.Comment.ClaimUnheard(t.Context(), []schema.CommentID{id}))
	for i, want := range []int{1, 0} {
		got, err := f.Comment.Claim(t.Context(), []schema.CommentID{id})
		f.Must(err)
		if len(got) != want || want == 1 && got[0].Step != schema.StepPublish {
			t.Errorf("claim %d: %+v", i, got)
		}
	}
}

func TestADeliveryWhoseClaimWasLostGoesOnAtOnce(t *testing.T) {
	f := newFixture(t)
	ids := []schema.DeliveryID{f.NewDelivery().Delivery}
	f.Must(f.Notify.ClaimUnheard(t.Context(), ids))
	other := postgres.NewNotify(f.Store, securetest.PlainText{})
	if got, err := other.Claim(t.Context(), ids); err != nil || len(got) > 0 {
		t.Errorf("another process claimed %+v, %v before the lease was over", got, err)
	}
	for i, want := range []int{1, 0} {
		if got, err := f.Notify.Claim(t.Context(), ids); err != nil || len(got) != want {
			t.Errorf("claim %d: %+v, %v", i, got, err)
		}
	}
}

func TestARenewalWhoseClaimWasLostGoesOnAtOnce(t *testing.T) {
	for name, tt := range map[string]struct {
		before func(f *fixture, store *postgres.Refresh, a schema.Account)
		trade  bool
	}{
		"a trade": {func(*fixture, *postgres.Refresh, schema.Account) {}, true},
		"a check of what an open trade came to": {func(f *fixture, store *postgres.Refresh, a schema.Account) {
			f.FinishRenewal(store, f.ClaimRenewal(store, a), schema.RenewalOutcome{Err: &schema.Error{Kind: schema.Unknown, Message: "lost"}})
			f.MakeRenewalsDue()
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			store, other := postgres.NewRefresh(f.Store), postgres.NewRefresh(f.Store)
			a := f.RenewableAccount(2 * time.Hour)
			f.Must(f.Store.AskRenewal(t.Context(), a))
			tt.before(f, store, a)
			for range 2 {
				f.Must(store.ClaimUnheard(t.Context(), a))
			}
			if r := f.ClaimRenewal(other, a); r != nil {
				t.Errorf("another process claimed %+v before the lease was over", r)
			}
			r := f.ClaimRenewal(store, a)
			if r == nil || r.Trade != tt.trade || r.Open == tt.trade {
				t.Fatalf("renewal = %+v, want it as before the claim", r)
			}
			if f.ClaimRenewal(store, a) != nil {
				t.Error("it was claimed while it is in hand")
			}
		})
	}
}
