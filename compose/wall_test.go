package compose_test

import (
	"net/http"
	"testing"

	"crier/compose"
	"crier/connectors/catalog"
	"crier/schema"
)

// TestSandboxesOfAWorkspace is what a test key's user has: an account of every platform, and
// the wall that shows what they published.
func TestSandboxesOfAWorkspace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.key = w.createKey(true)
	t.Run("twins get the accounts of platforms that came later", w.completeTwins)
}

type sandboxAccount struct {
	ID       string `json:"id"`
	Platform string `json:"platform"`
}

// sandboxAccounts returns the ids of connected accounts by platform.
func (w *world) sandboxAccounts() map[string]string {
	w.Helper()
	var listed struct{ Accounts []sandboxAccount }
	if status := w.call(http.MethodGet, "/accounts", nil, &listed); status != http.StatusOK {
		w.Fatalf("listing accounts: %d", status)
	}
	byPlatform := map[string]string{}
	for _, a := range listed.Accounts {
		if byPlatform[a.Platform] != "" {
			w.Errorf("two accounts of %s", a.Platform)
		}
		byPlatform[a.Platform] = a.ID
	}
	return byPlatform
}

// completeTwins has two platforms be new and one account be disconnected, and four processes
// start at once.
func (w *world) completeTwins(t *testing.T) {
	before := w.sandboxAccounts()
	if len(before) != len(catalog.Simulators()) {
		t.Fatalf("the first test key has accounts of %v", before)
	}
	if status := w.call(http.MethodDelete, "/accounts/"+before["telegram"], nil, nil); status != http.StatusOK && status != http.StatusNoContent {
		t.Fatalf("disconnecting: %d", status)
	}
	for _, p := range []schema.Platform{schema.Facebook, schema.Threads} {
		if err := compose.ForgetAccounts(t.Context(), w.operator(), w.workspace, p); err != nil {
			t.Fatal(err)
		}
	}
	if err := compose.CompleteTwins(t.Context(), w.operator(), 4); err != nil {
		t.Fatal(err)
	}
	after := w.sandboxAccounts()
	for platform, id := range before {
		switch isNew := platform == "facebook" || platform == "threads"; {
		case platform == "telegram":
			if after[platform] != "" {
				t.Error("an account that was disconnected is connected again")
			}
		case isNew && (after[platform] == "" || after[platform] == id), !isNew && after[platform] != id:
			t.Errorf("%s is %q after, was %q", platform, after[platform], id)
		}
	}
}
