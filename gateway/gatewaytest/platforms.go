package gatewaytest

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/connectors"
	"crier/connectors/catalog"
	"crier/connectors/egress"
	"crier/connectors/simulators/sandbox"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// Platforms is the connectors of an installation, and the simulators they reach once they
// are needed: most tests have no use for them.
type Platforms struct {
	testing.TB
	open     func() *catalog.Catalog
	Sandbox  *sandbox.Sandbox
	BaseURLs map[schema.Platform]string
	apps     map[schema.Platform]connectors.App // one of LinkedIn's is missing
	vault    *connectors.Vault
}

func newPlatforms(t testing.TB) *Platforms {
	t.Helper()
	p := &Platforms{TB: t, BaseURLs: map[schema.Platform]string{}, apps: map[schema.Platform]connectors.App{}}
	var address string
	var err error
	p.Sandbox, err = sandbox.New(sandbox.Config{
		Simulators: catalog.Simulators(), BaseURL: func() string { return address }, Now: time.Now, HTTP: http.DefaultClient,
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(p.Sandbox.Handler())
	address = "http://" + server.Listener.Addr().String()
	server.Start()
	t.Cleanup(server.Close)
	for _, simulator := range catalog.Simulators() {
		p.BaseURLs[simulator.Platform] = address + "/" + simulator.Platform.String()
		if simulator.Platform != schema.LinkedIn {
			p.apps[simulator.Platform] = connectors.App{ID: simulation.AppID, Secret: simulation.AppSecret}
		}
	}
	if p.vault, err = connectors.OpenVault(filepath.Join(t.TempDir(), "keyset.json")); err != nil {
		t.Fatal(err)
	}
	p.open = sync.OnceValue(func() *catalog.Catalog { return p.connect(address) })
	return p
}

func (p *Platforms) connect(address string) *catalog.Catalog {
	loopback := egress.New(egress.Config{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	c, err := catalog.New(catalog.Config{
		HTTP: loopback.Client(), SandboxHTTP: loopback.Client(), SandboxURL: address, BaseURLs: p.BaseURLs, Apps: p.apps,
		Logger: slog.New(slog.DiscardHandler), Metrics: connectors.NewMetrics(prometheus.NewRegistry()), Now: time.Now,
	})
	if err != nil {
		p.Fatal(err)
	}
	return c
}

// Connector starts the simulators when the first account is asked for.
func (p *Platforms) Connector(a schema.Account) (connectors.Connector, error) {
	return p.open().Connector(a)
}

// Inject makes a simulator's next calls of an operation fail.
func (p *Platforms) Inject(of schema.Platform, f simulation.Fault) {
	p.Helper()
	if err := p.Sandbox.World(of).Inject(f); err != nil {
		p.Fatal(err)
	}
}
