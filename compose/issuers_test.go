package compose

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"crier/identity/oidc"
)

// TestIssuersInsideAreSaidToBe calls servers on this machine as issuers: one that is not said to be on a private
// network is out of reach, and so is one whose certificate nobody has signed.
func TestIssuersInsideAreSaidToBe(t *testing.T) {
	t.Parallel()
	answer := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	open, secured := httptest.NewServer(answer), httptest.NewTLSServer(answer)
	t.Cleanup(open.Close)
	t.Cleanup(secured.Close)
	authority := filepath.Join(t.TempDir(), "ca.pem")
	content := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secured.Certificate().Raw})
	if err := os.WriteFile(authority, content, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		settings oidc.Settings
		url      string
		want     bool
	}{
		"not said":              {oidc.Settings{}, open.URL, false},
		"said":                  {oidc.Settings{Private: true}, open.URL, true},
		"of unknown authority":  {oidc.Settings{Private: true}, secured.URL, false},
		"of its own authority":  {oidc.Settings{Private: true, CA: authority}, secured.URL, true},
		"not said, and its own": {oidc.Settings{CA: authority}, secured.URL, false},
	} {
		way, err := Config{}.wayTo(tt.settings)
		if err != nil {
			t.Fatal(err)
		}
		response, err := way.Client().Get(tt.url)
		if err == nil {
			response.Body.Close()
		}
		if got := err == nil; got != tt.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
