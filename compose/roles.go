package compose

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"crier/analytics"
	"crier/analytics/collection"
	"crier/connectors/catalog"
	"crier/connectors/simulators/sandbox"
	"crier/gateway"
	"crier/gateway/billing"
	"crier/gateway/billing/stripe"
	"crier/gateway/web"
	"crier/pipeline"
	"crier/pipeline/delay"
	"crier/pipeline/mail"
	"crier/schema/metric"
	"crier/schema/postgres"
	"crier/schema/postgres/deletion"
)

// Calls at a time, by stage and process. A call holds a connection and some tens of
// kilobytes while it lasts.
const (
	publishSlots = 1152
	commentSlots = 288
	notifySlots  = 512
	refreshSlots = 72
	collectSlots = 48 // reads are behind all else
	// mediaSlots are for what publishing fetches by URL.
	mediaSlots = 288
	// pageSlots are for pages that posts show a card of: each takes up to 2 MB of memory.
	pageSlots = 32
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
	for _, of := range []struct {
		role   string
		stages func() []stage
	}{
		{roleDelay, b.delayStages},
		{rolePublish, b.publishStages},
		{roleComment, b.commentStages},
		{roleNotify, b.notifyStages},
		{roleAnalytics, b.analyticsStages},
		{roleListening, b.listeningStages},
		{roleGateway, b.gatewayStages},
	} {
		if b.config.has(of.role) {
			all = append(all, of.stages()...)
		}
	}
	return all
}

// shared is what all stages of the pipeline share.
func (b *base) shared() pipeline.Shared {
	return pipeline.Shared{Log: b.log, Logger: b.config.Logger, Metrics: b.metrics, Hosts: b.hosts}
}

func (b *base) delayStages() []stage {
	store := postgres.NewDelay(b.store)
	jobs := delay.New(delay.Config{Store: store, Log: b.log, Logger: b.config.Logger, Metrics: b.overdue, Hosts: b.hosts})
	maintenance := pipeline.NewMaintenance(pipeline.MaintenanceConfig{
		Shared: b.shared(), Chores: storeChores(store), Outbox: store, Sweeper: store, Observer: store, DeadLetters: store,
		Announce: b.announcer.Announce,
	})
	return []stage{
		{roleDelay, jobs.Run, jobs.Ready},
		{roleDelay, maintenance.Run, always},
	}
}

// forgetEvery is how often rows past their retention are deleted.
const forgetEvery = time.Hour

// storeChores are the chores that need the database alone. A new one is added here.
func storeChores(s *postgres.Delay) []pipeline.Chore {
	return []pipeline.Chore{
		{Name: "partitions", Every: time.Hour, Do: s.MakePartitions},
		{Name: "drop_partitions", Every: time.Hour, Do: s.DropPartitions},
		{Name: "promote", Every: 5 * time.Minute, Do: s.Promote},
		{Name: "archive", Every: time.Minute, Do: s.Archive},
		{Name: "archive_unnoted", Every: 5 * time.Second, Do: s.ArchiveUnnoted},
		{Name: "forget_posts", Every: forgetEvery, Do: s.ForgetPosts},
		{Name: "forget_audit", Every: forgetEvery, Do: s.ForgetAudit},
		{Name: "forget_keys", Every: forgetEvery, Do: s.ForgetKeys},
		{Name: "forget_receipts", Every: forgetEvery, Do: s.ForgetReceipts},
		{Name: "forget_deliveries", Every: forgetEvery, Do: s.ForgetDeliveries},
		{Name: "forget_attempts", Every: forgetEvery, Do: s.ForgetAttempts},
		{Name: "forget_replies", Every: forgetEvery, Do: s.ForgetReplies},
		{Name: "forget_inbox", Every: forgetEvery, Do: s.ForgetInbox},
		{Name: "forget_counters", Every: forgetEvery, Do: s.ForgetCounters},
		{Name: "forget_turns", Every: forgetEvery, Do: s.ForgetTurns},
		{Name: "forget_webhooks", Every: time.Second, Do: s.ForgetWebhooks},
		{Name: "forget_found", Every: 5 * time.Minute, Do: s.ForgetFound},
		{Name: "forget_mails", Every: forgetEvery / 4, Do: s.ForgetMails},
		{Name: "forget_consents", Every: forgetEvery, Do: s.ForgetConsents},
		{Name: "forget_dead_letters", Every: forgetEvery, Do: s.ForgetDeadLetters},
		{Name: "redeliver", Every: time.Second, Do: s.Redeliver},
		{Name: "resume", Every: time.Second, Do: s.Resume},
	}
}

func (b *base) publishStages() []stage {
	store := postgres.NewPublish(b.store, catalog.Constraints)
	publish := pipeline.NewPublish(pipeline.PublishConfig{
		Shared: b.shared(), Store: store, Platforms: b.platforms, Vault: b.vault,
		Slots: publishSlots, Late: b.config.MaxLateness, Fetched: b.fetcher, Tracer: b.tracer,
	})
	refresh := pipeline.NewRefresh(pipeline.RefreshConfig{
		Shared: b.shared(), Store: postgres.NewRefresh(b.store), Published: store,
		Profiles: catalog.FreshProfiles(), Keys: b.catalog, Vault: b.vault, Slots: refreshSlots,
	})
	return []stage{
		{rolePublish, b.draining(publish.Run), publish.Ready},
		{rolePublish, b.draining(refresh.Run), refresh.Ready},
		{rolePublish, b.removeFetched, always},
		{rolePublish, b.looks(store).Run, always},
	}
}

func (b *base) commentStages() []stage {
	comment := pipeline.NewComment(pipeline.CommentConfig{
		Shared: b.shared(), Store: postgres.NewComment(b.store, catalog.Constraints), Platforms: b.platforms, Vault: b.vault,
		Slots: commentSlots, Late: b.config.MaxLateness,
	})
	return []stage{{roleComment, b.draining(comment.Run), comment.Ready}}
}

func (b *base) notifyStages() []stage {
	store := postgres.NewNotify(b.store, b.vault)
	expand := pipeline.NewExpand(pipeline.ExpandConfig{Shared: b.shared(), Store: store, Announce: b.announcer.Announce})
	notify := pipeline.NewNotify(pipeline.NotifyConfig{
		Shared: b.shared(), Store: store, Sender: pipeline.NewSender(b.webhooks.Client(), b.store.Now),
		Slots: notifySlots, Tracer: b.tracer,
	})
	letters := mail.New(mail.Config{
		Server: b.config.Mail, PublicURL: b.publicURL(), Store: postgres.NewMail(b.store, rand.Reader), Now: b.store.Now,
		Logger: b.config.Logger, Metrics: mail.NewMetrics(b.config.Registerer),
	})
	return []stage{
		{roleNotify, expand.Run, expand.Ready},
		{roleNotify, b.draining(notify.Run), notify.Ready},
		{roleNotify, b.draining(letters.Run), always},
	}
}

func (b *base) analyticsStages() []stage {
	c, log := b.config, b.config.Logger
	sink := analytics.NewSink(analytics.SinkDeps{
		Store: b.analytics.Sink(), Outbox: postgres.NewAnalytics(b.store), Log: b.log, Now: b.store.Now, Logger: log, Registerer: c.Registerer,
	})
	deleting := pipeline.NewDeleting(pipeline.DeletingConfig{
		Shared: b.shared(), Store: b.deletions(), Events: b.analytics.Eraser(), Profiles: catalog.Profiles(),
	})
	keeping := analytics.NewKeeper(analytics.KeeperDeps{Store: b.analytics.Retention(), Keep: c.Keep, Now: b.store.Now, Logger: log})
	counting := analytics.NewCounter(analytics.CounterDeps{Store: b.analytics.Rollups(), Logger: log, Registerer: c.Registerer})
	collect := collection.New(collection.Config{
		Store: postgres.NewCollection(b.store, b.store.Now), Platforms: b.catalog, Vault: b.vault, Slots: collectSlots, Hosts: b.hosts,
		Log: b.log, Logger: log, Workers: b.metrics.Workers(), Registerer: c.Registerer,
	})
	return []stage{
		{roleAnalytics, sink.Run, sink.Ready},
		{roleAnalytics, deleting.Run, always},
		{roleAnalytics, keeping.Run, always},
		{roleAnalytics, counting.Run, always},
		{roleAnalytics, b.restoredEvents().Run, always},
		{roleAnalytics, b.draining(collect.Run), collect.Ready},
	}
}

// gatewayStages tidy up where uploads arrive, and sandboxes.
func (b *base) gatewayStages() []stage {
	cleanup := pipeline.NewMediaCleanup(pipeline.MediaCleanupConfig{
		Shared: b.shared(), Rows: postgres.NewMedia(b.store), Content: b.library, Now: b.store.Now,
	})
	return []stage{
		{roleGateway, cleanup.Run, always},
		{roleGateway, b.sandboxes().Run, always},
	}
}

// draining gives a stage its time for the calls in hand.
func (b *base) draining(run func(context.Context, time.Duration) error) func(context.Context) error {
	return func(ctx context.Context) error { return run(ctx, b.config.Drain) }
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
	providers, err := b.providers()
	if err != nil {
		return nil, err
	}
	queries := analytics.NewQueries(b.analytics.Analytics(), postgres.NewAnalytics(b.store))
	g, err := gateway.New(gateway.Config{
		Stores: gateway.Stores{
			Admission: store, Directory: store, Posts: store, Queues: store, Accounts: store,
			Keys: store, Billing: store, Media: store, Webhooks: store, Feeds: store,
			Engagement: store, People: store, Devices: store, Audit: store, Mail: postgres.NewMail(b.store, rand.Reader), Deletions: b.deletions(),
		},
		Analytics: queries, Inbox: queries,
		Media: b.library, Sandboxes: b.sandboxes(), Seller: seller, Providers: providers,
		TestSender: pipeline.NewSender(b.webhooks.Client(), b.store.Now),
		Platforms: gateway.Platforms{
			Connectors: b.catalog, Vault: b.vault, BaseURLs: b.config.Bases, Connecting: catalog.Connecting, Constraints: catalog.Constraints,
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
	console, err := web.New(b.config.Console)
	if err != nil {
		return nil, fmt.Errorf("opening the console: %w", err)
	}
	listener, err := listen(ctx, "listen", b.config.Listen)
	if err != nil {
		return nil, err
	}
	return newServer("the REST API", listener, console.Over(handler), b.config.Logger), nil
}

func (b *base) deletions() *deletion.Store {
	return deletion.New(b.store.DB, cmp.Or(b.config.DeletionLate, deletion.Late))
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
	metric.With(b.config.Registerer).GaugeFunc("crier_sandbox_media_bytes",
		"Media that the sandbox keeps on disk for walls.", func() float64 { return float64(simulators.StoredBytes()) })
	return newServer("the sandbox", b.sandbox, simulators.Handler(), b.config.Logger), nil
}
