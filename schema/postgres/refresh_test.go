package postgres_test

import (
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres"
)

// renewable connects an account whose token crier can renew and which expires in some
// time.
func (f *fixture) renewable(in time.Duration) schema.Account {
	f.Helper()
	return f.renewableOf("did:plc:a", in)
}

func (f *fixture) renewableOf(nativeID string, in time.Duration) schema.Account {
	f.Helper()
	connected, err := f.gateway.Connect(f.Context(), f.workspace, []schema.Connection{{
		Account:   schema.Account{Platform: schema.Bluesky, NativeID: nativeID, Name: "a"},
		ExpiresAt: f.store.Now().Add(in), Renewable: true,
		Seal: func(schema.Account) ([]byte, bool, error) { return []byte("old"), true, nil },
	}})
	if err != nil {
		f.Fatal(err)
	}
	return connected[0].Account
}

func (f *fixture) account(id schema.AccountID) schema.Account {
	f.Helper()
	a, err := f.gateway.Account(f.Context(), f.workspace, id)
	if err != nil {
		f.Fatal(err)
	}
	return a
}

// renewal claims the renewal of an account; nil where there is nothing to claim.
func (f *fixture) renewal(store *postgres.Refresh, a schema.Account) *schema.Renewal {
	f.Helper()
	claimed, err := store.Claim(f.Context(), []schema.RefreshMessage{{Workspace: f.workspace, Account: a.ID}})
	if err != nil {
		f.Fatal(err)
	}
	if len(claimed) == 0 {
		return nil
	}
	return &claimed[0]
}

func (f *fixture) settle(store *postgres.Refresh, r *schema.Renewal, o schema.RenewalOutcome) {
	f.Helper()
	if err := store.Finish(f.Context(), r.After(o, f.store.Now(), 0)); err != nil {
		f.Fatal(err)
	}
}

func TestARefusedTokenIsTradedOnce(t *testing.T) {
	f := newFixture(t)
	store := postgres.NewRefresh(f.store)
	a := f.renewable(2 * time.Hour)
	if f.renewal(store, a) != nil {
		t.Fatal("a token far from its expiry was claimed")
	}
	for range 2 {
		if err := f.store.AskRenewal(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	r := f.renewal(store, a)
	if r == nil || !r.Trade || r.Open || !f.account(a.ID).Renewing {
		t.Fatalf("renewal = %+v", r)
	}
	if f.renewal(store, a) != nil {
		t.Fatal("a renewal was claimed twice")
	}
	f.settle(store, r, schema.RenewalOutcome{Sealed: []byte("new"), ExpiresAt: f.store.Now().Add(2 * time.Hour), Renewable: true})
	got := f.account(a.ID)
	if string(got.Sealed) != "new" || got.Revision != a.Revision+1 || got.Renewing || got.NeedsReconnect {
		t.Fatalf("account = %+v", got)
	}
	if err := f.store.AskRenewal(t.Context(), a); err != nil { // who still has the old token
		t.Fatal(err)
	}
	if f.renewal(store, a) != nil {
		t.Fatal("the refusal of an older token traded the new one")
	}
	f.hasten()
	f.settle(store, f.renewal(store, a), schema.RenewalOutcome{Err: &schema.Error{Kind: schema.Unknown, Message: "lost"}})
	for _, said := range []string{`{"limits":{"text":300}}`, ""} { // a check that brings nothing leaves what there is
		f.hasten()
		f.settle(store, f.renewal(store, a), schema.RenewalOutcome{Settings: []byte(said)})
		if got := f.account(a.ID); string(got.Settings) != `{"limits":{"text":300}}` {
			t.Fatalf("settings after a check that brought %q: %s", said, got.Settings)
		}
	}
}

// What may say nothing of the credentials is checked, also where they could be traded, until a check settles it.
func TestADoubtfulRefusalIsCheckedNotTraded(t *testing.T) {
	f := newFixture(t)
	store := postgres.NewRefresh(f.store)
	a := f.renewable(2 * time.Hour)
	for _, ask := range []func() error{
		func() error { return f.store.AskCheck(t.Context(), a) },
		func() error { return f.store.AskRenewal(t.Context(), a) }, // somebody has asked before
	} {
		if err := ask(); err != nil {
			t.Fatal(err)
		}
	}
	for _, kind := range []schema.ErrorKind{schema.Retryable, schema.RateLimited} {
		r := f.renewal(store, a)
		if r == nil || r.Trade || !r.Doubtful || !f.account(a.ID).Renewing {
			t.Fatalf("renewal = %+v, want a check", r)
		}
		f.settle(store, r, schema.RenewalOutcome{Err: &schema.Error{Kind: kind, Message: "an incident"}})
		f.hasten()
	}
	f.settle(store, f.renewal(store, a), schema.RenewalOutcome{})
	if got := f.account(a.ID); got.Renewing || got.Problem() != nil || got.MayRenew(f.store.Now()) {
		t.Errorf("account %+v, want it found good", got)
	}
	f.hasten()
	if r := f.renewal(store, a); r == nil || !r.Trade || r.Doubtful {
		t.Errorf("the next renewal is %+v, want a trade", r)
	}
}

func TestATradeWhoseAnswerIsLostIsNotRepeatedBlindly(t *testing.T) {
	f := newFixture(t)
	store := postgres.NewRefresh(f.store)
	a := f.renewable(2 * time.Hour)
	if err := f.store.AskRenewal(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	f.settle(store, f.renewal(store, a), schema.RenewalOutcome{Err: &schema.Error{Kind: schema.Unknown, Message: "lost"}})
	f.hasten()
	r := f.renewal(store, a)
	if r == nil || r.Trade || !r.Open {
		t.Fatalf("renewal after a lost answer = %+v, want a check", r)
	}
	f.settle(store, r, schema.RenewalOutcome{Err: &schema.Error{Kind: schema.TokenDead, Message: "expired"}})
	if got := f.account(a.ID); got.NeedsReconnect {
		t.Fatal("an expired token with a refresh token is no end")
	}
	r = f.renewal(store, a)
	if r == nil || !r.Trade {
		t.Fatalf("renewal once the old token is dead = %+v, want a trade", r)
	}
	f.settle(store, r, schema.RenewalOutcome{Err: &schema.Error{Kind: schema.Retryable, Message: "no network"}})
	if got := f.account(a.ID); got.NeedsReconnect || !got.Renewing {
		t.Fatalf("account after a network error = %+v", got)
	}
	f.hasten()
	f.settle(store, f.renewal(store, a), schema.RenewalOutcome{Err: &schema.Error{Kind: schema.TokenDead, Message: "invalid_grant"}})
	if got := f.account(a.ID); !got.NeedsReconnect || got.Renewing {
		t.Fatalf("account = %+v, want it to need its owner", got)
	}
	if f.renewal(store, a) != nil || len(f.jobs()) != 0 {
		t.Fatal("a dead account is still looked after")
	}
	batches := f.events()
	if last := batches[len(batches)-1].Events[0]; last.Type != schema.AccountError || last.Account != a.ID {
		t.Fatalf("event = %+v", last)
	}
}

// A token that has longer to live than when it is traded is checked, for the limits of its account.
func TestLimitsAreReadWithoutATrade(t *testing.T) {
	f := newFixture(t)
	store := postgres.NewRefresh(f.store)
	a := f.renewable(40 * 24 * time.Hour)
	f.hasten()
	r := f.renewal(store, a)
	if r == nil || r.Trade || r.Open || r.Doubtful {
		t.Fatalf("renewal = %+v, want a check", r)
	}
	f.settle(store, r, schema.RenewalOutcome{Settings: []byte(`{"a":1}`)})
	if got := f.account(a.ID); string(got.Settings) != `{"a":1}` {
		t.Errorf("settings = %s", got.Settings)
	}
	if r := f.renewal(store, a); r != nil {
		t.Errorf("it is read again at once: %+v", r)
	}
	f.hasten()
	f.settle(store, f.renewal(store, a), schema.RenewalOutcome{Err: &schema.Error{Kind: schema.TokenDead, Message: "expired"}})
	if r := f.renewal(store, a); r == nil || !r.Trade {
		t.Errorf("once its token is dead = %+v, want a trade", r)
	}
}

// hasten makes renewals due, as time would.
func (f *fixture) hasten() {
	f.Helper()
	if err := f.store.Exec(f.Context(), `update accounts set renew_at = now() where renew_at is not null`); err != nil {
		f.Fatal(err)
	}
}

func TestAProcessThatDiesInATradeLeavesACheck(t *testing.T) {
	f := newFixture(t)
	if taken, err := f.store.TakeNode(t.Context(), [16]byte{1}); err != nil || !taken {
		t.Fatalf("taken %t, %v", taken, err)
	}
	store := postgres.NewRefresh(f.store)
	a := f.renewable(time.Second) // half of its life is the earliest: due soon
	time.Sleep(600 * time.Millisecond)
	if r := f.renewal(store, a); r == nil || !r.Trade {
		t.Fatalf("renewal = %+v, want a trade", r)
	}
	if err := f.store.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	time.Sleep(schema.SettleTime + 100*time.Millisecond)
	r := f.renewal(store, a)
	if r == nil || r.Trade || !r.Open {
		t.Fatalf("renewal after the process died = %+v, want a check", r)
	}
	stale := *r
	stale.Claim-- // of the life before, whose answer comes late
	stale.Trade = true
	f.settle(store, &stale, schema.RenewalOutcome{Sealed: []byte("late"), ExpiresAt: f.store.Now().Add(time.Hour), Renewable: true})
	if got := f.account(a.ID); string(got.Sealed) != "late" {
		t.Fatalf("sealed = %q: credentials that nobody else has were thrown away", got.Sealed)
	}
}
