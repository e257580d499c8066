package main

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"time"

	"crier/analytics/dashboards"
	"crier/compose"
	"crier/gateway/billing/stripe"
	"crier/identity/oidc"
	"crier/pipeline/mail"
	"crier/schema"
)

// serveFlags are the settings of serve: flags, variables and the configuration file are read into
// them, and packages get values. docs/configuration.md shows them in these groups.
type serveFlags struct {
	partsFlags      `group:"Parts:"`
	kafkaFlags      `group:"Parts:"`
	partitionsFlag  `group:"Parts:"`
	clickhouseFlags `group:"Parts:"`
	mediaFlags      `group:"Media:"`
	addressFlags    `group:"Addresses:"`
	workFlags       `group:"Work:"`
	retentionFlags  `group:"Retention:"`
	peopleFlags     `group:"People and mail:"`
	stripeFlags     `group:"Plans that are sold:"`
}

// Validate refuses flags whose mistake would show only later: in links that lead nowhere, or
// in posts that all count as too late. It says all of it.
func (f serveFlags) Validate() error {
	return errors.Join(
		f.partsFlags.Validate(), f.kafkaFlags.Validate(), f.partitionsFlag.Validate(), f.clickhouseFlags.Validate(),
		f.mediaFlags.Validate(), f.addressFlags.Validate(), f.workFlags.Validate(), f.retentionFlags.Validate(),
		f.peopleFlags.Validate(), f.stripeFlags.Validate(),
	)
}

// addressFlags say where the process listens, and where others are reached.
type addressFlags struct {
	Listen         string         `default:"127.0.0.1:8080" help:"Address of the REST API."`
	AdminListen    string         `default:"127.0.0.1:8081" help:"Address of metrics, health and profiles: /metrics, /healthz, /readyz, /debug/pprof/."`
	PublicURL      string         `unset:"http:// and --listen" help:"URL at which clients reach the REST API."`
	TrustedProxies []netip.Prefix `placeholder:"NETWORK" help:"Networks of the proxies whose X-Forwarded-For is believed, such as 10.0.0.0/8."`
	Console        string         `unset:"the console in the binary" placeholder:"FOLDER" help:"Folder from which the console is served, as make console makes it."`
	ViewsToken     string         `secret:"" unset:"no views" help:"Token with which dashboards read the views of ClickHouse at /views/ of --admin-listen; it has at least 16 characters."`
	SandboxListen  string         `default:"127.0.0.1:0" help:"Address of the role sandbox; port 0 is any, the same after a restart unless it is taken."`
	SandboxURL     string         `unset:"the sandbox of this process" help:"URL of the role sandbox of another process."`
	Jetstream      []string       `unset:"the public ones" placeholder:"URL" help:"Addresses of Bluesky's Jetstream for the role listening, the preferred one first."`
}

// Validate refuses what is no address.
func (f addressFlags) Validate() error {
	var wrong []error
	for _, a := range f.urls() {
		if u, err := url.Parse(a.value); a.value != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
			wrong = append(wrong, fmt.Errorf("%s is %q: an http or https url is wanted", a.flag, a.value))
		}
	}
	for _, a := range []flagValue{{"--listen", f.Listen}, {"--admin-listen", f.AdminListen}, {"--sandbox-listen", f.SandboxListen}} {
		if !isListenAddress(a.value) {
			wrong = append(wrong, fmt.Errorf("%s is %q: host:port is wanted, such as %s", a.flag, a.value, likeListenAddress(a.value)))
		}
	}
	if n := len(f.ViewsToken); n > 0 && n < dashboards.MinToken {
		wrong = append(wrong, fmt.Errorf("--views-token has %d characters: at least %d are wanted", n, dashboards.MinToken))
	}
	return errors.Join(wrong...)
}

type flagValue struct{ flag, value string }

// urls are the values that have to be http or https urls, by flag.
func (f addressFlags) urls() []flagValue {
	all := []flagValue{{"--public-url", f.PublicURL}, {"--sandbox-url", f.SandboxURL}}
	for i, host := range f.Jetstream {
		all = append(all, flagValue{fmt.Sprintf("--jetstream (%d)", i+1), cmp.Or(host, "empty")})
	}
	return all
}

// workFlags say what the process does.
type workFlags struct {
	Roles                string        `default:"all" help:"What this process does: all, or some of gateway,delay,publish,comment,notify,analytics,listening,sandbox."`
	PostgresConnections  int           `unset:"what the roles need, 22 for all" help:"How many connections to PostgreSQL this process opens at most."`
	Drain                time.Duration `default:"30s" help:"How long work in progress may take at shutdown; at least 26s, for a visible call and its commit."`
	MaxLateness          time.Duration `default:"24h" help:"How late a post may be published; at least 1m, and what is later ends as missed_deadline."`
	HoldOverdue          bool          `help:"Hold everything that is overdue at the start until crier held releases or cancels it, such as after a long outage."`
	RestoredTo           time.Time     `placeholder:"TIME" help:"Moment to which tools other than crier restore took PostgreSQL back, such as 2026-05-04T03:02:01Z; what was open then is held, once, until crier held decides."`
	AllowPrivateWebhooks bool          `help:"Let webhooks use http and private addresses, for development."`
	Demo                 bool          `help:"Publish a demo post to the simulators, and show what comes of it."`
}

// Validate refuses roles and times with which nothing could be published.
func (f workFlags) Validate() error {
	var wrong []error
	if f.MaxLateness < time.Minute {
		wrong = append(wrong, errors.New("--max-lateness is at least 1m: what is more late is not published"))
	}
	if f.Drain < compose.MinDrain {
		wrong = append(wrong, fmt.Errorf("--drain is at least %v: a call to a platform and its commit may take as long", compose.MinDrain))
	}
	roles, err := compose.ParseRoles(f.Roles)
	if err != nil {
		wrong = append(wrong, fmt.Errorf("--roles: %w", err))
	} else if err := (compose.Config{Roles: roles, PostgresConnections: f.PostgresConnections}).CheckConnections(); err != nil {
		wrong = append(wrong, fmt.Errorf("--postgres-connections: %w", err))
	}
	return errors.Join(wrong...)
}

// retentionFlags say how long things are kept.
type retentionFlags struct {
	KeepPosts      days `default:"730d" help:"How long posts are kept once they have ended, by the month; at least 31d."`
	KeepAttempts   days `default:"90d" help:"How long the timeline of posts is kept; at least 1d."`
	KeepMedia      days `default:"7d" help:"How long uploads are kept once the last post that needs them has ended; at least 1d."`
	KeepDeliveries days `default:"30d" help:"How long deliveries to webhooks are kept once they have ended; at least 1d."`
	KeepAudit      days `default:"400d" help:"How long the audit log is kept, by the month; at least 31d."`
	KeepAnalytics  days `default:"730d" help:"How long ClickHouse keeps events and figures, by the month; at least 31d."`
	KeepInbox      days `default:"365d" help:"How long ClickHouse keeps what other people wrote, by the month; at least 1d."`
}

// Validate refuses what nobody means.
func (f retentionFlags) Validate() error {
	return errors.Join(
		f.KeepPosts.within("--keep-posts", 31), f.KeepDeliveries.within("--keep-deliveries", 1),
		f.KeepAttempts.within("--keep-attempts", 1), f.KeepMedia.within("--keep-media", 1),
		f.KeepAnalytics.within("--keep-analytics", 31), f.KeepInbox.within("--keep-inbox", 1),
		f.KeepAudit.within("--keep-audit", 31))
}

func (f retentionFlags) retention() schema.Retention {
	return schema.Retention{
		Posts: f.KeepPosts.duration(), Deliveries: f.KeepDeliveries.duration(), Attempts: f.KeepAttempts.duration(),
		Media: f.KeepMedia.duration(), Analytics: f.KeepAnalytics.duration(), Inbox: f.KeepInbox.duration(), Audit: f.KeepAudit.duration(),
	}
}

// peopleFlags say who may sign in, and how people get mail.
type peopleFlags struct {
	AllowRegistration bool   `help:"Let anybody register for a workspace on the plan free, by POST /keys/register."`
	Issuers           string `type:"path" placeholder:"FILE" help:"YAML file of the issuers of OpenID Connect at which people sign in."`
	MailServer        string `unset:"crier sends no mail" help:"Address of the SMTP server that takes crier's mail, host:port, the same for all processes."`
	MailSecurity      string `default:"starttls" help:"How the connection to --mail-server is protected: starttls, tls, or none for a server on this machine."`
	MailFrom          string `help:"Sender of crier's mail, such as 'Crier <crier@example.com>'; needed with --mail-server."`
	MailUser          string `help:"User at --mail-server, where it asks for one."`
	MailPassword      string `secret:"only" help:"Password of --mail-user."`
}

// Validate refuses a file or a server that cannot be used.
func (f peopleFlags) Validate() error {
	var wrong []error
	if _, err := f.issuers(); err != nil {
		wrong = append(wrong, fmt.Errorf("--issuers: %w", err))
	}
	if server := f.mail(); server != nil {
		if err := server.Check(); err != nil {
			wrong = append(wrong, fmt.Errorf("--mail-server, --mail-security, --mail-from, --mail-user, --mail-password: %w", err))
		}
	}
	return errors.Join(wrong...)
}

// issuers are those of the file, with their secrets; none without one.
func (f peopleFlags) issuers() ([]oidc.Settings, error) {
	if f.Issuers == "" {
		return nil, nil
	}
	return oidc.Read(f.Issuers, os.LookupEnv)
}

// mail returns nil if no flag of mail is set.
func (f peopleFlags) mail() *mail.Server {
	if f.MailServer == "" && f.MailFrom == "" && f.MailUser == "" && f.MailPassword == "" {
		return nil
	}
	return &mail.Server{
		Address: f.MailServer, Security: mail.Security(f.MailSecurity), From: f.MailFrom, User: f.MailUser, Password: f.MailPassword,
	}
}

// stripeFlags are how plans are sold.
type stripeFlags struct {
	StripeKey           string            `secret:"" unset:"plans are not sold" help:"Secret key of Stripe, with which plans are sold."`
	StripeWebhookSecret string            `secret:"" help:"Secret of the endpoint at Stripe that calls POST /api/v1/billing/stripe."`
	StripePrices        map[string]string `mapsep:"," placeholder:"PLAN=PRICE,…" help:"Stripe's price of each plan that is sold, no two the same: personal=price_…[,…]."`
	StripeSuccessURL    string            `unset:"/docs of --public-url" help:"URL where those land who have paid."`
	StripeCancelURL     string            `unset:"/docs of --public-url" help:"URL where those land who turn back from paying."`
}

// Validate refuses what Stripe cannot be used with.
func (f stripeFlags) Validate() error {
	billing := f.billing()
	if billing == nil {
		return nil
	}
	if _, err := stripe.New(*billing); err != nil {
		return fmt.Errorf("--stripe-key, --stripe-webhook-secret, --stripe-prices: %w", err)
	}
	return nil
}

// billing returns nil if no flag of Stripe is set.
func (f stripeFlags) billing() *stripe.Config {
	if f.StripeKey == "" && f.StripeWebhookSecret == "" && len(f.StripePrices) == 0 {
		return nil
	}
	return &stripe.Config{
		Key: f.StripeKey, WebhookSecret: f.StripeWebhookSecret, Prices: f.StripePrices,
		SuccessURL: f.StripeSuccessURL, CancelURL: f.StripeCancelURL,
	}
}
