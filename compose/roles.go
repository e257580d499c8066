package compose

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/analytics"
	"crier/analytics/collection"
	"crier/connectors/catalog"
	"crier/connectors/sandbox"
	"crier/gateway"
	"crier/gateway/billing"
	"crier/gateway/billing/stripe"
	"crier/pipeline"
	"crier/schema/postgres"
)

// Calls at a time, by stage and process. A call holds a connection and some tens of
// kilobytes while it lasts.
const (
	publishSlots = 512
	commentSlots = 128
	notifySlots  = 512
	refreshSlots = 32
	collectSlots = 16 // reads are behind all else
)

// assemble makes the servers and stages of the process's roles.
func (b *base) assemble(ctx context.Context) ([]*server, []stage, error) {
	var servers []*server
	add := func(s *server, err error) error {
		if err == nil {
			servers = append(servers, s)
		}
		return err
	}
	stages := b.stages()
	b.measure(stages)
	if b.config.has(roleSandbox) {
		if err := add(b.sandboxServer()); err != nil {
			return nil, nil, err
		}
	}
	if b.config.has(roleGateway) {
		if err := add(b.gatewayServer(ctx)); err != nil {
			return nil, nil, err
		}
	}
	if err := add(b.adminServer(ctx, stages)); err != nil {
		return nil, nil, err
	}
	return servers, stages, nil
}

// stages makes the stages of the process's roles.
func (b *base) stages() []stage {
	var all []stage
	c, log := b.config, b.config.Logger
	shared := pipeline.Shared{Log: b.log, Logger: log, Metrics: b.metrics}
	if c.has(roleDelay) {
		store := postgres.NewDelay(b.store)
		delay := pipeline.NewDelay(store, b.log, log, b.metrics)
		maintenance := pipeline.NewMaintenance(pipeline.MaintenanceDeps{
			Far: store, History: store, Archive: store, Inbox: store, Limits: store, Webhooks: store, Holds: store, Outbox: store, Sweeper: store, Observer: store, DeadLetters: store,
			Announce: b.announcer.Announce, Log: b.log, Logger: log, Metrics: b.metrics,
		})
		all = append(all,
			stage{roleDelay, delay.Run, delay.Ready},
			stage{roleDelay, maintenance.Run, always})
	}
	if c.has(rolePublish) {
		store := postgres.NewPublish(b.store, catalog.Constraints)
		publish := pipeline.NewPublish(pipeline.PublishConfig{
			Shared: shared, Store: store, Platforms: b.platforms, Vault: b.vault,
			Slots: publishSlots, Late: c.MaxLateness, Fetched: b.fetcher, Tracer: b.tracer,
		})
		refresh := pipeline.NewRefresh(pipeline.RefreshConfig{
			Shared: shared, Store: postgres.NewRefresh(b.store), Published: store, Profiles: catalog.FreshProfiles(), Keys: b.catalog, Vault: b.vault, Slots: refreshSlots,
		})
		all = append(all,
			stage{rolePublish, draining(publish.Run, c), publish.Ready},
			stage{rolePublish, draining(refresh.Run, c), refresh.Ready},
			stage{rolePublish, b.removeFetched, always})
	}
	if c.has(roleComment) {
		comment := pipeline.NewComment(pipeline.CommentConfig{
			Shared: shared, Store: postgres.NewComment(b.store, catalog.Constraints), Platforms: b.platforms, Vault: b.vault,
			Slots: commentSlots, Late: c.MaxLateness,
		})
		all = append(all, stage{roleComment, draining(comment.Run, c), comment.Ready})
	}
	if c.has(roleNotify) {
		store := postgres.NewNotify(b.store, b.vault)
		expand := pipeline.NewExpand(store, b.announcer.Announce, b.log, log)
		notify := pipeline.NewNotify(pipeline.NotifyConfig{
			Shared: shared, Store: store, Sender: pipeline.NewSender(b.webhooks.Client(), b.store.Now), Slots: notifySlots, Tracer: b.tracer,
		})
		all = append(all,
			stage{roleNotify, expand.Run, expand.Ready},
			stage{roleNotify, draining(notify.Run, c), notify.Ready})
	}
	if c.has(roleAnalytics) {
		sink := analytics.NewSink(analytics.SinkDeps{
			Store: b.analytics.Sink(), Outbox: postgres.NewAnalytics(b.store), Log: b.log, Now: b.store.Now, Logger: log, Registerer: c.Registerer,
		})
		deleting := pipeline.NewDeleting(postgres.NewDeletions(b.store, cmp.Or(b.config.DeletionLate, postgres.DeletionLate)), b.analytics.Eraser(), catalog.Profiles(), shared)
		keeping := analytics.NewKeeper(analytics.KeeperDeps{Store: b.analytics.Retention(), Keep: c.Keep, Now: b.store.Now, Logger: log})
		counting := analytics.NewCounter(analytics.CounterDeps{Store: b.analytics.Rollups(), Logger: log, Registerer: c.Registerer})
		collect := collection.New(collection.Config{
			Store: postgres.NewCollection(b.store, b.store.Now), Platforms: b.catalog, Vault: b.vault, Slots: collectSlots,
			Log: b.log, Logger: log, Workers: b.metrics.Workers(), Registerer: c.Registerer,
		})
		all = append(all, stage{roleAnalytics, sink.Run, sink.Ready}, stage{roleAnalytics, deleting.Run, always},
			stage{roleAnalytics, keeping.Run, always}, stage{roleAnalytics, counting.Run, always}, stage{roleAnalytics, draining(collect.Run, c), collect.Ready})
	}
	if c.has(roleListening) {
		all = append(all, b.listening()...)
	}
	if c.has(roleGateway) { // where uploads arrive
		cleanup := pipeline.NewMediaCleanup(postgres.NewMedia(b.store), b.library, b.store.Now, log)
		all = append(all, stage{roleGateway, cleanup.Run, always}, stage{roleGateway, b.sandboxes().Run, always})
	}
	return all
}

// draining gives a stage its time for the calls in hand.
func draining(run func(context.Context, time.Duration) error, c Config) func(context.Context) error {
	return func(ctx context.Context) error { return run(ctx, c.Drain) }
}

// always is ready.
func always() error { return nil }

// gatewayServer makes the REST API.
func (b *base) gatewayServer(ctx context.Context) (*server, error) {
	store := postgres.NewGateway(b.store, b.vault, catalog.Constraints)
	seller, err := b.seller()
	if err != nil {
		return nil, err
	}
	queries := analytics.NewQueries(b.analytics.Analytics(), postgres.NewAnalytics(b.store))
	g, err := gateway.New(gateway.Config{
		Store: store, Deletions: postgres.NewDeletions(b.store, cmp.Or(b.config.DeletionLate, postgres.DeletionLate)), Analytics: queries, Inbox: queries, Media: b.library, Sandboxes: b.sandboxes(), Seller: seller,
		TestSender: pipeline.NewSender(b.webhooks.Client(), b.store.Now),
		Platforms: gateway.Platforms{
			Connectors: b.catalog, Vault: b.vault, BaseURLs: b.config.Bases, Constraints: catalog.Constraints,
		},
		Addresses: gateway.Addresses{
			PublicURL: b.publicURL(), Check: b.guarded.CheckURL, TrustedProxies: b.config.TrustedProxies,
		},
		Rules: gateway.Rules{
			Lead: b.config.Lead, AllowPrivateWebhooks: b.config.AllowPrivateWebhooks, AllowRegistration: b.config.AllowRegistration,
		},
		Now: b.store.Now, Random: rand.Reader, Logger: b.config.Logger, Registerer: b.config.Registerer, Tracer: b.tracer,
		Requested: b.usage.Requested,
	})
	if err != nil {
		return nil, fmt.Errorf("making the gateway: %w", err)
	}
	handler, err := b.withWalls(g.Handler())
	if err != nil {
		return nil, err
	}
	listener, err := listen(ctx, "listen", b.config.Listen)
	if err != nil {
		return nil, err
	}
	return newServer("the REST API", listener, handler, b.config.Logger), nil
}

func (b *base) sandboxes() sandboxes {
	return sandboxes{postgres.NewAdmin(b.store), b.vault, b.config.Logger}
}

// seller makes what sells plans; nil where nothing is sold.
func (b *base) seller() (billing.Seller, error) {
	if b.config.Billing == nil {
		return nil, nil
	}
	c := *b.config.Billing
	c.HTTP, c.Now, c.Logger = b.guarded.Client(), b.store.Now, b.config.Logger
	pages := b.publicURL() + "/docs"
	c.SuccessURL, c.CancelURL = cmp.Or(c.SuccessURL, pages), cmp.Or(c.CancelURL, pages)
	seller, err := stripe.New(c)
	if err != nil {
		return nil, fmt.Errorf("configuring payments: %w", err)
	}
	return seller, nil
}

// sandboxServer makes the simulators of test keys, at an address of their own.
func (b *base) sandboxServer() (*server, error) {
	// Media that the gateway serves is fetched from it, wherever it listens.
	puller, err := b.config.guard(b.publicURL())
	if err != nil {
		return nil, err
	}
	simulators, err := sandbox.New(sandbox.Config{
		Simulators: catalog.Simulators(), Folder: b.parts.data.Path("sandbox"),
		BaseURL: func() string { return b.simulated }, Now: b.store.Now, HTTP: puller.Client(), Walls: b.walls,
	})
	if err != nil {
		return nil, fmt.Errorf("making the sandbox: %w", err)
	}
	b.config.Registerer.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "crier_sandbox_media_bytes",
		Help: "Media that the sandbox keeps on disk for walls.",
	}, func() float64 { return float64(simulators.Kept()) }))
	return newServer("the sandbox", b.sandbox, simulators.Handler(), b.config.Logger), nil
}
