package pipeline

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/compose/embedded/embeddedtest"
	"crier/connectors"
	"crier/schema"
	"crier/schema/postgres"
)

// The credentials that a process traded while it did not hear of a rotation of the keyset are the
// only ones there are: they are stored, sealed with a key that is still there.
func TestCredentialsTradedBeforeARotationAreStoredAfterIt(t *testing.T) {
	ctx, file := t.Context(), filepath.Join(t.TempDir(), "keyset.json")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	store, err := postgres.Open(ctx, postgres.Config{
		URL: embeddedtest.PostgresWith(t, postgres.Migrate), MaxConns: 4, Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(),
	})
	must(err)
	t.Cleanup(store.Close)
	vault, err := connectors.OpenVault(file)
	must(err)
	old := []schema.SealingKey{vault.Keyset().Primary}
	admin := postgres.NewAdmin(store)
	workspace, err := admin.MakeWorkspace(ctx, "acme", "operator", false)
	must(err)
	connected, err := admin.Connect(ctx, workspace.ID, []schema.Connection{{
		Account: schema.Account{Platform: schema.Bluesky, NativeID: "did:plc:a", Name: "a"}, ExpiresAt: store.Now(), Renewable: true,
		Seal: func(a schema.Account) ([]byte, bool, error) {
			sealed, err := vault.Seal(a, schema.Credentials{AccessToken: "before"})
			return sealed, true, err
		},
	}})
	must(err)
	stage := refresh{refreshStore: postgres.NewRefresh(store), RefreshConfig: RefreshConfig{Vault: vault}}
	account := connected[0].Account
	claimed, err := stage.Claim(ctx, []schema.RefreshMessage{{Workspace: workspace.ID, Account: account.ID}})
	must(err)
	if len(claimed) != 1 || !claimed[0].Trade {
		t.Fatalf("claimed %+v, want a trade", claimed)
	}
	traded, err := vault.Seal(account, schema.Credentials{AccessToken: "traded"})
	must(err)

	added, err := connectors.AddKey(file)
	must(err)
	must(connectors.PromoteKey(file, added))
	elsewhere, err := connectors.OpenVault(file)
	must(err)
	rotation, err := admin.BeginRotation(ctx)
	must(err)
	defer rotation.End()
	failed, err := rotation.Reseal(ctx, elsewhere, old, func(int) {})
	must(err)
	needed, err := rotation.Drop(ctx, old, func() error { return connectors.DropKeys(file, old) })
	must(err)
	if len(failed)+len(needed) > 0 {
		t.Fatalf("the rotation left %v, %v", failed, needed)
	}

	outcome := schema.RenewalOutcome{Sealed: traded, ExpiresAt: store.Now().Add(time.Hour), Renewable: true, Name: "renamed"}
	must(stage.store(ctx, claimed[0].After(outcome, store.Now(), 0)))
	account, err = admin.Account(ctx, workspace.ID, account.ID)
	must(err)
	restarted, err := connectors.OpenVault(file)
	must(err)
	if got, err := restarted.Open(account); err != nil || got.AccessToken != "traded" {
		t.Errorf("what is stored opens to %q, %v", got.AccessToken, err)
	}
	if account.Name != "renamed" {
		t.Errorf("the account is called %q", account.Name)
	}
}

// Profiles of platforms that want so are read anew every three days.
func TestEachProfileHasItsTurn(t *testing.T) {
	now := time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC)
	for range 100 {
		id, turns := schema.NewID[schema.AccountID](now), 0
		for hour := range 3 * 24 {
			if isTurnOfProfile(id, now.Add(time.Duration(hour)*time.Hour)) {
				turns++
			}
		}
		if turns != 1 {
			t.Fatalf("%s has %d turns in three days", id, turns)
		}
	}
}

// Limits of accounts whose tokens are traded are read with a trade of each day, and seldom with more.
func TestLimitsHaveTheirTurnEachDay(t *testing.T) {
	begin := time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC)
	for _, life := range []time.Duration{30 * time.Minute, time.Hour, 2 * time.Hour, 12 * time.Hour, 24 * time.Hour} {
		account := schema.Account{ID: schema.NewID[schema.AccountID](begin), Platform: schema.TikTok}
		var last time.Time
		turns := 0
		for now := begin; now.Before(begin.Add(10 * 24 * time.Hour)); now = now.Add(life * 9 / 10) {
			if !isTurnOfLimits(account, now, now.Add(life)) {
				continue
			}
			if gap := now.Sub(last); turns > 0 && gap > 24*time.Hour+life {
				t.Errorf("with tokens of %s %s pass without a reading", life, gap)
			}
			last = now
			turns++
		}
		if turns < 9 || turns > 30 {
			t.Errorf("with tokens of %s there are %d turns in ten days", life, turns)
		}
	}
	if isTurnOfLimits(schema.Account{Platform: schema.Pinterest}, begin, begin.Add(24*time.Hour)) {
		t.Error("a platform that sets its limits once has a turn")
	}
}
