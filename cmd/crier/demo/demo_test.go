package demo

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"crier/client"
	"crier/client/clienttest"
	"crier/compose/embedded/embeddedtest"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

func TestTheDemoNamesItsAccounts(t *testing.T) {
	server := clienttest.Serve(t)
	live := client.New(server.Key, client.WithServer(server.URL))
	key, err := live.Keys.Create(t.Context(), client.NewKey{Name: "demo", Permission: client.Admin, Test: true})
	if err != nil {
		t.Fatal(err)
	}
	api := client.New(key.Secret, client.WithServer(server.URL))
	first, err := api.Accounts.Connect(t.Context(), client.Bluesky, client.Credentials{Identifier: "ann.sandbox.test", Password: "abcd-efgh-ijkl-mnop"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := api.Accounts.Connect(t.Context(), client.Bluesky, client.Credentials{Identifier: "bob.sandbox.test", Password: "abcd-efgh-ijkl-mnop"}); err != nil {
		t.Fatal(err)
	}
	targets, err := (&show{api: api}).targets(t.Context(), client.Bluesky)
	if err != nil || len(targets) != 1 || targets[0].AccountID != first.ID {
		t.Fatalf("targets = %+v, %v; want the account %s", targets, err, first.ID)
	}
	if _, err := api.Posts.Create(t.Context(), client.Post{Content: "x", Platforms: targets, PublishNow: true}); err != nil {
		t.Error(err)
	}
}

func TestADemoThatFailsEndsNothing(t *testing.T) {
	refusing := httptest.NewServer(http.NotFoundHandler())
	defer refusing.Close()
	var out strings.Builder
	Run(t.Context(), Config{URL: refusing.URL, Metrics: "127.0.0.1:8081", Out: &out})
	if text := out.String(); !strings.Contains(text, "404") || !strings.Contains(text, "crier serves nevertheless") {
		t.Errorf("it says %q", text)
	}
}
