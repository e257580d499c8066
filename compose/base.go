package compose

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"time"

	"crier/analytics/usage"
	"crier/connectors"
	"crier/connectors/catalog"
	"crier/connectors/egress"
	"crier/connectors/media"
	"crier/connectors/simulators/wall"
	"crier/pipeline"
	"crier/pipeline/delay"
	"crier/pipeline/stream"
	"crier/pipeline/tracing"
	"crier/pipeline/worker"
	"crier/schema"
	"crier/schema/clickhouse"
	"crier/schema/postgres"
)

// base is what the roles of a process share.
type base struct {
	config    Config
	parts     *parts
	store     *postgres.Store
	hosts     *worker.Hosts // of accounts
	node      [16]byte      // the identity of the data folder, which claims carry
	log       *stream.Log
	analytics *clickhouse.Store
	vault     *connectors.Vault
	catalog   *catalog.Catalog
	platforms pipeline.Platforms // what stages publish to: the catalog
	live      *egress.Egress     // for the platforms
	streams   *egress.Egress     // for Bluesky's stream
	guarded   *egress.Egress     // for addresses that clients name
	fenced    *egress.Egress     // for the sandbox alone
	webhooks  *egress.Egress     // for webhooks; the same but during development
	library   *media.Library
	fetcher   *media.Fetcher   // of what connectors upload
	quota     *media.DiskQuota // of all media, on disk
	announcer *pipeline.Announcer
	metrics   *pipeline.Metrics
	overdue   *delay.Metrics
	usage     *usage.Counter
	tracer    *tracing.Tracer // nil: nothing is traced
	sandbox   net.Listener    // of the simulators; nil without the role
	simulated string          // where the simulators are reached; empty: nowhere
	walls     wall.Addresses  // of the sandbox
	probes    probes          // of /readyz
}

// newBase makes what the roles share, a step at a time, and closes what is open where one fails.
func newBase(ctx context.Context, c Config, p *parts) (*base, error) {
	b := &base{config: c, parts: p, simulated: c.SandboxURL, tracer: tracing.New(c.Traces), probes: probes{limit: readinessLimit}}
	b.metrics, b.overdue = pipeline.NewMetrics(c.Registerer), delay.NewMetrics(c.Registerer)
	b.announcer = pipeline.NewAnnouncer(c.Logger, b.metrics)
	for _, step := range []func(context.Context) error{
		b.openStore, b.takeNode, b.recover, b.markRestored, b.holdOverdue, b.openLog, b.openClickHouse, b.refuseOlder, b.openVault,
		b.listenForSandbox, b.openWalls, b.makeGuards, b.announceAllowance, b.openMedia, b.openConnectors,
	} {
		if err := step(ctx); err != nil {
			b.close()
			return nil, err
		}
	}
	return b, nil
}

// openStore reaches PostgreSQL, which must allow the connections of this process and have the
// tables of this version.
func (b *base) openStore(ctx context.Context) (err error) {
	pools := b.config.connections()
	b.store, err = postgres.Open(ctx, postgres.Config{
		URL: b.parts.postgres, MaxConns: int32(pools.stages), Requests: int32(pools.requests),
		Announce: b.announcer.Announce, MaxLateness: b.config.MaxLateness, Keep: b.config.Keep, SendsMail: b.config.Mail != nil,
		Logger: b.config.Logger, Registerer: b.config.Registerer,
	})
	if err != nil {
		return err
	}
	b.hosts = worker.NewHosts(b.store, b.config.Logger)
	if err := b.checkConnectionLimit(ctx, pools.total()); err != nil {
		return err
	}
	return postgres.CheckMigrated(ctx, b.parts.postgres)
}

// takeNode takes the identity that this process's claims carry.
func (b *base) takeNode(ctx context.Context) (err error) {
	b.node, err = b.parts.takeNode(ctx, b.store)
	return err
}

// recover brings forward what an earlier process of this node left claimed.
func (b *base) recover(ctx context.Context) error { return b.store.Recover(ctx) }

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

// openLog reaches the log, and makes the topics that it lacks.
func (b *base) openLog(ctx context.Context) (err error) {
	b.log, err = stream.Open(ctx, stream.Config{
		Brokers: b.parts.kafka, Dial: b.parts.dialLog, Security: b.config.KafkaSecurity, ClientID: "crier", Node: hex.EncodeToString(b.node[:]),
		Logger: b.config.Logger, Registerer: b.config.Registerer, Now: b.store.Now,
	})
	if err != nil {
		return err
	}
	return ensureTopics(ctx, b.config, b.log)
}

// openClickHouse reaches ClickHouse, where a role of the process needs it.
func (b *base) openClickHouse(ctx context.Context) (err error) {
	if b.parts.clickhouse == "" {
		return nil
	}
	b.analytics, err = clickhouse.Open(ctx, clickhouse.Config{URL: b.parts.clickhouse, TLS: b.config.ClickHouseTLS})
	return err
}

// openVault opens the keyset, and follows what becomes of it.
func (b *base) openVault(ctx context.Context) (err error) {
	if b.vault, err = openBoundVault(ctx, b.config, b.store); err != nil {
		return err
	}
	b.followKeyset()
	return nil
}

// listenForSandbox takes the simulators' address before the connectors need it.
func (b *base) listenForSandbox(ctx context.Context) (err error) {
	if !b.config.has(roleSandbox) {
		return nil
	}
	const anyPort = "127.0.0.1:0"
	address := cmp.Or(b.config.SandboxListen, anyPort)
	if address == anyPort {
		port, err := b.parts.data.SandboxPort()
		if err != nil {
			return err
		}
		address = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	}
	if b.sandbox, err = listen(ctx, "sandbox-listen", address); err != nil {
		return err
	}
	b.simulated = cmp.Or(b.config.SandboxURL, reachedAt(b.sandbox.Addr().String()))
	return nil
}

// makeGuards makes what goes out: each of them reaches public addresses, and what its user was
// configured with besides.
func (b *base) makeGuards(context.Context) (err error) {
	if b.live, err = b.config.guard(b.config.bases()...); err != nil {
		return err
	}
	if b.fenced, err = b.config.guard(b.simulated); err != nil {
		return err
	}
	if b.streams, err = b.config.guard(b.config.Jetstream...); err != nil {
		return err
	}
	if b.guarded, err = b.config.guard(); err != nil {
		return err
	}
	b.webhooks = b.guarded
	if b.config.AllowPrivateWebhooks {
		b.webhooks = egress.New(egress.Config{Allowed: everywhere(), UserAgent: b.config.userAgent()})
	}
	return nil
}

// openMedia makes the library of uploads, and what brings media to platforms.
func (b *base) openMedia(ctx context.Context) (err error) {
	b.quota = media.NewDiskQuota(b.parts.data.Path(""), b.config.MediaDisk)
	if b.library, err = b.newLibrary(ctx); err != nil {
		return err
	}
	b.fetcher, err = b.newFetcher()
	return err
}

// openConnectors makes the connectors of all platforms, and what counts their calls.
func (b *base) openConnectors(context.Context) (err error) {
	b.usage = usage.NewCounter(usage.Config{
		Store: postgres.NewAnalytics(b.store), Now: b.store.Now, Logger: b.config.Logger, Registerer: b.config.Registerer,
	})
	called := connectors.NewMetrics(b.config.Registerer)
	called.Tell(b.usage.Called)
	b.catalog, err = catalog.New(catalog.Config{
		HTTP: b.live.Client(), SandboxHTTP: b.fenced.Client(), SandboxURL: b.simulated,
		BaseURLs: b.config.Bases, ConsentURLs: b.config.ConsentURLs, Apps: b.config.Apps, Versions: b.config.Versions,
		Media: b.fetcher, Fit: b.library.Fitting, Pages: b.newPages(),
		Quotas: b.store,
		Turns:  b.sharedTurns(),
		Logger: b.config.Logger, Metrics: called, Now: b.store.Now,
	})
	b.platforms = walled{b.catalog, b.walls, b.publicURL()}
	return err
}

// sharedTurns are those of accounts and apps that other processes may call for too; nil where
// none does.
func (b *base) sharedTurns() connectors.SharedTurns {
	if !b.config.sharesAccounts() {
		return nil
	}
	return b.store
}

// guard is a way out that lets public addresses through, and the hosts of configured URLs; an
// empty one is none.
func (c Config) guard(urls ...string) (*egress.Egress, error) {
	hosts, err := hostsOf(urls)
	if err != nil {
		return nil, err
	}
	return egress.New(egress.Config{Allowed: c.AllowedNetworks, AllowedHosts: hosts, UserAgent: c.userAgent()}), nil
}

// bases are the configured base addresses of platforms.
func (c Config) bases() []string { return slices.Collect(maps.Values(c.Bases)) }

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

// hostsOf returns host:port of configured URLs: they are exempt from the guard.
func hostsOf(urls []string) ([]string, error) {
	var hosts []string
	for _, configured := range urls {
		if configured == "" {
			continue
		}
		u, err := url.Parse(configured)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return nil, fmt.Errorf("the configured address %q is no http or https url", configured)
		}
		port := u.Port()
		if port == "" {
			port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
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
