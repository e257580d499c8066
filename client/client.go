package client

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"crier/schema/sleep"
)

// DefaultServer is where crier serve listens unless it is told otherwise.
const DefaultServer = "http://127.0.0.1:8080"

// timeout bounds one try of a request: crier answers one with an Idempotency-Key that waits for
// its first sending after at most half a minute.
const timeout = 60 * time.Second

// Client calls crier's API with one key. Its methods may be called by many goroutines.
type Client struct {
	Posts      *PostService
	Threads    *ThreadService
	Accounts   *AccountService
	Media      *MediaService
	Webhooks   *WebhookService
	Events     *EventService
	Queues     *QueueService
	Brands     *BrandService
	Engagement *EngagementService
	Monitors   *MonitorService
	Feeds      *FeedService
	Analytics  *AnalyticsService
	Keys       *KeyService
	Usage      *UsageService
	Platforms  *PlatformService
}

// Option changes how a client works.
type Option func(*sender)

// New returns a client with an API key, without white space around it, of the server at DefaultServer unless an
// option names another. A server's address that is none is the error of every call.
func New(key string, options ...Option) *Client {
	s := &sender{server: DefaultServer, key: strings.TrimSpace(key), http: http.DefaultClient, agent: "crier-go", now: time.Now, wait: sleep.For}
	for _, option := range options {
		option(s)
	}
	s.http = staying(s.http)
	s.retry = s.retry.orDefault()
	s.server = strings.TrimSuffix(s.server, "/")
	s.wrong = checkServer(s.server)
	base := s.server
	if s.wrong != nil {
		base = DefaultServer // so that requests get as far as Do, which says what is wrong
	}
	calls := &caller{base + "/api/v1/", s}
	return &Client{
		Posts: &PostService{calls}, Threads: &ThreadService{calls}, Accounts: &AccountService{calls}, Media: &MediaService{calls, s},
		Webhooks: &WebhookService{calls}, Events: &EventService{calls}, Queues: &QueueService{calls}, Brands: &BrandService{calls},
		Engagement: &EngagementService{calls}, Monitors: &MonitorService{calls}, Feeds: &FeedService{calls}, Analytics: &AnalyticsService{calls},
		Keys: &KeyService{calls}, Usage: &UsageService{calls}, Platforms: &PlatformService{calls},
	}
}

// WithServer names the server: a base address such as https://crier.example, without /api/v1.
func WithServer(address string) Option { return func(s *sender) { s.server = address } }

// WithHTTPClient sends requests by a client of yours, such as one with a proxy. Its Timeout
// counts for uploads too: leave it at zero.
func WithHTTPClient(c *http.Client) Option { return func(s *sender) { s.http = c } }

// WithRetry changes when requests are sent again.
func WithRetry(r Retry) Option { return func(s *sender) { s.retry = r } }

// WithClock has the client measure and wait by another clock than the machine's.
func WithClock(now func() time.Time, wait func(context.Context, time.Duration) error) Option {
	return func(s *sender) { s.now, s.wait = now, wait }
}

// WithUserAgent names your program to the server.
func WithUserAgent(name string) Option { return func(s *sender) { s.agent = name } }

// staying is an HTTP client that follows no redirect: a creation would become a read on the way, whose
// answer says nothing of it. A client that has a rule of its own keeps it.
func staying(c *http.Client) *http.Client {
	if c.CheckRedirect != nil {
		return c
	}
	own := *c
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}

// checkServer refuses an address that no request can be sent to.
func checkServer(address string) error {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/api/v1") {
		return fmt.Errorf("%q is no address of a server: write it like %s", address, DefaultServer)
	}
	return nil
}

// CallOption changes one creation.
type CallOption func(*call)

type call struct {
	key    string
	dryRun bool
}

// WithIdempotencyKey names a creation, so that it is made once even where two processes, or one
// that was started again, ask for it: within a day the same request has the same answer. Without
// this option each call has a key of its own, which its repetitions share.
func WithIdempotencyKey(key string) CallOption { return func(c *call) { c.key = key } }

// DryRun says that the body of CreateBulkJSON asks for a dry run, which may be repeated without
// a key.
func DryRun() CallOption { return func(c *call) { c.dryRun = true } }

// keyed is the context of a creation, with its key.
func keyed(ctx context.Context, options []CallOption) context.Context {
	c := call{key: rand.Text()}
	for _, option := range options {
		option(&c)
	}
	if c.dryRun {
		return repeatable(ctx)
	}
	return context.WithValue(ctx, idempotencyKey{}, c.key)
}

// optional returns nil for what is left out.
func optional[T comparable](value T) *T {
	var none T
	if value == none {
		return nil
	}
	return &value
}

// slow marks requests that the server may take minutes for.
func slow(ctx context.Context) context.Context { return context.WithValue(ctx, slowKey{}, true) }

// repeatable marks requests that may be sent again though their method does not say so.
func repeatable(ctx context.Context) context.Context {
	return context.WithValue(ctx, repeatableKey{}, true)
}

type (
	idempotencyKey struct{}
	slowKey        struct{}
	repeatableKey  struct{}
)
