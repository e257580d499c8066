package postgres_test

import (
	"testing"

	"crier/schema"
	"crier/schema/postgres"
)

func TestHostsAreOfTheAccountsThatThereAre(t *testing.T) {
	f := newFixture(t)
	admin := postgres.NewAdmin(f.Store)
	own := schema.Account{
		Workspace: f.Workspace, Platform: schema.Bluesky, NativeID: "did:plc:own", Name: "own", Server: "https://pds.example", Sealed: []byte("x"),
	}
	var err error
	if own.ID, err = admin.AccountID(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	if err := admin.PutAccount(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	nobody := schema.NewID[schema.AccountID](f.Store.Now())
	hosts, err := f.Store.Hosts(t.Context(), []schema.AccountID{own.ID, nobody, f.Accounts[0]})
	if err != nil {
		t.Fatal(err)
	}
	if _, is := hosts[nobody]; is || len(hosts) != 2 {
		t.Errorf("%d hosts, want those of two accounts", len(hosts))
	}
	if got, want := hosts[own.ID], (schema.Host{Platform: schema.Bluesky, Server: own.Server}); got != want {
		t.Errorf("an account is at %+v, want %+v", got, want)
	}
	if got, want := hosts[f.Accounts[0]], (schema.Host{Platform: schema.Mastodon}); got != want {
		t.Errorf("an account of the platform's own server is at %+v, want %+v", got, want)
	}
}
