package compose_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/compose"
	"crier/compose/embedded/embeddedtest"
	"crier/connectors"
	"crier/schema"
	"crier/schema/postgres"
)

func TestCommandsOnTheWrongFolderSaySo(t *testing.T) {
	c := startConfig(t)
	for name, run := range map[string]func() error{
		"a backup of nothing": func() error {
			_, err := compose.Backup(t.Context(), c, filepath.Join(t.TempDir(), "crier.backup"))
			return err
		},
		"a list of nothing":       func() error { _, err := compose.Held(t.Context(), c); return err },
		"a key that is not there": func() error { return compose.RevokeKey(t.Context(), c, "crier_live_nonsense") },
	} {
		t.Run(name, func(t *testing.T) {
			if err := run(); err == nil || !strings.Contains(err.Error(), "holds no PostgreSQL") {
				t.Errorf("the command ends with %v", err)
			}
			if _, err := os.Stat(c.Data); err == nil {
				t.Error("the folder was made")
			}
		})
	}
}

func TestKeysOfTheOperator(t *testing.T) {
	t.Parallel()
	c := startConfig(t)
	key, err := compose.CreateKey(t.Context(), c, "acme", "team", false)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		run  func() error
		want string // of the error; empty: there is none
	}{
		"another key, on whatever plan": {func() error { _, err := compose.CreateKey(t.Context(), c, "acme", "", false); return err }, ""},
		"another key, on another plan":  {func() error { _, err := compose.CreateKey(t.Context(), c, "acme", "free", false); return err }, "on the plan team"},
		"a key revoked":                 {func() error { return compose.RevokeKey(t.Context(), c, key) }, ""},
		"a key revoked twice":           {func() error { return compose.RevokeKey(t.Context(), c, key) }, ""},
		"a key that is misspelt":        {func() error { return compose.RevokeKey(t.Context(), c, key+"x") }, "no such key"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := tt.run(); tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("the command ends with %v, want %q", err, tt.want)
			}
		})
	}
	if _, err := compose.AskDeletion(t.Context(), c, "nope", ""); err == nil || err.Error() != `finding workspace "nope": there is no such workspace` {
		t.Errorf("a workspace to delete that is not there: %v", err)
	}
}

func TestAKeysetThatIsNotTheDatabasesIsRefused(t *testing.T) {
	t.Parallel()
	c := startConfig(t)
	if _, err := compose.CreateKey(t.Context(), c, "acme", "operator", true); err != nil {
		t.Fatal(err)
	}
	aside := filepath.Join(filepath.Dir(c.Data), "kept.json")
	if err := os.Rename(filepath.Join(c.Data, "keyset.json"), aside); err != nil {
		t.Fatal(err)
	}
	other := startConfig(t)
	if _, err := compose.CreateKey(t.Context(), other, "acme", "operator", false); err != nil {
		t.Fatal(err)
	}
	serve := func(keyset string) error {
		c := c
		c.Keyset, c.Registerer = keyset, prometheus.NewRegistry()
		stop, cancel := context.WithCancel(t.Context())
		defer cancel()
		return compose.Serve(stop, c, func(context.Context, *compose.Running) error {
			rotateBeside(t, c)
			cancel()
			return nil
		})
	}
	for name, tt := range map[string]struct{ keyset, want string }{
		"none":    {"", "there is no keyset"},
		"another": {filepath.Join(other.Data, "keyset.json"), "another keyset"},
		"its own": {aside, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if err := serve(tt.keyset); tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("Serve = %v, want %q", err, tt.want)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(c.Data, "keyset.json")); err == nil {
		t.Error("a keyset was made beside credentials that it cannot open")
	}
	account := compose.AccountToAdd{Workspace: "acme", Platform: "mastodon", Credentials: schema.Credentials{AccessToken: "token"}}
	if _, err := compose.AddAccount(t.Context(), c, account); err == nil || !strings.Contains(err.Error(), "there is no keyset") {
		t.Errorf("AddAccount = %v", err)
	}
}

// Processes with folders of their own start at once on a database that nobody has used: what one
// seals, the others could not open.
func TestOfKeysetsOnAFreshDatabaseOneIsTaken(t *testing.T) {
	t.Parallel()
	url := embeddedtest.PostgresWith(t, postgres.Migrate)
	beside := func(data string) compose.Config {
		return compose.Config{Data: data, Postgres: url, Logger: slog.New(slog.DiscardHandler)}
	}
	other := beside(t.TempDir())
	if _, err := compose.CreateKey(t.Context(), other, "acme", "operator", false); err != nil { // seals nothing, and binds nothing
		t.Fatal(err)
	}
	configs := make([]compose.Config, 4)
	results := make([]error, len(configs))
	var group sync.WaitGroup
	for i := range configs {
		configs[i] = beside(t.TempDir())
		if _, err := connectors.OpenVault(filepath.Join(configs[i].Data, "keyset.json")); err != nil {
			t.Fatal(err)
		}
		group.Go(func() { results[i] = compose.BindKeyset(t.Context(), configs[i]) })
	}
	group.Wait()
	bound := slices.Index(results, nil)
	for i, err := range results {
		if i != bound && (err == nil || !strings.Contains(err.Error(), "another keyset")) {
			t.Errorf("of two keysets each is taken: %v", results)
		}
	}
	if bound < 0 {
		t.Fatalf("no keyset is taken: %v", results)
	}
	mine := configs[bound]
	old, err := os.ReadFile(filepath.Join(mine.Data, "keyset.json"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := compose.RotateKeyset(t.Context(), mine, compose.Rotating{Waits: func(string) {}, Sealed: func(int64, int64) {}}); err != nil {
		t.Fatal(err)
	}
	stale := beside(t.TempDir())
	if err := os.WriteFile(filepath.Join(stale.Data, "keyset.json"), old, 0o600); err != nil {
		t.Fatal(err)
	}
	empty := beside(t.TempDir())
	test := func(context.Context, compose.Config) error {
		_, err := compose.CreateKey(t.Context(), other, "acme", "", true)
		return err
	}
	for name, tt := range map[string]struct {
		config compose.Config
		start  func(context.Context, compose.Config) error
		want   string
	}{
		"the rotated one":            {mine, compose.BindKeyset, ""},
		"a copy before the rotation": {stale, compose.BindKeyset, "another keyset"},
		"none":                       {empty, compose.BindKeyset, "there is no keyset"},
		"another, by a command":      {other, test, "another keyset"},
	} {
		if err := tt.start(t.Context(), tt.config); tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("with %s: %v, want %q", name, err, tt.want)
		}
	}
	if _, err := os.Stat(filepath.Join(empty.Data, "keyset.json")); err == nil {
		t.Error("a keyset was made for a database that has one")
	}
}

// rotateBeside rotates the keyset of a process that runs, with a machine of its own for all the
// rotation knows: it waits until the process has the new key.
func rotateBeside(t *testing.T, c compose.Config) {
	t.Helper()
	before, err := compose.ShowKeyset(t.Context(), c)
	if err != nil || len(before) != 1 || before[0].Use != compose.KeyPrimary || before[0].Rows["accounts.sealed"] == 0 {
		t.Fatalf("the keyset is %+v, %v; want one key that has sealed the sandbox's accounts", before, err)
	}
	impatient, patient := compose.Rotating{Waits: func(string) {}, Sealed: func(int64, int64) {}}, compose.Rotating{}
	var waited, sealed int64
	patient.Patience = 3 * time.Minute
	patient.Waits, patient.Sealed = func(string) { waited++ }, func(done, _ int64) { sealed = done }
	until := time.Now().Add(3 * time.Minute)
	for before[0].Running == 0 && time.Now().Before(until) { // the process tells of itself soon
		time.Sleep(50 * time.Millisecond)
		if before, err = compose.ShowKeyset(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	// That it has the new key, or, where the machine is slow and it has it by then, that it seals with it.
	if _, err := compose.RotateKeyset(t.Context(), c, impatient); err == nil || !strings.Contains(err.Error(), "1 of 1 running processes") {
		t.Errorf("RotateKeyset = %v, want it to wait for the running process", err)
	}
	rotated, err := compose.RotateKeyset(t.Context(), c, patient)
	if err != nil || rotated.Key == before[0].ID || !rotated.Resumed || len(rotated.Dropped) != 1 || rotated.Dropped[0] != before[0].ID {
		t.Fatalf("RotateKeyset = %+v, %v", rotated, err)
	}
	if want := before[0].Rows["accounts.sealed"]; rotated.Values != want || sealed != want || waited == 0 {
		t.Errorf("%d values are sealed again, %d told, after %d waits; want all %d accounts", rotated.Values, sealed, waited, want)
	}
	after, err := compose.ShowKeyset(t.Context(), c)
	if err != nil || len(after) != 1 || after[0].ID != rotated.Key || after[0].Rows["accounts.sealed"] != rotated.Values {
		t.Errorf("the keyset is %+v, %v; want the new key alone", after, err)
	}
}
