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
