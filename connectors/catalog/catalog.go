package catalog

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"crier/connectors"
	"crier/connectors/media"
	"crier/connectors/page"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// Config is what a Catalog is made of.
type Config struct {
	HTTP *http.Client // of an egress that may reach the BaseURLs
	// SandboxHTTP is of an egress that may reach SandboxURL. It is another one than
	// HTTP, or a live account's server could be the sandbox's host.
	SandboxHTTP *http.Client
	SandboxURL  string // of package sandbox; empty: sandbox accounts are refused
	// BaseURLs are the configured addresses of platforms; without one it is the
	// platform's own.
	BaseURLs map[schema.Platform]string
	// ConsentURLs are where browsers reach the platforms' pages of consent, when that is
	// elsewhere than the rest of the platform; without one it is the base, or the platform's own.
	ConsentURLs map[schema.Platform]string
	Apps        map[schema.Platform]connectors.App // crier's, as configured
	// Versions are of the platforms' APIs, where others are asked for than the connectors' own.
	Versions map[schema.Platform]string
	Media    media.Source
	// Fit makes the media of a platform fit it where items ask for that; nil: nothing does.
	Fit     func(media.Source, schema.Platform) media.Source
	Pages   *page.Reader           // nil: no page is read
	Turns   connectors.SharedTurns // of apps and accounts, with other processes; nil: there are none
	Quotas  connectors.DailyQuotas // nil: each process counts by itself
	Logger  *slog.Logger
	Metrics *connectors.Metrics
	Now     func() time.Time
}

// Catalog holds the connectors. It is safe for concurrent use.
type Catalog struct {
	worlds  [len(table)]worlds               // by platform
	clients [len(table)][]*connectors.Client // of its worlds
}

// worlds are the connectors of a platform: of accounts as they are, and of those of the
// sandbox. Both are nil where it has none yet, the latter also where there is no sandbox.
type worlds struct{ live, sandbox connectors.Connector }

// New makes the connectors there are. It fails on a SandboxURL that is none, and on an app that may
// not publish.
func New(d Config) (*Catalog, error) {
	fenced, err := fencedClient(d.SandboxHTTP, d.SandboxURL)
	if err != nil {
		return nil, fmt.Errorf("reading address of the sandbox: %w", err)
	}
	c := &Catalog{}
	for p, e := range table {
		if e.New == nil {
			continue
		}
		platform := schema.Platform(p)
		source := d.Media
		if d.Fit != nil {
			source = d.Fit(source, platform)
		}
		address := sandboxAddress(d.SandboxURL, platform)
		prefix := platform.String() + "/"
		live, sandbox := e.client(d, d.HTTP, prefix), e.client(d, fenced, "sandbox/"+prefix)
		c.worlds[p].live = e.New(connectors.Parts{
			Client: live, Base: d.BaseURLs[platform], Consent: d.ConsentURLs[platform],
			Version: d.Versions[platform], App: d.Apps[platform], Quotas: d.Quotas, Media: source, Pages: d.Pages, Now: d.Now,
		})
		if scoped, ok := connectors.Able[connectors.Scoped](c.worlds[p].live); ok {
			if err := scoped.Scopes().CheckChosen(); err != nil {
				return nil, fmt.Errorf("reading what accounts of %s are asked for: %w", platform, err)
			}
		}
		if address != "" {
			c.worlds[p].sandbox = e.New(connectors.Parts{Client: sandbox, Base: address, App: sandboxApp, Media: source, Pages: d.Pages, Now: d.Now})
		}
		c.clients[p] = []*connectors.Client{live, sandbox}
	}
	return c, nil
}

func (e entry) client(d Config, client *http.Client, prefix string) *connectors.Client {
	return connectors.NewClient(connectors.ClientConfig{
		Calls: e.Calls, HTTP: client, Limits: e.Limits,
		Turns: d.Turns, TurnPrefix: prefix,
		Logger: d.Logger, Metrics: d.Metrics, Now: d.Now,
	})
}

// Reserve reserves the turn of an account's next call of a kind, or tells how long it is
// until there may be one: see connectors.Client.Reserve. Without a platform, as in messages
// of older versions, it asks for all of them.
func (c *Catalog) Reserve(ctx context.Context, p schema.Platform, account schema.AccountID, kind connectors.Kind) (schema.Reservation, time.Duration) {
	for _, client := range c.clientsOf(p) {
		if reservation, wait := client.Reserve(ctx, account, kind); reservation != nil || wait > 0 {
			return reservation, wait
		}
	}
	return nil, 0
}

// Spacing returns how far apart the turns are for which an account's next calls of a kind wait: see
// connectors.Client.Spacing. Without a platform it asks for all of them.
func (c *Catalog) Spacing(p schema.Platform, account schema.AccountID, kind connectors.Kind) time.Duration {
	for _, client := range c.clientsOf(p) {
		if spacing := client.Spacing(account, kind); spacing > 0 {
			return spacing
		}
	}
	return 0
}

// clientsOf returns the clients of a platform, live and of the sandbox; of all without one.
func (c *Catalog) clientsOf(p schema.Platform) []*connectors.Client {
	if p > 0 && int(p) < len(c.clients) {
		return c.clients[p]
	}
	return slices.Concat(c.clients[:]...)
}

// Connector returns the connector of an account: that of its platform, in the sandbox or
// outside of it. It is the only place where that is decided.
func (c *Catalog) Connector(a schema.Account) (connectors.Connector, error) {
	if int(a.Platform) >= len(c.worlds) || c.worlds[a.Platform].live == nil {
		return nil, &schema.Error{Kind: schema.Refused, Message: fmt.Sprintf("crier does not serve %s yet", a.Platform)}
	}
	switch worlds := c.worlds[a.Platform]; {
	case !a.Sandbox:
		return worlds.live, nil
	case worlds.sandbox == nil:
		return nil, &schema.Error{Kind: schema.Refused, Message: "this installation has no sandbox"}
	default:
		return worlds.sandbox, nil
	}
}

// Simulators returns the simulators there are.
func Simulators() []simulation.Simulator {
	var all []simulation.Simulator
	for _, p := range schema.Platforms() {
		simulator := table[p].simulator
		simulator.Label = table[p].Label
		all = append(all, simulator)
	}
	return all
}

// sandboxApp is crier's OAuth client with every simulator.
var sandboxApp = connectors.App{ID: simulation.AppID, Secret: simulation.AppSecret}

// sandboxAddress is where a platform's simulator is; empty without a sandbox.
func sandboxAddress(sandboxURL string, p schema.Platform) string {
	if sandboxURL == "" {
		return ""
	}
	return strings.TrimRight(sandboxURL, "/") + "/" + p.String()
}

func parseSandboxURL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%q is no http or https address", address)
	}
	return u, nil
}
