package compose_test

import (
	"context"
	"errors"
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

// A command beside a running crier allows the servers that this one was given, without being given
// them itself.
func TestAddingAnAccountFollowsTheRunningServer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(rw, `{"id": "1", "acct": "news"}`)
	}))
	defer server.Close()
	c := startConfig(t)
	if _, err := compose.CreateKey(t.Context(), c, "acme", "operator", false); err != nil {
		t.Fatal(err)
	}
	add := func() error {
		_, err := compose.AddAccount(t.Context(), c, compose.AccountToAdd{
			Workspace: "acme", Platform: "mastodon", Server: server.URL + "/", Credentials: schema.Credentials{AccessToken: "one"},
		})
		return err
	}
	if err := add(); err == nil || !strings.Contains(err.Error(), "over https alone") {
		t.Errorf("without a running crier: %v", err)
	}
	serving := c
	serving.Bases = map[schema.Platform]string{schema.Mastodon: server.URL}
	ctx, stop := context.WithCancel(t.Context())
	started, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- compose.Serve(ctx, serving, func(context.Context, *compose.Running) error { close(started); return nil })
	}()
	select {
	case <-started:
	case err := <-ended:
		t.Fatal(err)
	}
	if err := add(); err != nil {
		t.Errorf("beside a running crier: %v", err)
	}
	stop()
	if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
