package postgres_test

import (
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres"
)

// told returns what was said of an account, in order.
func (f *fixture) told(a schema.AccountID) (types []schema.EventType) {
	f.Helper()
	for _, batch := range f.events() {
		for _, e := range batch.Events {
			if e.Account == a {
				types = append(types, e.Type)
			}
		}
	}
	return types
}

func (f *fixture) wantTold(a schema.AccountID, want ...schema.EventType) {
	f.Helper()
	got := f.told(a)
	if len(got) != len(want) {
		f.Fatalf("told %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			f.Fatalf("told %v, want %v", got, want)
		}
	}
}

func TestAnEndIsToldOnceAndPasses(t *testing.T) {
	f := newFixture(t)
	store := postgres.NewRefresh(f.store)
	a := f.renewable(2 * time.Hour)
	f.must(f.store.AskRenewal(t.Context(), a))
	begun := f.renewal(store, a)
	down := schema.ProblemOf(&schema.Error{Kind: schema.TokenDead, End: schema.EndSuspended, Message: "taken down"})
	for range 3 {
		f.must(f.store.EndAccount(t.Context(), a, down))
	}
	f.settle(store, begun, schema.RenewalOutcome{Err: &schema.Error{Kind: schema.Retryable, Message: "late"}})
	ended := f.account(a.ID)
	if ended.End != schema.EndSuspended || ended.EndMessage != "taken down" || ended.NeedsReconnect || ended.Renewing {
		t.Fatalf("account = %+v", ended)
	}
	f.wantTold(a.ID, schema.AccountConnected, schema.AccountError)

	f.must(f.store.AskRenewal(t.Context(), ended))
	if f.account(a.ID).Renewing || f.renewal(store, a) != nil {
		t.Fatal("an account that has ended is looked at as one that was refused")
	}
	f.hasten()
	f.settle(store, f.renewal(store, a), schema.RenewalOutcome{Err: &schema.Error{Kind: schema.TokenDead, Message: "still"}})
	f.hasten()
	f.settle(store, f.renewal(store, a), schema.RenewalOutcome{Sealed: []byte("new"), ExpiresAt: f.store.Now().Add(time.Hour), Renewable: true})
	if back := f.account(a.ID); back.Problem() != nil || back.EndMessage != "" {
		t.Fatalf("account = %+v, want it back", back)
	}
	f.wantTold(a.ID, schema.AccountConnected, schema.AccountError, schema.AccountConnected)
}

func TestAReconnectUndoesEveryEnd(t *testing.T) {
	f := newFixture(t)
	store := postgres.NewRefresh(f.store)
	for end := schema.EndRevoked; end <= schema.EndDeleted; end++ {
		a := f.renewableOf("did:plc:"+end.String(), 2*time.Hour)
		f.must(f.store.EndAccount(t.Context(), a, schema.ProblemOf(&schema.Error{Kind: schema.TokenDead, End: end, Message: "m"})))
		f.hasten()
		if looked := f.renewal(store, a) != nil; looked != end.Traits().Passes {
			t.Errorf("%s: looked at again: %t", end, looked)
		}
		again := f.renewableOf(a.NativeID, 2*time.Hour)
		if again.ID != a.ID || again.Problem() != nil || f.account(a.ID).Problem() != nil {
			t.Errorf("%s: reconnected as %+v", end, again)
		}
		f.wantTold(a.ID, schema.AccountConnected, schema.AccountError, schema.AccountConnected)

		f.must(f.store.EndAccount(t.Context(), again, schema.ProblemOf(&schema.Error{Kind: schema.TokenDead, End: end})))
		f.must(f.store.ReviveAccount(t.Context(), again))
		f.must(f.store.ReviveAccount(t.Context(), again))
		if back := f.account(a.ID); back.Problem() != nil || back.CheckedAt.IsZero() {
			t.Errorf("%s: revived as %+v", end, back)
		}
		f.wantTold(a.ID, schema.AccountConnected, schema.AccountError, schema.AccountConnected, schema.AccountError, schema.AccountConnected)
	}
}

func TestTheVersionOfAccountsChangesWithEachOfThem(t *testing.T) {
	f := newFixture(t)
	version := func() string {
		t.Helper()
		v, limits, err := f.gateway.AccountsVersion(t.Context(), f.workspace)
		f.must(err)
		return v + limits.String()
	}
	other, err := postgres.NewAdmin(f.store).MakeWorkspace(t.Context(), "other", "operator", false)
	f.must(err)
	now := f.store.Now()
	brand := schema.Brand{ID: schema.NewBrandID(now), Workspace: f.workspace, Name: "b", CreatedAt: now, UpdatedAt: now}
	before := version()
	for what, change := range map[string]func() error{
		"an account's name": func() error { f.exec(`update accounts set name = 'x' where native_id = '0'`); return nil },
		"a brand":           func() error { return f.gateway.CreateBrand(t.Context(), brand) },
		"a disconnection":   func() error { _, err := f.gateway.Disconnect(t.Context(), f.workspace, f.accounts[1]); return err },
	} {
		f.must(change())
		after := version()
		if after == before || after != version() {
			t.Errorf("%s: the version %q became %q, then %q", what, before, after, version())
		}
		before = after
	}
	brand.ID, brand.Workspace = schema.NewBrandID(now), other.ID
	f.must(f.gateway.CreateBrand(t.Context(), brand))
	if after := version(); after != before {
		t.Error("another workspace's brand is counted")
	}
}
