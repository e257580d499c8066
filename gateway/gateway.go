package gateway

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"crier/pipeline/tracing"
	"crier/schema"
)

// Config is what a Gateway is made of; every field but Seller, the Allow ones, TrustedProxies and BaseURLs is required.
type Config struct {
	Keys          KeyStore
	KeyReader     KeyReader
	KeyWriter     KeyWriter
	Sandboxes     Sandboxes
	Requests      RequestCounter
	Registrar     Registrar
	Usage         UsageReader
	Subscriptions Subscriptions
	Seller        Seller // nil: plans are not sold
	Accounts      AccountReader
	AccountWriter AccountWriter
	Renewer       AccountRenewer
	BrandWriter   BrandWriter
	Posts         PostReader
	PostWriter    PostWriter
	PostRetrier   PostRetrier
	Attempts      AttemptReader
	Answers       AnswerReader
	Queues        QueueReader
	QueueWriter   QueueWriter
	Slots         SlotTaker
	Webhooks      WebhookReader
	WebhookWriter WebhookWriter
	Redeliverer   Redeliverer
	TestSender    TestSender
	PostCounter   PostCounter
	Events        EventReader
	Media         MediaReader
	MediaWriter   MediaWriter
	MediaKeeper   MediaKeeper
	MediaInbox    MediaInbox

	Platforms Platforms
	Vault     Vault
	// BaseURLs are the configured addresses of platforms: an account that names no server
	// lives there, and they need not be public.
	BaseURLs map[schema.Platform]string

	Constraints func(schema.Platform) schema.Constraints
	// CheckURL refuses URLs that crier must not call, with a *schema.Error.
	CheckURL func(ctx context.Context, rawURL string) error

	PublicURL            string         // where callers reach this server, without a slash at its end
	Lead                 time.Duration  // how far ahead scheduledFor has to be: 5 minutes
	AllowRegistration    bool           // of keys, by those who have none
	TrustedProxies       []netip.Prefix // whose X-Forwarded-For is believed
	AllowPrivateWebhooks bool           // for development: http, and addresses that are not public

	Now        func() time.Time // PostgreSQL's clock
	Random     io.Reader
	Logger     *slog.Logger
	Registerer prometheus.Registerer
	Tracer     *tracing.Tracer // nil: requests are not traced
}

// Lead is how far ahead scheduledFor has to be, at least.
const Lead = 5 * time.Minute

const (
	basePath      = "/api/v1"
	accountsLife  = time.Second
	maxWorkspaces = 10_000
)

// Gateway is the REST API.
type Gateway struct{ engine *gin.Engine }

// route is one operation of the API.
type route struct {
	method     string
	path       string
	permission schema.Permission // that its key needs
	answer     func(*gin.Context) error
}

// public is the permission of a route that needs no key.
const public schema.Permission = 0

// New puts the API together.
func New(config Config) (*Gateway, error) {
	f := failures{logger: config.Logger, documentation: strings.TrimSuffix(config.PublicURL, "/") + pagesPath + "/errors/"}
	ids, err := newRequestIDs(config.Random)
	if err != nil {
		return nil, err
	}
	observer, err := newObserver(f, ids, config.Tracer, config.Registerer)
	if err != nil {
		return nil, err
	}
	admission, err := newAdmission(f, config)
	if err != nil {
		return nil, err
	}
	bound, err := newBound(f, maxInFlight, admission.standing, config.Registerer)
	if err != nil {
		return nil, err
	}
	transfers, err := newTransfers(f, bound.refused, config.Registerer)
	if err != nil {
		return nil, err
	}
	description, err := newDescription(strings.TrimSuffix(config.PublicURL, "/"))
	if err != nil {
		return nil, err
	}
	pages, err := newPages(strings.TrimSuffix(config.PublicURL, "/"))
	if err != nil {
		return nil, err
	}
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.Use(observer.observe, bound.enter, admission.admit, transfers.enter)
	engine.RedirectTrailingSlash = false // a redirect would have none of the headers that every answer has
	engine.HandleMethodNotAllowed = true // with the header Allow
	engine.NoRoute(func(c *gin.Context) {
		f.fail(c, &schema.Error{Kind: schema.NotFound, Message: "there is no such endpoint"})
	})
	for _, r := range pages.routes() {
		engine.Handle(r.method, r.path, f.handler(r))
	}
	group := engine.Group(basePath)
	for _, r := range resources(config, f, description) {
		for _, r := range r.routes() {
			group.Handle(r.method, r.path, f.handler(r))
		}
	}
	engine.NoMethod(f.otherMethod(engine.Routes()))
	return &Gateway{engine}, nil
}

// resource is a part of the API.
type resource interface{ routes() []route }

func resources(config Config, f failures, description *description) []resource {
	library := &library{reader: config.Media, writer: config.MediaWriter, inbox: config.MediaInbox, files: filesAddress(config.PublicURL)}
	directories := newCache(accountsLife, maxWorkspaces, config.Now, directoryOf(config.Accounts))
	posts := &posts{
		failures: f, reader: config.Posts, writer: config.PostWriter, retrier: config.PostRetrier, attemptReader: config.Attempts, answers: config.Answers, slots: config.Slots,
		accounts:    directories,
		constraints: config.Constraints, checkURL: config.CheckURL, lead: config.Lead, now: config.Now,
		library: library, zones: new(zones), duplicates: new(duplicates),
	}
	return []resource{
		description,
		posts,
		&threads{posts},
		&queues{posts: posts, reader: config.Queues, writer: config.QueueWriter},
		&accounts{
			reader: config.Accounts, writer: config.AccountWriter, vault: config.Vault, platforms: config.Platforms,
			logger: config.Logger, checkup: newCheckup(config), directories: directories,
		},
		&connections{
			reader: config.Accounts, writer: config.AccountWriter, vault: config.Vault, platforms: config.Platforms,
			servers: servers{config.BaseURLs, config.CheckURL, config.AllowPrivateWebhooks}, directories: directories,
		},
		&keys{reader: config.KeyReader, writer: config.KeyWriter, sandboxes: config.Sandboxes, now: config.Now, random: config.Random},
		&registration{config.Registrar, config.AllowRegistration, config.Now, config.Random},
		&usage{config.Usage},
		&billing{config.Usage, config.Subscriptions, config.Seller, config.Now, config.Logger},
		&brands{reader: config.Accounts, writer: config.BrandWriter, directories: directories, now: config.Now},
		&media{
			library: library, keeper: config.MediaKeeper, checkURL: config.CheckURL,
			uploads: uploadsAddress(config.PublicURL), now: config.Now, random: config.Random,
		},
		&webhooks{
			reader: config.Webhooks, writer: config.WebhookWriter, redeliverer: config.Redeliverer, sender: config.TestSender,
			checkURL: config.CheckURL, allowPrivate: config.AllowPrivateWebhooks,
			now: config.Now, random: config.Random,
		},
		&analytics{config.PostCounter, config.Now},
		&events{config.Events},
	}
}

// handler answers a route, for those who may use it.
func (f failures) handler(r route) gin.HandlerFunc {
	return func(c *gin.Context) {
		if r.permission != public {
			if err := permit(requestOf(c), r.permission); err != nil {
				f.fail(c, err)
				return
			}
		}
		if err := r.answer(c); err != nil {
			f.fail(c, err)
		}
	}
}

// otherMethod refuses a method that a path does not take. The Allow that gin has set counts
// what /posts/:id takes for /posts/validate too; a path without parameters has its own.
func (f failures) otherMethod(routes gin.RoutesInfo) gin.HandlerFunc {
	allow := make(map[string]string)
	for _, r := range routes {
		allow[r.Path] = strings.TrimPrefix(allow[r.Path]+", "+r.Method, ", ")
	}
	return func(c *gin.Context) {
		if methods, exact := allow[c.Request.URL.Path]; exact {
			c.Header("Allow", methods)
		}
		f.fail(c, &schema.Error{Kind: schema.MethodNotAllowed, Message: "this endpoint does not take the method " + clip(c.Request.Method)})
	}
}

// Handler returns what answers the API's requests. Whoever serves it sets the bounds of
// reading and writing.
func (g *Gateway) Handler() http.Handler { return g.engine }
