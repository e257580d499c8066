package compose

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"crier/analytics/usage"
	"crier/connectors"
	"crier/connectors/catalog"
	"crier/connectors/egress"
	"crier/connectors/media"
	"crier/connectors/wall"
	"crier/pipeline"
	"crier/pipeline/stream"
	"crier/pipeline/tracing"
	"crier/schema"
	"crier/schema/clickhouse"
	"crier/schema/postgres"
)

// base is what the roles of a process share.
type base struct {
	config    Config
	parts     *parts
	store     *postgres.Store
	log       *stream.Log
	analytics *clickhouse.Store
	vault     *connectors.Vault
	catalog   *catalog.Catalog
	platforms pipeline.Platforms // what stages publish to: the catalog
	guarded   *egress.Egress     // for addresses that clients name
	fenced    *egress.Egress     // for the sandbox alone
	webhooks  *egress.Egress     // for webhooks; the same but during development
	library   *media.Library
	fetcher   *media.Fetcher // of what connectors upload
	room      *media.Room    // of all media, on disk
	announcer *pipeline.Announcer
	metrics   *pipeline.Metrics
	usage     *usage.Counter
	tracer    *tracing.Tracer // nil: nothing is traced
	sandbox   net.Listener    // of the simulators; nil without the role
	simulated string          // where the simulators are reached; empty: nowhere
	walls     wall.Addresses  // of the sandbox
}

func newBase(ctx context.Context, c Config, p *parts) (*base, error) {
	b := &base{config: c, parts: p, simulated: c.SandboxURL, tracer: tracing.New(c.Traces)}
	b.metrics = pipeline.NewMetrics(c.Registerer)
	b.announcer = pipeline.NewAnnouncer(c.Logger, b.metrics)
	if err := b.connect(ctx); err != nil {
		b.close()
		return nil, err
	}
	if err := b.connectOut(ctx); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

// connect reaches PostgreSQL, the log and ClickHouse.
func (b *base) connect(ctx context.Context) error {
	var err error
	pools := b.config.connections()
	b.store, err = postgres.Open(ctx, postgres.Config{
		URL: b.parts.postgres, MaxConns: int32(pools.stages), Requests: int32(pools.requests), Announce: b.announcer.Announce, MaxLateness: b.config.MaxLateness, Keep: b.config.Keep,
		Logger: b.config.Logger, Registerer: b.config.Registerer,
	})
	if err != nil {
		return err
	}
	if err := b.checkConnectionLimit(ctx, pools.total()); err != nil {
		return err
	}
	if err := postgres.CheckMigrated(ctx, b.parts.postgres); err != nil {
		return err
	}
	node, err := b.parts.takeNode(ctx, b.store)
	if err != nil {
		return err
	}
	if err := b.store.Recover(ctx); err != nil {
		return err
	}
	if err := b.holdOverdue(ctx); err != nil {
		return err
	}
	b.log, err = stream.Open(ctx, stream.Config{
		Brokers: b.parts.kafka, Security: b.config.KafkaSecurity, ClientID: "crier", Node: hex.EncodeToString(node[:]), Logger: b.config.Logger, Registerer: b.config.Registerer, Now: b.store.Now,
	})
	if err != nil {
		return err
	}
	if err := ensureTopics(ctx, b.config, b.log); err != nil {
		return err
	}
	if b.parts.clickhouse == "" {
		return nil
	}
	b.analytics, err = clickhouse.Open(ctx, clickhouse.Config{URL: b.parts.clickhouse, TLS: b.config.ClickHouseTLS})
	return err
}

// holdOverdue holds what is overdue for review, before any role can publish it.
func (b *base) holdOverdue(ctx context.Context) error {
	if !b.config.HoldOverdue {
		return nil
	}
	held, err := b.store.HoldOverdue(ctx)
	if err != nil {
		return fmt.Errorf("holding what is overdue: %w", err)
	}
	b.config.Logger.WarnContext(ctx, "overdue posts are held for review; see crier held list", "posts", held)
	return nil
}

// connectOut makes the vault, the address guards, the media library and the connectors.
func (b *base) connectOut(ctx context.Context) error {
	var err error
	if b.vault, err = openBoundVault(ctx, b.config, b.store); err != nil {
		return err
	}
	b.followKeyset()
	if err := b.listenForSandbox(ctx); err != nil {
		return err
	}
	if err := b.openWalls(ctx); err != nil {
		return err
	}
	b.usage = usage.NewCounter(usage.Config{Store: postgres.NewAnalytics(b.store), Now: b.store.Now, Logger: b.config.Logger, Registerer: b.config.Registerer})
	called := connectors.NewMetrics(b.config.Registerer)
	called.Tell(b.usage.Called)
	live, err := b.egress(b.config.Bases)
	if err != nil {
		return err
	}
	if b.fenced, err = b.egress(map[schema.Platform]string{0: b.simulated}); err != nil {
		return err
	}
	b.guarded = egress.New(egress.Config{Allowed: b.config.AllowedNetworks, UserAgent: b.config.userAgent()})
	b.webhooks = b.guarded
	if b.config.AllowPrivateWebhooks {
		b.webhooks = egress.New(egress.Config{Allowed: everywhere(), UserAgent: b.config.userAgent()})
	}
	b.room = media.NewRoom(b.parts.data.Path(""), b.config.MediaDisk)
	if b.library, err = b.newLibrary(ctx); err != nil {
		return err
	}
	if b.fetcher, err = b.newFetcher(); err != nil {
		return err
	}
	b.catalog, err = catalog.New(catalog.Deps{
		HTTP: live.Client(), SandboxHTTP: b.fenced.Client(), SandboxURL: b.simulated, BaseURLs: b.config.Bases, ConsentURLs: b.config.ConsentURLs, Apps: b.config.Apps, Versions: b.config.Versions,
		Media: b.fetcher, Fit: b.library.Fitting,
		Quotas: b.store,
		Turns:  b.store, ShareAccounts: b.config.sharesAccounts(),
		Logger: b.config.Logger, Metrics: called, Now: b.store.Now,
	})
	b.platforms = walled{b.catalog, b.walls, b.publicURL()}
	return err
}

// listenForSandbox takes the simulators' address before the connectors need it.
func (b *base) listenForSandbox(ctx context.Context) (err error) {
	if !b.config.has(roleSandbox) {
		return nil
	}
	b.sandbox, err = listen(ctx, "sandbox-listen", cmp.Or(b.config.SandboxListen, "127.0.0.1:0"))
	if err != nil {
		return err
	}
	b.simulated = cmp.Or(b.config.SandboxURL, "http://"+b.sandbox.Addr().String())
	return nil
}

// egress is an address guard that also lets configured addresses through.
func (b *base) egress(configured map[schema.Platform]string) (*egress.Egress, error) {
	hosts, err := hostsOf(configured)
	if err != nil {
		return nil, err
	}
	return egress.New(egress.Config{Allowed: b.config.AllowedNetworks, AllowedHosts: hosts, UserAgent: b.config.userAgent()}), nil
}

// everywhere is all addresses: the guard of webhooks during development.
func everywhere() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}
}

// fetching is how media is fetched for a post: within the lease of preparing.
func (c Config) fetching(guard *egress.Egress, stored func(context.Context, schema.MediaID) (*media.File, error)) media.Config {
	return media.Config{
		HTTP: guard.Client(), Timeout: 2 * time.Minute, Limits: media.Limits{MaxBytes: c.largestMedia()},
		Stored: stored,
	}
}

// hostsOf returns host:port of configured base addresses: they are exempt from the guard.
func hostsOf(bases map[schema.Platform]string) ([]string, error) {
	var hosts []string
	for platform, base := range bases {
		if base == "" {
			continue
		}
		u, err := url.Parse(base)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return nil, fmt.Errorf("the base address of %s is no http or https url", platform)
		}
		port := u.Port()
		if port == "" {
			port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
		}
		hosts = append(hosts, net.JoinHostPort(u.Hostname(), port))
	}
	return hosts, nil
}

func (b *base) close() {
	b.endTraces()
	if b.sandbox != nil {
		_ = b.sandbox.Close() // its server may have closed it already
	}
	if b.log != nil {
		b.log.Close()
	}
	if b.analytics != nil {
		if err := b.analytics.Close(); err != nil {
			b.config.Logger.Error("closing ClickHouse failed", "err", err)
		}
	}
	if b.store != nil {
		b.store.Close()
	}
}

// endTraces exports the spans that have ended, for at most five seconds: a collector that is
// away must not hold up the end of the process.
func (b *base) endTraces() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := b.tracer.Close(ctx); err != nil {
		b.config.Logger.Warn("ending the traces failed", "err", err)
	}
}
