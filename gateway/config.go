package gateway

import (
	"context"
	"io"
	"log/slog"
	"net/netip"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/connectors"
	"crier/gateway/accounts"
	"crier/gateway/admission"
	"crier/gateway/analytics"
	"crier/gateway/audit"
	"crier/gateway/billing"
	"crier/gateway/deletions"
	"crier/gateway/devices"
	"crier/gateway/directory"
	"crier/gateway/engagement"
	"crier/gateway/feeds"
	"crier/gateway/keys"
	"crier/gateway/media"
	"crier/gateway/people"
	"crier/gateway/posts"
	"crier/gateway/queues"
	"crier/gateway/webhooks"
	"crier/identity/oidc"
	"crier/pipeline/tracing"
	"crier/schema"
)

// Config is what a Gateway is made of.
type Config struct {
	Stores     Stores
	Analytics  Analytics
	Inbox      engagement.Contents
	Media      media.Contents
	Platforms  Platforms
	Sandboxes  keys.Sandboxes
	TestSender webhooks.TestSender
	Seller     billing.Seller   // nil: plans are not sold
	Providers  []*oidc.Provider // at which people sign in
	Addresses  Addresses
	Rules      Rules

	Now        func() time.Time // PostgreSQL's clock
	Random     io.Reader
	Logger     *slog.Logger
	Registerer prometheus.Registerer
	Tracer     *tracing.Tracer // nil: requests are not traced
	// Requested is told of every request with a valid key, and must not wait; nil: nobody is.
	Requested func(schema.APIRequest)
}

// Stores are what each resource asks of the database.
type Stores struct {
	Admission  admission.Store
	Directory  directory.Store
	Posts      posts.Store
	Queues     queues.Store
	Accounts   accounts.Store
	Keys       keys.Store
	Billing    billing.Store
	Media      media.Store
	Webhooks   webhooks.Store
	Feeds      feeds.Store
	Engagement engagement.Store
	People     people.Store
	Devices    devices.Store
	Audit      audit.Store
	Mail       people.MailStore
	Deletions  deletions.Store
}

// Analytics is what is asked of ClickHouse.
type Analytics interface {
	analytics.Figures
	webhooks.EventReader
	feeds.ItemReader
}

// Platforms is what is known of platforms.
type Platforms struct {
	Connectors  connectors.Resolver // asked what they can do with credentials
	Vault       accounts.Vault
	Constraints func(schema.Platform) schema.Constraints
	Connecting  func(schema.Platform) connectors.Connecting
	// BaseURLs are their configured addresses; nil: there are none.
	BaseURLs map[schema.Platform]string
}

// Addresses are those of this server, and which others it may call.
type Addresses struct {
	PublicURL string // where callers reach this server
	// Check refuses URLs that crier must not call, with a *schema.Error.
	Check          func(ctx context.Context, rawURL string) error
	TrustedProxies []netip.Prefix // whose X-Forwarded-For is believed
}

// Rules are what an operator sets.
type Rules struct {
	Lead                 time.Duration // how far ahead scheduledFor has to be: the constant Lead
	AllowRegistration    bool          // of keys, by those who have none
	AllowPrivateWebhooks bool          // for development: http, and addresses that are not public
}

// Lead is how far ahead scheduledFor has to be, at least.
const Lead = 5 * time.Minute
