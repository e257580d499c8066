package pipeline

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/connectors"
	"crier/connectors/catalog"
	"crier/schema"
	"crier/schema/postgres"
)

// What is sealed with a key that this process lacks is good elsewhere: no post and no account
// ends for it.
func TestWhatAMissingKeySealedWaitsForIt(t *testing.T) {
	n := newNotifying(t)
	vaults := make([]*connectors.Vault, 2)
	for i := range vaults {
		vault, err := connectors.OpenVault(filepath.Join(t.TempDir(), "keyset.json"))
		if err != nil {
			t.Fatal(err)
		}
		vaults[i] = vault
	}
	ours, theirs := vaults[0], vaults[1]
	stored := func() schema.Account {
		a, err := postgres.NewAdmin(n.store).Account(t.Context(), n.webhook.Workspace, n.account)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	account := stored()
	sealed, err := theirs.Seal(account, schema.Credentials{AccessToken: "token"})
	if err != nil {
		t.Fatal(err)
	}
	account.Sealed = sealed
	if err := postgres.NewAdmin(n.store).PutAccount(t.Context(), account); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	store := postgres.NewPublish(n.store, catalog.Constraints)
	metrics := NewMetrics(prometheus.NewRegistry())
	stage := publish{
		publishStore: store, metrics: metrics,
		calls: platformCalls{slow{}, ours, store, logger, newKeyless(logger), time.Hour},
	}
	for _, step := range []schema.Step{schema.StepPrepare, schema.StepPublish, schema.StepFind} {
		p := n.post(step, 0)
		ref := []schema.TargetRef{{Post: p.ID, Version: p.Version}}
		claimed, err := stage.Claim(t.Context(), ref)
		if err != nil || len(claimed) != 1 {
			t.Fatalf("claimed %d, %v", len(claimed), err)
		}
		out, err := stage.Do(t.Context(), claimed[0], nil)
		if err == nil {
			err = out.Store(t.Context())
		}
		if err != nil || out.Again {
			t.Fatalf("step %d comes to %+v, %v", step, out, err)
		}
		if again, err := stage.Claim(t.Context(), ref); err != nil || len(again) > 0 {
			t.Errorf("step %d is claimed again at once: %v", step, err)
		}
		n.exec(`update targets set next_at = now()`)
		again, err := stage.Claim(t.Context(), ref)
		if err != nil || len(again) != 1 || again[0].Step != step || again[0].Attempts != 0 || again[0].FindAttempts != claimed[0].FindAttempts {
			t.Errorf("step %d is claimed again: %+v, %v", step, again, err)
		}
	}
	stage.calls.late = -time.Minute // the deadline has passed: a look for what may be there costs a try, and so ends
	p := n.post(schema.StepFind, 0)
	ref := []schema.TargetRef{{Post: p.ID, Version: p.Version}}
	claimed, err := stage.Claim(t.Context(), ref)
	if err != nil || len(claimed) != 1 {
		t.Fatalf("claimed %d, %v", len(claimed), err)
	}
	look, err := stage.Do(t.Context(), claimed[0], nil)
	if err == nil {
		err = look.Store(t.Context())
	}
	n.exec(`update targets set next_at = now()`)
	if again, claiming := stage.Claim(t.Context(), ref); err != nil || claiming != nil || len(again) == 1 && again[0].FindAttempts == claimed[0].FindAttempts {
		t.Errorf("a look past the deadline is claimed again as %+v, %v, %v", again, err, claiming)
	}
	if a := stored(); a.Problem() != nil || a.Renewing {
		t.Errorf("the account is %+v", a)
	}

	renewals := refresh{
		refreshStore: postgres.NewRefresh(n.store), keyless: stage.calls.keyless,
		RefreshConfig: RefreshConfig{Shared: Shared{Logger: logger, Metrics: metrics}, Vault: ours},
	}
	if err := store.AskRenewal(t.Context(), stored()); err != nil {
		t.Fatal(err)
	}
	due, err := renewals.Claim(t.Context(), []schema.RefreshMessage{{Workspace: account.Workspace, Account: account.ID}})
	if err != nil || len(due) != 1 {
		t.Fatalf("claimed %d renewals, %v", len(due), err)
	}
	out, err := renewals.Do(t.Context(), due[0], nil)
	if err == nil {
		err = out.Store(t.Context())
	}
	if a := stored(); err != nil || a.Problem() != nil || !a.Renewing {
		t.Errorf("the account is %+v, %v", a, err)
	}
	if reports := strings.Count(log.String(), "level=ERROR"); reports != 1 || !strings.Contains(log.String(), account.ID.String()) {
		t.Errorf("the account is told of %d times, want once a minute:\n%s", reports, &log)
	}
}
