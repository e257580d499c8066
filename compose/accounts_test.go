package compose_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"crier/compose"
	"crier/schema"
)

// A command asks again where the platform's answer was lost, says who it is, and tells an
// account that is new from one that gets other credentials.
func TestAddingAnAccount(t *testing.T) {
	besideOthers(t)
	var calls atomic.Int32
	var userAgent atomic.Value
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		userAgent.Store(r.UserAgent())
		if strings.HasSuffix(r.URL.Path, "/verify_credentials") && calls.Add(1) == 1 {
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(rw, `{"id": "1", "acct": "news"}`)
	}))
	defer server.Close()
	c := startConfig(t)
	c.Version, c.PublicURL = "1.2.3", "https://crier.example"
	c.Bases = map[schema.Platform]string{schema.Mastodon: server.URL}
	if _, err := compose.CreateKey(t.Context(), c, "acme", "operator", false); err != nil {
		t.Fatal(err)
	}
	add := func(token string) compose.AddedAccount {
		added, err := compose.AddAccount(t.Context(), c, compose.AccountToAdd{
			Workspace: "acme", Platform: "mastodon", Credentials: schema.Credentials{AccessToken: token},
		})
		if err != nil {
			t.Fatal(err)
		}
		return added
	}
	first, same, other := add("one"), add("one"), add("another")
	if !first.New || first.Replaced {
		t.Errorf("the first is %t, %t; want it new", first.New, first.Replaced)
	}
	if same.ID != first.ID || same.New || same.Replaced {
		t.Errorf("the same again is new %t, replaced %t", same.New, same.Replaced)
	}
	if other.ID != first.ID || other.New || !other.Replaced {
		t.Errorf("another token is new %t, replaced %t; want it to replace the first", other.New, other.Replaced)
	}
	if got := userAgent.Load(); got != "crier/1.2.3 (+https://crier.example)" {
		t.Errorf("the platform was called by %q", got)
	}
	if n := calls.Load(); n != 4 {
		t.Errorf("%d calls, want one more than accounts", n)
	}
}
