package catalog_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/connectors"
	"crier/connectors/catalog"
	"crier/connectors/media"
	"crier/connectors/simulators/googlebusiness"
	"crier/connectors/simulators/pinterest"
	"crier/connectors/simulators/sandbox"
	"crier/schema"
)

// installation is a catalog, the sandbox it knows, and a live server that counts what
// reaches it.
type installation struct {
	catalog *catalog.Catalog
	sandbox *sandbox.Sandbox
	live    string
	reached *atomic.Int64
	picture schema.Media // for platforms that need one
	film    schema.Media // for those that take nothing else
}

// newInstallation serves the sandbox behind front, if there is one.
func newInstallation(t *testing.T, front func(http.Handler) http.Handler) installation {
	t.Helper()
	i := installation{reached: &atomic.Int64{}}
	live := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		i.reached.Add(1)
		rw.WriteHeader(http.StatusTeapot)
	}))
	t.Cleanup(live.Close)
	i.live = live.URL
	pictures := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/film" {
			io.WriteString(rw, "\x00\x00\x00\x10ftypisom\x00\x00\x00\x00\x00\x00\x00\x08moov")
			return
		}
		rw.Write([]byte("\xff\xd8\xff"))
	}))
	t.Cleanup(pictures.Close)
	i.film = schema.Media{Kind: schema.Video, URL: pictures.URL + "/film"}
	i.picture = schema.Media{
		Kind: schema.Image, URL: pictures.URL,
		Facts: &schema.MediaFacts{Kind: schema.Image, Type: "image/jpeg", Size: 3, Width: 600, Height: 600},
	}

	var address string
	simulators, err := sandbox.New(sandbox.Config{
		Simulators: catalog.Simulators(), BaseURL: func() string { return address }, Now: time.Now, HTTP: pictures.Client(),
	})
	if err != nil {
		t.Fatalf("sandbox.New: %v", err)
	}
	handler := simulators.Handler()
	if front != nil {
		handler = front(handler)
	}
	server := httptest.NewUnstartedServer(handler)
	address = "http://" + server.Listener.Addr().String()
	server.Start()
	t.Cleanup(server.Close)
	i.sandbox = simulators
	i.catalog = newCatalog(t, address, i.live)
	return i
}

func newCatalog(t *testing.T, sandboxURL, live string) *catalog.Catalog {
	t.Helper()
	deps := newDeps(t)
	deps.SandboxURL = sandboxURL
	for _, p := range schema.Platforms() {
		deps.BaseURLs[p] = live
	}
	c, err := catalog.New(deps)
	if err != nil {
		t.Fatalf("catalog.New: %v", err)
	}
	return c
}

func newDeps(t testing.TB) catalog.Config {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return catalog.Config{
		Media: media.NewFetcher(media.Config{
			HTTP: &http.Client{Transport: transport}, Dir: t.TempDir(), Timeout: schema.CallDeadline, Limits: media.Limits{MaxBytes: 1 << 20},
		}),
		HTTP: &http.Client{Transport: transport}, SandboxHTTP: &http.Client{Transport: transport},
		BaseURLs: map[schema.Platform]string{},
		Logger:   slog.New(slog.DiscardHandler), Metrics: connectors.NewMetrics(prometheus.NewRegistry()), Now: time.Now,
	}
}

func (i installation) delivery(p schema.Platform, server string, sandboxed bool) schema.Delivery {
	var items []schema.Media
	var settings []byte
	limits := catalog.Constraints(p)
	if limits.Media.Required {
		items = []schema.Media{i.picture}
	}
	if limits.Media.Required && !slices.Contains(limits.Media.Kinds, schema.Image) {
		items = []schema.Media{i.film}
	}
	if limits.Title.Required {
		settings = []byte(`{"title": "A film"}`)
	}
	accepted := credentials()
	if p == schema.GoogleBusiness {
		accepted.EntityID = googlebusiness.Locations(accepted.AccessToken)[0]
	}
	if p == schema.Pinterest { // which takes no square
		upright := *i.picture.Facts
		upright.Height = 900
		items[0].Facts, accepted.EntityID = &upright, pinterest.Boards(accepted.AccessToken)[0]
	}
	if limits.Media.Required && !slices.Contains(limits.Media.Kinds, schema.Image) {
		items = []schema.Media{i.film}
	}
	if p == schema.TikTok {
		settings = []byte(`{"privacy": "PUBLIC_TO_EVERYONE"}`)
	}
	return schema.Delivery{
		Media: items, Settings: settings,
		Account: schema.Account{Platform: p, Server: server, Sandbox: sandboxed},
		Entries: 1, Text: "hello", Key: "0198a1f0-0000-7000-8000-000000000001", Since: time.Now(),
		Credentials: accepted,
	}
}

// credentials are well-formed on every platform.
func credentials() schema.Credentials {
	return schema.Credentials{
		AccessToken: "a-token", Identifier: "crier.example.com", Password: "abcd-efgh-ijkl-mnop",
		BotToken: "1234:AA-secret", ChatID: "@crier_news",
	}
}

func connected(t *testing.T, i installation, test func(*testing.T, schema.Platform)) {
	t.Helper()
	for _, p := range schema.Platforms() {
		if _, err := i.catalog.Connector(schema.Account{Platform: p}); err == nil {
			t.Run(p.String(), func(t *testing.T) { test(t, p) })
		}
	}
}

func connectorOf(t *testing.T, c *catalog.Catalog, p schema.Platform, sandboxed bool) connectors.Connector {
	t.Helper()
	connector, err := c.Connector(schema.Account{Platform: p, Sandbox: sandboxed})
	if err != nil {
		t.Fatal(err)
	}
	return connector
}

// publish prepares and publishes what is ready at once.
func publish(t *testing.T, c connectors.Connector, d *schema.Delivery) error {
	t.Helper()
	progress, err := c.Prepare(t.Context(), *d)
	d.Progress = progress.State
	if err == nil {
		_, err = c.Publish(t.Context(), *d)
	}
	return err
}

func checked(t *testing.T, c *catalog.Catalog, d schema.Delivery) error {
	t.Helper()
	checker, err := connectors.As[connectors.Checker](c, d.Account)
	if err == nil {
		_, err = checker.Check(t.Context(), d.Account, d.Credentials)
	}
	return err
}

func TestSandboxAccountsNeverReachALiveServer(t *testing.T) {
	for name, server := range map[string]func(installation) string{
		"that the account names":       func(i installation) string { return i.live },
		"that the operator configured": func(installation) string { return "" },
	} {
		t.Run(name, func(t *testing.T) {
			i := newInstallation(t, nil)
			connected(t, i, func(t *testing.T, p schema.Platform) {
				d := i.delivery(p, server(i), true)
				if err := checked(t, i.catalog, d); err != nil {
					t.Errorf("Check: %v", err)
				}
				if err := publish(t, connectorOf(t, i.catalog, p, true), &d); err != nil {
					t.Errorf("publishing: %v", err)
				}
				if _, _, err := connectorOf(t, i.catalog, p, true).Find(t.Context(), d); err != nil {
					t.Errorf("Find: %v", err)
				}
				if posts := i.sandbox.World(p).Posts(); len(posts) != 1 || posts[0].Text != "hello" {
					t.Errorf("posts in the sandbox: %+v", posts)
				}
				if n := i.reached.Load(); n != 0 {
					t.Errorf("the live server was reached %d times", n)
				}
			})
		})
	}
}

func TestSandboxIsNotLeftByRedirect(t *testing.T) {
	var live string
	i := newInstallation(t, func(http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			http.Redirect(rw, r, live+r.URL.Path, http.StatusTemporaryRedirect)
		})
	})
	live = i.live
	connected(t, i, func(t *testing.T, p schema.Platform) {
		d := i.delivery(p, "", true)
		if err := checked(t, i.catalog, d); err == nil {
			t.Error("Check succeeded on a redirect")
		}
		if err := publish(t, connectorOf(t, i.catalog, p, true), &d); err == nil {
			t.Error("Publish succeeded on a redirect")
		}
		if n := i.reached.Load(); n != 0 {
			t.Errorf("the live server was reached %d times", n)
		}
	})
}

func TestLiveAccountsReachTheirServer(t *testing.T) {
	for name, server := range map[string]func(installation) string{
		"that the account names":       func(i installation) string { return i.live },
		"that the operator configured": func(installation) string { return "" },
	} {
		t.Run(name, func(t *testing.T) {
			i := newInstallation(t, nil)
			connected(t, i, func(t *testing.T, p schema.Platform) {
				before := i.reached.Load()
				d := i.delivery(p, server(i), false)
				if err := publish(t, connectorOf(t, i.catalog, p, false), &d); err == nil {
					t.Error("a teapot took the post")
				}
				if i.reached.Load() == before {
					t.Error("the live server was not reached")
				}
				if n := len(i.sandbox.World(p).Posts()); n != 0 {
					t.Errorf("%d posts in the sandbox", n)
				}
			})
		})
	}
}

func TestWithoutASandboxItsAccountsAreRefused(t *testing.T) {
	i := newInstallation(t, nil)
	i.catalog = newCatalog(t, "", i.live)
	connected(t, i, func(t *testing.T, p schema.Platform) {
		d := i.delivery(p, i.live, true)
		_, connected := i.catalog.Connector(d.Account)
		for name, err := range map[string]error{"Connector": connected, "Check": checked(t, i.catalog, d)} {
			if schema.KindOf(err) != schema.Refused {
				t.Errorf("%s: %v, want a refusal", name, err)
			}
		}
		if n := i.reached.Load(); n != 0 {
			t.Errorf("the live server was reached %d times", n)
		}
	})
}

func TestNewRefusesAnAddressThatIsNone(t *testing.T) {
	for name, address := range map[string]string{
		"no scheme": "127.0.0.1:8080", "another scheme": "ftp://127.0.0.1", "no host": "http://", "broken": "http://a b",
	} {
		t.Run(name, func(t *testing.T) {
			deps := newDeps(t)
			deps.SandboxURL = address
			if _, err := catalog.New(deps); err == nil {
				t.Errorf("New took %q", address)
			}
		})
	}
}
