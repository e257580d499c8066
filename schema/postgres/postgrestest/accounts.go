package postgrestest

import (
	"time"

	"crier/schema"
	"crier/schema/postgres"
)

// ConnectAccount makes an account in a workspace of that name, which it makes too.
func (f *Fixture) ConnectAccount(workspace string, sandbox bool, nativeID string) schema.Account {
	f.Helper()
	admin := postgres.NewAdmin(f.Store)
	w, err := admin.MakeWorkspace(f.Context(), workspace, "operator", sandbox)
	f.Must(err)
	a := schema.Account{Workspace: w.ID, Platform: schema.Mastodon, NativeID: nativeID, Name: "x", Sealed: []byte("x")}
	a.ID, err = admin.AccountID(f.Context(), a)
	f.Must(err)
	f.Must(admin.PutAccount(f.Context(), a))
	return a
}

// RenewableAccount connects an account whose token crier can renew and which expires in some
// time.
func (f *Fixture) RenewableAccount(in time.Duration) schema.Account {
	f.Helper()
	return f.RenewableAccountOf("did:plc:a", in)
}

// RenewableAccountOf is RenewableAccount for an account that the platform knows by an id.
func (f *Fixture) RenewableAccountOf(nativeID string, in time.Duration) schema.Account {
	f.Helper()
	connected, err := f.Gateway.Connect(f.Context(), f.Workspace, []schema.Connection{{
		Account:   schema.Account{Platform: schema.Bluesky, NativeID: nativeID, Name: "a"},
		ExpiresAt: f.Store.Now().Add(in), Renewable: true,
		Seal: func(schema.Account) ([]byte, bool, error) { return []byte("old"), true, nil },
	}})
	f.Must(err)
	return connected[0].Account
}

// Account reads an account.
func (f *Fixture) Account(id schema.AccountID) schema.Account {
	f.Helper()
	a, err := f.Gateway.Account(f.Context(), f.Workspace, id)
	f.Must(err)
	return a
}

// ClaimRenewal claims the renewal of an account; nil where there is nothing to claim.
func (f *Fixture) ClaimRenewal(store *postgres.Refresh, a schema.Account) *schema.Renewal {
	f.Helper()
	claimed, err := store.Claim(f.Context(), []schema.RefreshMessage{{Workspace: f.Workspace, Account: a.ID}})
	f.Must(err)
	if len(claimed) == 0 {
		return nil
	}
	return &claimed[0]
}

// FinishRenewal stores how a renewal ended.
func (f *Fixture) FinishRenewal(store *postgres.Refresh, r *schema.Renewal, o schema.RenewalOutcome) {
	f.Helper()
	f.Must(store.Finish(f.Context(), r.After(o, f.Store.Now(), 0)))
}

// MakeRenewalsDue makes renewals due, as time would.
func (f *Fixture) MakeRenewalsDue() {
	f.Helper()
	f.Exec(`update accounts set renew_at = now() where renew_at is not null`)
}
