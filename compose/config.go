package compose

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"crier/connectors"
	"crier/gateway/billing/stripe"
	"crier/identity/oidc"
	"crier/pipeline/mail"
	"crier/pipeline/stream"
	"crier/schema"
)

// Config is what serving needs, as values.
type Config struct {
	Listen      string // of the REST API
	AdminListen string // of metrics and health
	ViewsToken  string // by which the admin listener serves views to dashboards; empty: it does not
	PublicURL   string // where clients reach the API; empty: http:// and Listen
	Console     string // folder with the console as npm makes it; empty: the one in the binary
	Data        string // the data folder
	Roles       []string

	Postgres   string   // URL; empty: embedded
	Kafka      []string // host:port; empty: embedded
	ClickHouse string   // URL; empty: embedded
	Keyset     string   // file; empty: in the data folder
	// KafkaSecurity, ClickHouseTLS and MediaS3TLS are how those by address are reached; how
	// PostgreSQL is, its URL says.
	KafkaSecurity stream.Security
	ClickHouseTLS *tls.Config // nil: as the URL says, with the system's authorities
	MediaS3TLS    *tls.Config // likewise
	MediaS3       string      // s3:// address of a bucket, with its secret; empty: a folder in the data folder
	MaxMedia      int64       // bytes of one file that is taken or fetched; 0: of the largest that a platform takes
	MediaDisk     int64       // bytes of disk that media takes in the data folder; 0: all but a reserve
	// Partitions is how many each topic gets when it is made; 0: those of schema.Topics.
	Partitions int
	// PostgresConnections is how many connections to PostgreSQL the process opens at most;
	// 0: what its roles want.
	PostgresConnections int
	// SandboxListen is where the role sandbox listens; empty: any port of loopback. SandboxURL
	// is how other processes reach it.
	SandboxListen, SandboxURL string

	Drain                time.Duration    // what is claimed at a stop may take; at least MinDrain
	MaxLateness          time.Duration    // work that is later than this ends as missed_deadline
	Keep                 schema.Retention // of what has ended
	HoldOverdue          bool             // what is overdue at the start is held for review
	RestoredTo           time.Time        // the moment that PostgreSQL went back to by its own tools; zero: none that is known
	AllowPrivateWebhooks bool
	AllowRegistration    bool                               // anybody can make a workspace on the plan free
	Billing              *stripe.Config                     // Stripe's key, webhook secret, prices and addresses; nil: plans are not sold
	Issuers              []oidc.Settings                    // of OpenID Connect, at which people sign in
	Mail                 *mail.Server                       // that takes crier's mail; nil: it sends none. The same in all processes
	TrustedProxies       []netip.Prefix                     // whose X-Forwarded-For is believed
	Bases                map[schema.Platform]string         // base addresses other than the platforms' own
	ConsentURLs          map[schema.Platform]string         // base addresses of their pages of consent, other than Bases and the platforms' own
	Apps                 map[schema.Platform]connectors.App // crier's OAuth clients
	Versions             map[schema.Platform]string         // of the platforms' APIs, other than the connectors' own
	Jetstream            []string                           // hosts of Bluesky's stream, other than the public ones

	// Lead is how far ahead posts must be scheduled, AllowedNetworks what crier may connect to
	// besides public addresses, and DeletionLate how long a deletion takes at least (zero:
	// deletion.Late); only tests and benchmarks change them.
	Lead            time.Duration
	DeletionLate    time.Duration
	AllowedNetworks []netip.Prefix

	Version    string
	Logger     *slog.Logger
	Registerer *prometheus.Registry
	Traces     sdktrace.SpanExporter // nil: nothing is traced
}

// MinDrain lets a visible call that was claimed when the stop came end, and what came of
// it be stored.
const MinDrain = schema.CallDeadline + 2*time.Second

func (c Config) check() error {
	if c.Drain < MinDrain {
		return fmt.Errorf("a drain of %v is shorter than a call to a platform and its commit may take: at least %v is wanted", c.Drain, MinDrain)
	}
	if c.Partitions < 0 || c.Partitions > schema.Shards {
		return fmt.Errorf("%d partitions make no sense: at least 1 are wanted and at most %d, the shards of all jobs", c.Partitions, schema.Shards)
	}
	return c.CheckConnections()
}

// The roles of a process.
const (
	roleGateway   = "gateway"
	roleDelay     = "delay"
	rolePublish   = "publish"
	roleComment   = "comment"
	roleNotify    = "notify"
	roleAnalytics = "analytics"
	roleListening = "listening"
	roleSandbox   = "sandbox"
)

var allRoles = []string{roleGateway, roleDelay, rolePublish, roleComment, roleNotify, roleAnalytics, roleListening, roleSandbox}

// ParseRoles reads a list of roles, or "all".
func ParseRoles(list string) ([]string, error) {
	if list == "all" {
		return allRoles, nil
	}
	roles := strings.Split(list, ",")
	for i, role := range roles {
		if slices.Contains(roles[:i], role) {
			return nil, fmt.Errorf("the role %s stands there twice", role)
		}
		if !slices.Contains(allRoles, role) {
			return nil, fmt.Errorf("%q is no role; the roles are %s, or all", role, strings.Join(allRoles, ", "))
		}
	}
	return roles, nil
}

// keyset is the file of the keys that seal credentials.
func (c Config) keyset() string {
	if c.Keyset != "" {
		return c.Keyset
	}
	return filepath.Join(c.Data, "keyset.json")
}

// userAgent is how crier names itself to those it calls, and where its operator is found.
func (c Config) userAgent() string {
	name := "crier/" + cmp.Or(c.Version, "development")
	if c.PublicURL == "" {
		return name
	}
	return name + " (+" + c.PublicURL + ")"
}

// sharesAccounts reports whether another process may call for the same accounts and bots: one
// publishes, another comments, a third reads what became of the posts. Then their turns are leased
// from PostgreSQL, a few at a time and many in one trip. A process that does all of it, on a log of
// its own, has them for itself and counts their calls in memory.
func (c Config) sharesAccounts() bool {
	return len(c.Kafka) > 0 || !c.has(rolePublish) || !c.has(roleComment) || !c.has(roleAnalytics)
}

// embedded names the parts that the process runs itself.
func (c Config) embedded() []string {
	var parts []string
	if c.Postgres == "" {
		parts = append(parts, "postgresql")
	}
	if len(c.Kafka) == 0 {
		parts = append(parts, "log")
	}
	if c.ClickHouse == "" && (c.has(roleAnalytics) || c.has(roleGateway)) {
		parts = append(parts, "clickhouse")
	}
	return parts
}

func (c Config) has(role string) bool { return slices.Contains(c.Roles, role) }
