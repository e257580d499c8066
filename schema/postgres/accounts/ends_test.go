package accounts_test

import (
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres"
)

// accountEvents returns the types of an account's events, in order.
func (f *fixture) accountEvents(a schema.AccountID) (types []schema.EventType) {
	f.Helper()
	for _, batch := range f.Events() {
		for _, e := range batch.Events {
			if e.Account == a {
				types = append(types, e.Type)
			}
		}
	}
	return types
}

func (f *fixture) wantEvents(a schema.AccountID, want ...schema.EventType) {
	f.Helper()
	got := f.accountEvents(a)
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
	store := postgres.NewRefresh(f.Store)
	a := f.RenewableAccount(2 * time.Hour)
	f.Must(f.Store.AskRenewal(t.Context(), a))
	begun := f.ClaimRenewal(store, a)
	down := schema.ProblemOf(&schema.Error{Kind: schema.TokenDead, End: schema.EndSuspended, Message: "taken down"})
	for range 3 {
		f.Must(f.Store.EndAccount(t.Context(), a, down))
	}
	f.FinishRenewal(store, begun, schema.RenewalOutcome{Err: &schema.Error{Kind: schema.Retryable, Message: "late"}})
	ended := f.Account(a.ID)
	if ended.End != schema.EndSuspended || ended.EndMessage != "taken down" || ended.NeedsReconnect || ended.Renewing {
		t.Fatalf("account = %+v", ended)
	}
	f.wantEvents(a.ID, schema.AccountConnected, schema.AccountError)

	f.Must(f.Store.AskRenewal(t.Context(), ended))
	if f.Account(a.ID).Renewing || f.ClaimRenewal(store, a) != nil {
		t.Fatal("an account that has ended is looked at as one that was refused")
	}
	f.MakeRenewalsDue()
	f.FinishRenewal(store, f.ClaimRenewal(store, a), schema.RenewalOutcome{Err: &schema.Error{Kind: schema.TokenDead, Message: "still"}})
	f.MakeRenewalsDue()
	f.FinishRenewal(store, f.ClaimRenewal(store, a), schema.RenewalOutcome{Sealed: []byte("new"), ExpiresAt: f.Store.Now().Add(time.Hour), Renewable: true})
	if back := f.Account(a.ID); back.Problem() != nil || back.EndMessage != "" {
		t.Fatalf("account = %+v, want it back", back)
	}
	f.wantEvents(a.ID, schema.AccountConnected, schema.AccountError, schema.AccountConnected)
}

func TestAReconnectUndoesEveryEnd(t *testing.T) {
	f := newFixture(t)
	store := postgres.NewRefresh(f.Store)
	for end := schema.EndRevoked; end <= schema.EndDeleted; end++ {
		a := f.RenewableAccountOf("did:plc:"+end.String(), 2*time.Hour)
		f.Must(f.Store.EndAccount(t.Context(), a, schema.ProblemOf(&schema.Error{Kind: schema.TokenDead, End: end, Message: "m"})))
		f.MakeRenewalsDue()
		if looked := f.ClaimRenewal(store, a) != nil; looked != end.Traits().Passes {
			t.Errorf("%s: looked at again: %t", end, looked)
		}
		again := f.RenewableAccountOf(a.NativeID, 2*time.Hour)
		if again.ID != a.ID || again.Problem() != nil || f.Account(a.ID).Problem() != nil {
			t.Errorf("%s: reconnected as %+v", end, again)
		}
		f.wantEvents(a.ID, schema.AccountConnected, schema.AccountError, schema.AccountConnected)

		f.Must(f.Store.EndAccount(t.Context(), again, schema.ProblemOf(&schema.Error{Kind: schema.TokenDead, End: end})))
		f.Must(f.Store.ReviveAccount(t.Context(), again))
		f.Must(f.Store.ReviveAccount(t.Context(), again))
		if back := f.Account(a.ID); back.Problem() != nil || back.CheckedAt.IsZero() {
			t.Errorf("%s: revived as %+v", end, back)
		}
		f.wantEvents(a.ID, schema.AccountConnected, schema.AccountError, schema.AccountConnected, schema.AccountError, schema.AccountConnected)
	}
}

func TestTheVersionOfAccountsChangesWithEachOfThem(t *testing.T) {
	f := newFixture(t)
	version := func() string {
		t.Helper()
		v, limits, err := f.Gateway.AccountsVersion(t.Context(), f.Workspace)
		f.Must(err)
		return v + limits.String()
	}
	other, err := postgres.NewAdmin(f.Store).MakeWorkspace(t.Context(), "other", "operator", false)
	f.Must(err)
	now := f.Store.Now()
	brand := schema.Brand{ID: schema.NewID[schema.BrandID](now), Workspace: f.Workspace, Name: "b", CreatedAt: now, UpdatedAt: now}
	before := version()
	for what, change := range map[string]func() error{
		"an account's name": func() error { f.Exec(`update accounts set name = 'x' where native_id = '0'`); return nil },
		"a brand":           func() error { return f.Gateway.CreateBrand(t.Context(), brand) },
		"a disconnection":   func() error { _, err := f.Gateway.Disconnect(t.Context(), f.Workspace, f.Accounts[1]); return err },
	} {
		f.Must(change())
		after := version()
		if after == before || after != version() {
			t.Errorf("%s: the version %q became %q, then %q", what, before, after, version())
		}
		before = after
	}
	brand.ID, brand.Workspace = schema.NewID[schema.BrandID](now), other.ID
	f.Must(f.Gateway.CreateBrand(t.Context(), brand))
	if after := version(); after != before {
		t.Error("another workspace's brand is counted")
	}
}
