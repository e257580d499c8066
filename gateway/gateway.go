package gateway

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"crier/connectors/egress"
	"crier/gateway/accounts"
	"crier/gateway/admission"
	"crier/gateway/analytics"
	"crier/gateway/answer"
	"crier/gateway/audit"
	"crier/gateway/billing"
	"crier/gateway/calendar"
	"crier/gateway/cursor"
	"crier/gateway/deletions"
	"crier/gateway/devices"
	"crier/gateway/directory"
	"crier/gateway/engagement"
	"crier/gateway/feeds"
	"crier/gateway/keys"
	"crier/gateway/media"
	"crier/gateway/people"
	"crier/gateway/platforms"
	"crier/gateway/posts"
	"crier/gateway/queues"
	"crier/gateway/webhooks"
	"crier/identity/passkey"
	"crier/identity/password"
	"crier/schema"
)

const (
	basePath = "/api/v1"
	// FilesPath is where the content of uploads is served, below the server's address.
	FilesPath = basePath + "/files/"
	// DevicePage is where members type the codes of devices, below the server's address.
	DevicePage = "/device"
	// lookupTimeout bounds the look-up of an address that a request names.
	lookupTimeout = 2 * time.Second
)

// Gateway is the REST API.
type Gateway struct {
	engine *gin.Engine
	routes []admission.Route // below basePath
}

// New puts the API together.
func New(config Config) (*Gateway, error) {
	config.Addresses.PublicURL = strings.TrimSuffix(config.Addresses.PublicURL, "/")
	f := answer.Failures{Logger: config.Logger, Documentation: config.Addresses.PublicURL + pagesPath + "/errors/", About: admission.About,
		OAuth: []string{basePath + devices.CodePath, basePath + devices.TokenPath}}
	routes, err := operations(config, f)
	if err != nil {
		return nil, err
	}
	for i, r := range routes {
		if routes[i], err = audited(r); err != nil {
			return nil, err
		}
	}
	pages := newPages(config.Addresses.PublicURL, routes)
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	forAssistants := newAssistants(engine, config)
	limits := admission.LimitsOf(basePath, routes)
	maps.Copy(limits, admission.LimitsOf("", forAssistants.routes()))
	middleware, err := admission.Middleware(admission.Config{
		Store: config.Stores.Admission, Failures: f, Limits: limits, TrustedProxies: config.Addresses.TrustedProxies, PublicURL: config.Addresses.PublicURL,
		Now: config.Now, Random: config.Random, Logger: config.Logger, Registerer: config.Registerer, Tracer: config.Tracer,
		Requested: config.Requested,
	})
	if err != nil {
		return nil, err
	}
	engine.Use(middleware...)
	engine.RedirectTrailingSlash = false // a redirect would have none of the headers that every answer has
	engine.HandleMethodNotAllowed = true // with the header Allow
	for _, r := range slices.Concat(pages.routes(), forAssistants.routes()) {
		engine.Handle(r.Method, r.Path, r.Handler(f))
	}
	group := engine.Group(basePath)
	if err := handle(group, routes, f, config.Addresses.PublicURL+pagesPath); err != nil {
		return nil, err
	}
	e := newEndpoints(f, engine.Routes())
	engine.NoRoute(e.notFound)
	engine.NoMethod(e.otherMethod)
	return &Gateway{engine, routes}, nil
}

// handle adds routes, those of deprecated operations with what their answers say of it.
func handle(group *gin.RouterGroup, routes []admission.Route, f answer.Failures, reference string) error {
	document, err := openAPI()
	if err != nil {
		return fmt.Errorf("reading openapi.yaml: %w", err)
	}
	ending, err := deprecations(document)
	if err != nil {
		return err
	}
	for _, r := range routes {
		handlers := []gin.HandlerFunc{r.Handler(f)}
		if d, isEnding := ending[r.Method+" "+described(r.Path)]; isEnding {
			handlers = slices.Insert(handlers, 0, d.announce(reference))
		}
		group.Handle(r.Method, r.Path, handlers...)
	}
	return nil
}

// constraintsOf returns what platforms take: those that fetch media by themselves get crier's copy of a url
// where they reach this server.
func constraintsOf(config Config) func(schema.Platform) schema.Constraints {
	isOutside := egress.IsOutside(config.Addresses.PublicURL)
	return func(p schema.Platform) schema.Constraints {
		constraints := config.Platforms.Constraints(p)
		constraints.Copies = constraints.Pulls && isOutside
		return constraints
	}
}

// operations returns those of every resource.
func operations(config Config, f answer.Failures) ([]admission.Route, error) {
	api := config.Addresses.PublicURL + basePath
	passwords, err := password.New(config.Random)
	if err != nil {
		return nil, err
	}
	passkeys, err := passkey.New(config.Addresses.PublicURL)
	if err != nil {
		return nil, err
	}
	var (
		directories = directory.New(config.Stores.Directory, config.Now)
		uploads     = media.NewLibrary(config.Stores.Media, config.Media, config.Addresses.PublicURL+FilesPath)
		zones       = new(calendar.Zones)
		cursors     = cursor.Cursors{Vault: config.Platforms.Vault}
		refuses     = refusesBy(config.Addresses.Check)
		connecting  = accounts.Config{
			Store: config.Stores.Accounts, Directories: directories, Platforms: config.Platforms.Connectors, Vault: config.Platforms.Vault,
			Connecting: config.Platforms.Connecting, BaseURLs: config.Platforms.BaseURLs, Refuses: refuses, AllowPrivate: config.Rules.AllowPrivateWebhooks,
			ConnectURL: api + "/connect/", Now: config.Now, Random: config.Random, Logger: config.Logger,
		}
	)
	return slices.Concat(
		newDescription(api).routes(),
		posts.Routes(posts.Config{
			Store: config.Stores.Posts, Accounts: directories, Uploads: uploads, Cursors: cursors, Zones: zones,
			Constraints: constraintsOf(config),
			Refuses:     refuses, Lead: config.Rules.Lead, Now: config.Now, Logger: config.Logger, Failures: f,
		}),
		platforms.Routes(platforms.Config{Accounts: directories, Constraints: config.Platforms.Constraints, Now: config.Now}),
		queues.Routes(queues.Config{Store: config.Stores.Queues, Accounts: directories, Zones: zones, Lead: config.Rules.Lead, Now: config.Now}),
		accounts.Routes(connecting),
		deletions.Routes(deletions.Config{
			Store: config.Stores.Deletions, Accounts: config.Stores.Directory.Accounts, Revoke: connecting.Revoke, Platforms: config.Platforms.Connectors,
			Directories: directories, StatusURL: api + "/deletions/", Now: config.Now, Random: config.Random, Logger: config.Logger,
		}),
		media.Routes(media.Config{
			Store: config.Stores.Media, Contents: config.Media, Library: uploads, Cursors: cursors, Refuses: refuses, Uploads: api + "/uploads/",
			Now: config.Now, Random: config.Random,
		}),
		webhooks.Routes(webhooks.Config{
			Store: config.Stores.Webhooks, Events: config.Analytics, Sender: config.TestSender, Refuses: refuses,
			AllowPrivate: config.Rules.AllowPrivateWebhooks, Now: config.Now, Random: config.Random,
		}),
		keys.Routes(keys.Config{
			Store: config.Stores.Keys, Sandboxes: config.Sandboxes, AllowRegistration: config.Rules.AllowRegistration,
			Now: config.Now, Random: config.Random,
		}),
		people.Routes(people.Config{
			Store: config.Stores.People, Mail: config.Stores.Mail, Passwords: passwords, Vault: config.Platforms.Vault, Sandboxes: config.Sandboxes, Verifier: passkeys, Providers: config.Providers,
			Cookies: admission.CookiesOf(config.Addresses.PublicURL), PublicURL: config.Addresses.PublicURL, ProvidersURL: api + "/session/providers/",
			Now: config.Now, Random: config.Random, Logger: config.Logger,
		}),
		devices.Routes(devices.Config{
			Store: config.Stores.Devices, Page: config.Addresses.PublicURL + DevicePage, Now: config.Now, Random: config.Random,
		}),
		audit.Routes(audit.Config{Store: config.Stores.Audit, Cursors: cursors}),
		billing.Routes(billing.Config{Store: config.Stores.Billing, Seller: config.Seller, Now: config.Now, Logger: config.Logger}),
		feeds.Routes(feeds.Config{
			Store: config.Stores.Feeds, Items: config.Analytics, Accounts: directories, Platforms: config.Platforms.Connectors, Vault: config.Platforms.Vault,
			Now: config.Now,
		}),
		analytics.Routes(analytics.Config{
			Figures: config.Analytics, Accounts: directories, Platforms: config.Platforms.Connectors, Vault: config.Platforms.Vault,
			Zones: zones, Now: config.Now,
		}),
		engagement.Routes(engagement.Config{
			Store: config.Stores.Engagement, Contents: config.Inbox, Accounts: directories, Platforms: config.Platforms.Connectors, Vault: config.Platforms.Vault,
			Constraints: config.Platforms.Constraints, Now: config.Now,
		}),
	), nil
}

// refusesBy returns a check that says why crier must not call an address of a request;
// empty means that it may. A name that cannot be resolved in time passes: addresses are
// checked again at every connection.
func refusesBy(check func(ctx context.Context, rawURL string) error) func(context.Context, string) string {
	return func(ctx context.Context, address string) string {
		ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
		defer cancel()
		if e, ok := errors.AsType[*schema.Error](check(ctx, address)); ok {
			return e.Message
		}
		return ""
	}
}

// Routes returns the operations below /api/v1, with the rights that each needs.
func (g *Gateway) Routes() []admission.Route { return g.routes }

// Handler returns the HTTP handler of the API. The server it runs in sets the time limits
// of reading and writing.
func (g *Gateway) Handler() http.Handler { return g.engine }
