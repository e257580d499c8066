package postgres_test

import (
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres"
)

func TestARefusedTokenIsTradedOnce(t *testing.T) {
	f := newFixture(t)
	store := postgres.NewRefresh(f.Store)
	a := f.RenewableAccount(2 * time.Hour)
	if f.ClaimRenewal(store, a) != nil {
		t.Fatal("a token far from its expiry was claimed")
	}
	for range 2 {
		if err := f.Store.AskRenewal(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	r := f.ClaimRenewal(store, a)
	if r == nil || !r.Trade || r.Open || !f.Account(a.ID).Renewing {
		t.Fatalf("renewal = %+v", r)
	}
	if f.ClaimRenewal(store, a) != nil {
		t.Fatal("a renewal was claimed twice")
	}
	f.FinishRenewal(store, r, schema.RenewalOutcome{Sealed: []byte("new"), ExpiresAt: f.Store.Now().Add(2 * time.Hour), Renewable: true})
	got := f.Account(a.ID)
	if string(got.Sealed) != "new" || got.Revision != a.Revision+1 || got.Renewing || got.NeedsReconnect {
		t.Fatalf("account = %+v", got)
	}
	if err := f.Store.AskRenewal(t.Context(), a); err != nil { // who still has the old token
		t.Fatal(err)
	}
	if f.ClaimRenewal(store, a) != nil {
		t.Fatal("the refusal of an older token traded the new one")
	}
	f.MakeRenewalsDue()
	f.FinishRenewal(store, f.ClaimRenewal(store, a), schema.RenewalOutcome{Err: &schema.Error{Kind: schema.Unknown, Message: "lost"}})
	for _, message := range []string{`{"limits":{"text":300}}`, ""} { // a check that brings nothing leaves what there is
		f.MakeRenewalsDue()
		f.FinishRenewal(store, f.ClaimRenewal(store, a), schema.RenewalOutcome{Settings: []byte(message)})
		if got := f.Account(a.ID); string(got.Settings) != `{"limits":{"text":300}}` {
			t.Fatalf("settings after a check that brought %q: %s", message, got.Settings)
		}
	}
}

// What may say nothing of the credentials is checked, also where they could be traded, until a check settles it.
func TestADoubtfulRefusalIsCheckedNotTraded(t *testing.T) {
	f := newFixture(t)
	store := postgres.NewRefresh(f.Store)
	a := f.RenewableAccount(2 * time.Hour)
	for _, ask := range []func() error{
		func() error { return f.Store.AskCheck(t.Context(), a) },
		func() error { return f.Store.AskRenewal(t.Context(), a) }, // somebody has asked before
	} {
		if err := ask(); err != nil {
			t.Fatal(err)
		}
	}
	for _, kind := range []schema.ErrorKind{schema.Retryable, schema.RateLimited} {
		r := f.ClaimRenewal(store, a)
		if r == nil || r.Trade || !r.Doubtful || !f.Account(a.ID).Renewing {
			t.Fatalf("renewal = %+v, want a check", r)
		}
		f.FinishRenewal(store, r, schema.RenewalOutcome{Err: &schema.Error{Kind: kind, Message: "an incident"}})
		f.MakeRenewalsDue()
	}
	f.FinishRenewal(store, f.ClaimRenewal(store, a), schema.RenewalOutcome{})
	if got := f.Account(a.ID); got.Renewing || got.Problem() != nil || got.MayRenew(f.Store.Now()) {
		t.Errorf("account %+v, want it found good", got)
	}
	f.MakeRenewalsDue()
	if r := f.ClaimRenewal(store, a); r == nil || !r.Trade || r.Doubtful {
		t.Errorf("the next renewal is %+v, want a trade", r)
	}
}

func TestATradeWhoseAnswerIsLostIsNotRepeatedBlindly(t *testing.T) {
	f := newFixture(t)
	store := postgres.NewRefresh(f.Store)
	a := f.RenewableAccount(2 * time.Hour)
	if err := f.Store.AskRenewal(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	f.FinishRenewal(store, f.ClaimRenewal(store, a), schema.RenewalOutcome{Err: &schema.Error{Kind: schema.Unknown, Message: "lost"}})
	f.MakeRenewalsDue()
	r := f.ClaimRenewal(store, a)
	if r == nil || r.Trade || !r.Open {
		t.Fatalf("renewal after a lost answer = %+v, want a check", r)
	}
	f.FinishRenewal(store, r, schema.RenewalOutcome{Err: &schema.Error{Kind: schema.TokenDead, Message: "expired"}})
	if got := f.Account(a.ID); got.NeedsReconnect {
		t.Fatal("an expired token with a refresh token is no end")
	}
	r = f.ClaimRenewal(store, a)
	if r == nil || !r.Trade {
		t.Fatalf("renewal once the old token is dead = %+v, want a trade", r)
	}
	f.FinishRenewal(store, r, schema.RenewalOutcome{Err: &schema.Error{Kind: schema.Retryable, Message: "no network"}})
	if got := f.Account(a.ID); got.NeedsReconnect || !got.Renewing {
		t.Fatalf("account after a network error = %+v", got)
	}
	f.MakeRenewalsDue()
	f.FinishRenewal(store, f.ClaimRenewal(store, a), schema.RenewalOutcome{Err: &schema.Error{Kind: schema.TokenDead, Message: "invalid_grant"}})
	if got := f.Account(a.ID); !got.NeedsReconnect || got.Renewing {
		t.Fatalf("account = %+v, want it to need its owner", got)
	}
	if f.ClaimRenewal(store, a) != nil || len(f.Jobs()) != 0 {
		t.Fatal("a dead account is still looked after")
	}
	batches := f.Events()
	if last := batches[len(batches)-1].Events[0]; last.Type != schema.AccountError || last.Account != a.ID {
		t.Fatalf("event = %+v", last)
	}
}

// A token that has longer to live than when it is traded is checked, for the limits of its account.
func TestLimitsAreReadWithoutATrade(t *testing.T) {
	f := newFixture(t)
	store := postgres.NewRefresh(f.Store)
	a := f.RenewableAccount(40 * 24 * time.Hour)
	f.MakeRenewalsDue()
	r := f.ClaimRenewal(store, a)
	if r == nil || r.Trade || r.Open || r.Doubtful {
		t.Fatalf("renewal = %+v, want a check", r)
	}
	f.FinishRenewal(store, r, schema.RenewalOutcome{Settings: []byte(`{"a":1}`)})
	if got := f.Account(a.ID); string(got.Settings) != `{"a":1}` {
		t.Errorf("settings = %s", got.Settings)
	}
	if r := f.ClaimRenewal(store, a); r != nil {
		t.Errorf("it is read again at once: %+v", r)
	}
	f.MakeRenewalsDue()
	f.FinishRenewal(store, f.ClaimRenewal(store, a), schema.RenewalOutcome{Err: &schema.Error{Kind: schema.TokenDead, Message: "expired"}})
	if r := f.ClaimRenewal(store, a); r == nil || !r.Trade {
		t.Errorf("once its token is dead = %+v, want a trade", r)
	}
}

func TestAProcessThatDiesInATradeLeavesACheck(t *testing.T) {
	f := newFixture(t)
	if taken, err := f.Store.TakeNode(t.Context(), [16]byte{1}); err != nil || !taken {
		t.Fatalf("taken %t, %v", taken, err)
	}
	store := postgres.NewRefresh(f.Store)
	a := f.RenewableAccount(time.Second) // half of its life is the earliest: due soon
	time.Sleep(600 * time.Millisecond)
	if r := f.ClaimRenewal(store, a); r == nil || !r.Trade {
		t.Fatalf("renewal = %+v, want a trade", r)
	}
	if err := f.Store.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	time.Sleep(schema.SettleTime + 100*time.Millisecond)
	r := f.ClaimRenewal(store, a)
	if r == nil || r.Trade || !r.Open {
		t.Fatalf("renewal after the process died = %+v, want a check", r)
	}
	stale := *r
	stale.Claim-- // of the life before, whose answer comes late
	stale.Trade = true
	f.FinishRenewal(store, &stale, schema.RenewalOutcome{Sealed: []byte("late"), ExpiresAt: f.Store.Now().Add(time.Hour), Renewable: true})
	if got := f.Account(a.ID); string(got.Sealed) != "late" {
		t.Fatalf("sealed = %q: credentials that nobody else has were thrown away", got.Sealed)
	}
}
