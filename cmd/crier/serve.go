package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"crier/analytics/dashboards"
	"crier/cmd/crier/demo"
	"crier/compose"
	"crier/gateway"
	"crier/gateway/billing/stripe"
	"crier/identity/oidc"
	"crier/pipeline/mail"
	"crier/schema"
)

type serveCommand struct {
	partsFlags
	kafkaFlags
	partitionsFlag
	clickhouseFlags
	mediaFlags
	Listen               string            `default:"127.0.0.1:8080" help:"Address of the REST API."`
	AdminListen          string            `default:"127.0.0.1:8081" help:"Address of metrics, health and profiles."`
	ViewsToken           string            `secret:"" help:"Token of dashboards: with it the admin listener serves the views of ClickHouse at /views/. At least 16 characters; off when empty."`
	PublicURL            string            `help:"Where clients reach the REST API; http:// and --listen when empty."`
	Console              string            `help:"Serve the console from this folder, as npm makes it, and not the one in the binary." placeholder:"FOLDER"`
	Roles                string            `default:"all" help:"What this process does: all, or some of gateway,delay,publish,comment,notify,analytics,listening,sandbox."`
	PostgresConnections  int               `help:"How many connections to PostgreSQL this process opens at most; 0: what its roles want, 22 for all of them."`
	MediaDisk            int64             `default:"0" zero:"all of the disk but 2 GiB, or a tenth below 20 GiB" placeholder:"MIB" help:"Disk in MiB that media takes in --data; 0: all of it but 2 GiB, or a tenth of a disk below 20 GiB."`
	MaxMedia             int64             `default:"0" placeholder:"MIB" help:"Size in MiB of the largest file that is uploaded or fetched for a post; 0: of the largest video any platform takes, 4096."`
	SandboxListen        string            `default:"127.0.0.1:0" help:"Address of the role sandbox; other processes need one that stays."`
	SandboxURL           string            `help:"Where the sandbox role of another process is reached."`
	Jetstream            []string          `placeholder:"URL,…" help:"Addresses of Bluesky's Jetstream for the role listening, the preferred one first; the public ones when empty."`
	Drain                time.Duration     `default:"30s" help:"How long work in hand may take at shutdown; at least what a call to a platform and its commit may."`
	MaxLateness          time.Duration     `default:"24h" help:"What is more than this past its time is not published any more."`
	KeepPosts            days              `default:"730d" help:"How long posts are kept once they have ended; they go by the month."`
	KeepDeliveries       days              `default:"30d" help:"How long deliveries to webhooks are kept."`
	KeepMedia            days              `default:"7d" help:"How long uploads are kept once the last post that needs them has ended."`
	KeepAttempts         days              `default:"90d" help:"How long the timeline of posts is kept."`
	KeepAnalytics        days              `default:"730d" help:"How long ClickHouse keeps events and figures; they go by the month."`
	KeepInbox            days              `default:"365d" help:"How long ClickHouse keeps what other people wrote: comments, mentions, items of feeds; they go by the month."`
	KeepAudit            days              `default:"400d" help:"How long the audit log is kept: who changed what; it goes by the month."`
	RestoredTo           time.Time         `placeholder:"TIME" help:"The moment that PostgreSQL went back to by tools of its own, such as 2026-05-04T03:02:01Z: what was open then is held, once, until crier held decides. crier restore needs no flag."`
	HoldOverdue          bool              `help:"Hold everything that is overdue at the start for review, such as after a long outage: see crier held."`
	AllowPrivateWebhooks bool              `help:"Let webhooks use http and private addresses, for development."`
	AllowRegistration    bool              `help:"Let anybody register for a workspace on the plan free: POST /keys/register."`
	Issuers              string            `type:"path" placeholder:"FILE" help:"YAML file of the issuers of OpenID Connect at which people sign in beside passwords and passkeys."`
	MailServer           string            `help:"host:port of the SMTP server that takes crier's mail; without one crier sends none, and shows links to be passed on. The same for all processes."`
	MailSecurity         string            `default:"starttls" help:"How the connection to --mail-server is protected: starttls, tls, or none for a server on this machine."`
	MailFrom             string            `help:"Sender of crier's mail, such as 'Crier <crier@example.com>'."`
	MailUser             string            `help:"User at --mail-server, where it asks for one."`
	MailPassword         string            `secret:"only" help:"Password of --mail-user."`
	TrustedProxies       []netip.Prefix    `help:"Networks of proxies whose X-Forwarded-For is believed, such as 10.0.0.0/8[,…]."`
	StripeKey            string            `secret:"" help:"Secret key of Stripe, to sell plans: POST /billing/checkout."`
	StripeWebhookSecret  string            `secret:"" help:"Secret of the endpoint at Stripe that calls POST /billing/stripe."`
	StripePrices         map[string]string `mapsep:"," placeholder:"PLAN=PRICE,…" help:"Stripe's price of each plan that is sold: personal=price_…[,…]."`
	StripeSuccessURL     string            `help:"Where those who have paid land; the API's pages when empty."`
	StripeCancelURL      string            `help:"Where those who turn back from paying land; the API's pages when empty."`
	Demo                 bool              `help:"Publish a demo post through the whole pipeline to the simulators, and show what came of it."`
}

// maxMedia is the most that --max-media may allow, in MiB: of one PUT to S3.
const maxMedia = 5 << 10

// maxMediaDisk is the most that --media-disk may allow, in MiB: a pebibyte.
const maxMediaDisk = 1 << 30

// Validate refuses flags whose mistake would show only later: in links that lead nowhere, or
// in posts that all count as too late.
func (s *serveCommand) Validate() error {
	wrong := []error{s.partsFlags.Validate(), s.kafkaFlags.Validate(), s.partitionsFlag.Validate(), s.clickhouseFlags.Validate(), s.mediaFlags.Validate()}
	for _, a := range s.urls() {
		if u, err := url.Parse(a.value); a.value != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
			wrong = append(wrong, fmt.Errorf("%s is %q: an http or https url is wanted", a.flag, a.value))
		}
	}
	for _, a := range []flagValue{{"--listen", s.Listen}, {"--admin-listen", s.AdminListen}, {"--sandbox-listen", s.SandboxListen}} {
		if !isListenAddress(a.value) {
			wrong = append(wrong, fmt.Errorf("%s is %q: host:port is wanted, such as %s", a.flag, a.value, likeListenAddress(a.value)))
		}
	}
	if s.MaxLateness < time.Minute {
		wrong = append(wrong, errors.New("--max-lateness is at least 1m: what is more late is not published"))
	}
	if s.MaxMedia < 0 || s.MaxMedia > maxMedia {
		wrong = append(wrong, fmt.Errorf("--max-media is 0 to %d MiB: a bucket takes no larger file in one piece", maxMedia))
	}
	if s.MediaDisk < 0 || s.MediaDisk > maxMediaDisk {
		wrong = append(wrong, fmt.Errorf("--media-disk is 0 to %d MiB", maxMediaDisk))
	}
	if s.Drain < compose.LeastDrain {
		wrong = append(wrong, fmt.Errorf("--drain is at least %v: a call to a platform and its commit may take as long", compose.LeastDrain))
	}
	roles, err := compose.ParseRoles(s.Roles)
	if err != nil {
		wrong = append(wrong, fmt.Errorf("--roles: %w", err))
	} else if err := (compose.Config{Roles: roles, PostgresConnections: s.PostgresConnections}).CheckConnections(); err != nil {
		wrong = append(wrong, fmt.Errorf("--postgres-connections: %w", err))
	}
	if billing := s.billing(); billing != nil {
		if _, err := stripe.New(*billing); err != nil {
			wrong = append(wrong, fmt.Errorf("--stripe-key, --stripe-webhook-secret, --stripe-prices: %w", err))
		}
	}
	if _, err := s.issuers(); err != nil {
		wrong = append(wrong, fmt.Errorf("--issuers: %w", err))
	}
	if server := s.mail(); server != nil {
		if err := server.Check(); err != nil {
			wrong = append(wrong, fmt.Errorf("--mail-server, --mail-security, --mail-from, --mail-user, --mail-password: %w", err))
		}
	}
	if n := len(s.ViewsToken); n > 0 && n < dashboards.LeastToken {
		wrong = append(wrong, fmt.Errorf("--views-token has %d characters: at least %d are wanted", n, dashboards.LeastToken))
	}
	return errors.Join(append(wrong,
		s.KeepPosts.within("--keep-posts", 31), s.KeepDeliveries.within("--keep-deliveries", 1), s.KeepAttempts.within("--keep-attempts", 1),
		s.KeepMedia.within("--keep-media", 1), s.KeepAnalytics.within("--keep-analytics", 31), s.KeepInbox.within("--keep-inbox", 1), s.KeepAudit.within("--keep-audit", 31))...)
}

type flagValue struct{ flag, value string }

// urls are the values that have to be http or https urls, by flag.
func (s *serveCommand) urls() []flagValue {
	all := []flagValue{{"--public-url", s.PublicURL}, {"--sandbox-url", s.SandboxURL}}
	for i, host := range s.Jetstream {
		all = append(all, flagValue{fmt.Sprintf("--jetstream (%d)", i+1), cmp.Or(host, "empty")})
	}
	return all
}

// Run serves until it is interrupted, which is no error, even while it starts.
func (s *serveCommand) Run(ctx context.Context, logger *slog.Logger) error {
	c, err := s.config(ctx, logger)
	if err != nil {
		return err
	}
	started := func(ctx context.Context, r *compose.Running) error {
		if s.Demo {
			if err := runDemo(ctx, r); err != nil {
				return err
			}
		}
		showFirstLink(ctx, r)
		return nil
	}
	err = compose.Serve(ctx, c, started)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		err = nil
	}
	return err
}

// runDemo publishes with a test key of the workspace "demo".
func runDemo(ctx context.Context, r *compose.Running) error {
	keys, err := demo.KeysIn(filepath.Join(r.Config.Data, "demo.json"), func(test bool) (string, error) {
		return compose.CreateKey(ctx, r.Config, "demo", "operator", test)
	})
	if err != nil {
		return err
	}
	demo.Run(ctx, demo.Config{URL: r.URL, Metrics: r.Config.AdminListen, Keys: keys, Out: os.Stdout})
	return nil
}

func (s *serveCommand) config(ctx context.Context, logger *slog.Logger) (compose.Config, error) {
	c, err := s.partsFlags.config(logger)
	if err != nil {
		return c, err
	}
	if c.Roles, err = compose.ParseRoles(s.Roles); err != nil {
		return c, err
	}
	c.Partitions, c.Kafka = s.on(s.Kafka), s.brokers()
	if c.KafkaSecurity, err = s.security(); err != nil {
		return c, err
	}
	if c.ClickHouse, c.ClickHouseTLS, err = s.reach(); err != nil {
		return c, err
	}
	c.ViewsToken = s.ViewsToken
	c.Listen, c.AdminListen, c.PublicURL, c.Console = s.Listen, s.AdminListen, s.PublicURL, s.Console
	c.SandboxURL, c.Drain, c.MaxLateness = s.SandboxURL, s.Drain, s.MaxLateness
	c.SandboxListen, c.Jetstream = s.SandboxListen, s.Jetstream
	c.Keep = schema.Retention{
		Posts: s.KeepPosts.duration(), Deliveries: s.KeepDeliveries.duration(), Attempts: s.KeepAttempts.duration(),
		Media: s.KeepMedia.duration(), Analytics: s.KeepAnalytics.duration(), Inbox: s.KeepInbox.duration(), Audit: s.KeepAudit.duration(),
	}
	s.warn(logger)
	c.AllowRegistration, c.TrustedProxies = s.AllowRegistration, s.TrustedProxies
	c.HoldOverdue, c.RestoredTo, c.Billing = s.HoldOverdue, s.RestoredTo.UTC(), s.billing()
	if c.Issuers, err = s.issuers(); err != nil {
		return c, err
	}
	if c.MediaS3TLS, err = s.tls(); err != nil {
		return c, err
	}
	c.MediaS3, c.MaxMedia, c.MediaDisk, c.PostgresConnections = s.MediaS3, s.MaxMedia<<20, s.MediaDisk<<20, s.PostgresConnections
	if c.Traces, err = traceExporter(ctx, os.LookupEnv); err != nil {
		return c, err
	}
	c.Mail = s.mail()
	c.AllowPrivateWebhooks, c.Lead = s.AllowPrivateWebhooks, gateway.Lead
	return c, nil
}

// issuers are those of the file, with their secrets; none without one.
func (s *serveCommand) issuers() ([]oidc.Settings, error) {
	if s.Issuers == "" {
		return nil, nil
	}
	return oidc.Read(s.Issuers, os.LookupEnv)
}

// billing returns nil if no flag of Stripe is set.
func (s *serveCommand) billing() *stripe.Config {
	if s.StripeKey == "" && s.StripeWebhookSecret == "" && len(s.StripePrices) == 0 {
		return nil
	}
	return &stripe.Config{
		Key: s.StripeKey, WebhookSecret: s.StripeWebhookSecret, Prices: s.StripePrices,
		SuccessURL: s.StripeSuccessURL, CancelURL: s.StripeCancelURL,
	}
}

// mail returns nil if no flag of mail is set.
func (s *serveCommand) mail() *mail.Server {
	if s.MailServer == "" && s.MailFrom == "" && s.MailUser == "" && s.MailPassword == "" {
		return nil
	}
	return &mail.Server{
		Address: s.MailServer, Security: mail.Security(s.MailSecurity), From: s.MailFrom, User: s.MailUser, Password: s.MailPassword,
	}
}

// isListenAddress reports whether an address is one to listen at: host:port, of which the host may be
// left out.
func isListenAddress(address string) bool {
	_, port, err := net.SplitHostPort(address)
	return err == nil && (port == "0" || isPort(port)) // 0: one that is free
}

// likeListenAddress is an address to listen at that may be meant by one that is none: a port alone, a
// host alone or a URL.
func likeListenAddress(text string) string {
	const host, port = "127.0.0.1", "8080"
	if u, err := url.Parse(text); err == nil && u.Hostname() != "" {
		return net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), port))
	}
	if isPort(text) {
		return net.JoinHostPort(host, text)
	}
	if u, err := url.Parse("//" + text); err == nil && u.Hostname() != "" && u.Port() == "" {
		return net.JoinHostPort(u.Hostname(), port)
	}
	return net.JoinHostPort(host, port)
}
