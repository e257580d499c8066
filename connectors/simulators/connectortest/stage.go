package connectortest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"crier/connectors"
	"crier/connectors/egress"
	"crier/connectors/media"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// largestMedia is above what any platform takes of the media of this package.
const largestMedia = 1 << 30

// stage is one clause's own simulator, connector and account.
type stage struct {
	fixture   Fixture
	world     *simulation.World
	connector connectors.Connector
	account   schema.Account

	parts Parts
	guard *egress.Egress
	files *mediaServer
	clock *clock
	log   *logBuffer
	calls atomic.Int64 // to the simulator

	served string // address under which a library is served to the platform
}

func newStage(t *testing.T, f Fixture) *stage {
	t.Helper()
	s := &stage{fixture: f, clock: &clock{}, log: &logBuffer{}, files: newMediaServer(t, f.Constraints.Media)}
	puller := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(puller.CloseIdleConnections)
	gallery, err := simulation.OpenGallery(t.TempDir(), simulation.UsualRoom())
	if err != nil {
		t.Fatal(err)
	}
	var base string
	s.world = simulation.NewWorld(simulation.Config{
		Platform: f.Constraints.Platform,
		Now:      s.clock.now,
		BaseURL:  func() string { return base },
		HTTP:     puller,
		Gallery:  gallery,
	})
	simulator := f.Simulator(s.world)
	if f.Watch != nil {
		simulator = f.Watch(simulator)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		s.calls.Add(1)
		simulator.ServeHTTP(rw, r)
	}))
	base = "http://" + server.Listener.Addr().String()
	server.Start()
	t.Cleanup(server.Close)
	s.parts = s.newParts(t, base)
	s.restart()
	s.account = s.connect(t, 0)
	s.calls.Store(0)
	return s
}

func (s *stage) newParts(t *testing.T, base string) Parts {
	out := egress.New(egress.Config{
		Resolver: new(resolver),
		Allowed:  []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
	})
	t.Cleanup(out.CloseIdle)
	s.guard = out
	return Parts{
		HTTP: out.Client(),
		Base: base,
		Media: media.NewFetcher(media.Config{
			HTTP: out.Client(), Dir: t.TempDir(), Timeout: schema.CallDeadline,
			Limits: media.Limits{MaxBytes: largestMedia},
		}),
		Logger:  slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Metrics: connectors.NewMetrics(prometheus.NewRegistry()),
		Now:     s.clock.now,
	}
}

// restart makes the connector again: what it held in memory is gone, the limiter's and
// the breaker's state too.
func (s *stage) restart() {
	s.parts.Metrics = connectors.NewMetrics(prometheus.NewRegistry())
	s.connector = s.fixture.Connector(s.parts)
}

// connect returns the n-th account as it is stored once it was verified.
func (s *stage) connect(t *testing.T, n int) schema.Account {
	t.Helper()
	account := schema.Account{
		ID:       schema.NewID[schema.AccountID](s.clock.now()),
		Platform: s.fixture.Constraints.Platform,
		Server:   s.parts.Base,
	}
	profile, err := s.verify(t, account, s.fixture.Credentials(n))
	if err != nil {
		t.Fatalf("Check: %v", err)
	}
	account.NativeID, account.Name = profile.NativeID, profile.Name
	if profile.Server != "" {
		account.Server = profile.Server
	}
	account.Settings = profile.Settings
	return account
}

// verify asks the platform whose credentials these are.
func (s *stage) verify(t *testing.T, a schema.Account, c schema.Credentials) (connectors.Profile, error) {
	t.Helper()
	checker, ok := s.connector.(connectors.Checker)
	if !ok {
		t.Fatal("the connector cannot verify credentials")
	}
	return checker.Check(t.Context(), a, c)
}

// taken returns a text without the signs that the platform takes in none.
func (s *stage) taken(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(s.fixture.Constraints.Text.Without, r) {
			return -1
		}
		return r
	}, text)
}

// delivery claims a post of one entry. One without media gets the least that its platform
// requires.
func (s *stage) delivery(text string, items ...schema.Media) schema.Delivery {
	now, text := s.clock.now(), s.taken(text)
	if len(items) == 0 && s.fixture.Constraints.Media.Required {
		items = []schema.Media{s.smallestMedia()}
	}
	return schema.Delivery{
		Step: schema.StepPublish, Claim: 1,
		Account: s.account, Credentials: s.fixture.Credentials(0),
		Entries: 1, Text: text, Media: items, Settings: s.fixture.Settings,
		Key: uuid.NewString(), Tries: schema.DefaultTries,
		Since: now, DueAt: now, Deadline: now.Add(schema.CallDeadline),
	}
}

// next claims the entry that follows on published ones.
func (s *stage) next(text string, receipts ...schema.Receipt) schema.Delivery {
	d := s.delivery(text)
	d.Entry, d.Entries, d.Receipts = len(receipts), len(receipts)+1, receipts
	return d
}

// comment claims a first comment on a published entry.
func (s *stage) comment(text string, on schema.Receipt) schema.Delivery {
	d := s.delivery("the entry's own text")
	d.Receipts, d.Comment = []schema.Receipt{on}, &schema.Comment{Entry: on.Entry, Text: text}
	return d
}

// maxLooks is how often Prepare may ask to come again.
const maxLooks = 30

// prepare makes an entry ready, moving the clock on where the platform asks for time.
func (s *stage) prepare(t *testing.T, d schema.Delivery) (schema.Delivery, error) {
	t.Helper()
	if !s.fixture.Constraints.Prepares(schema.Entry{Media: d.Media}, d.Text, d.Settings) {
		return d, nil
	}
	for range maxLooks {
		progress, err := s.connector.Prepare(t.Context(), d)
		if progress.State != nil {
			d.Progress = progress.State
		}
		if err != nil || progress.Ready {
			return d, err
		}
		if progress.RetryIn <= 0 {
			t.Fatal("Prepare is not ready and does not say when to come again")
		}
		s.clock.advance(progress.RetryIn)
	}
	t.Fatalf("Prepare was not ready after %d looks", maxLooks)
	return d, nil
}

// ready claims a post of one entry that is prepared: the visible call is next.
func (s *stage) ready(t *testing.T, text string, items ...schema.Media) schema.Delivery {
	t.Helper()
	d, err := s.prepare(t, s.delivery(text, items...))
	if err != nil {
		t.Fatalf("Prepare: %v", err)
	}
	return d
}

// try prepares and publishes.
func (s *stage) try(t *testing.T, d schema.Delivery) (schema.Receipt, error) {
	t.Helper()
	prepared, err := s.prepare(t, d)
	if err != nil {
		return schema.Receipt{}, err
	}
	return s.connector.Publish(t.Context(), prepared)
}

// publish prepares and publishes what must succeed.
func (s *stage) publish(t *testing.T, d schema.Delivery) schema.Receipt {
	t.Helper()
	receipt, err := s.try(t, d)
	if err != nil {
		t.Fatalf("publishing: %v", err)
	}
	if receipt.NativeID == "" {
		t.Fatalf("receipt without an id: %+v", receipt)
	}
	if receipt.Entry != d.Entry {
		t.Fatalf("receipt of entry %d, published entry %d", receipt.Entry, d.Entry)
	}
	return receipt
}

// inject forces a fault on the simulator.
func (s *stage) inject(t *testing.T, f simulation.Fault) {
	t.Helper()
	if err := s.world.Inject(f); err != nil {
		t.Fatalf("Inject: %v", err)
	}
}

// posts returns what was published, in order.
func (s *stage) posts(t *testing.T, want int) []simulation.Post {
	t.Helper()
	posts := s.world.Posts()
	if len(posts) != want {
		t.Fatalf("the platform has %d posts, want %d", len(posts), want)
	}
	return posts
}

// wantFind checks what Find finds. What is not there may be so by the word of what was prepared.
func (s *stage) wantFind(t *testing.T, d schema.Delivery, want schema.Verdict) schema.Receipt {
	t.Helper()
	receipt, verdict, err := s.connector.Find(t.Context(), d)
	if verdict == schema.NotMade && d.Comment == nil {
		verdict = schema.NotThere
	}
	if verdict != want || (err != nil && want != schema.CannotTell) {
		t.Fatalf("Find = %v, %v; want %v", verdictName(verdict), err, verdictName(want))
	}
	if (receipt.NativeID != "") != (want == schema.Found) {
		t.Fatalf("Find said %s with receipt %+v", verdictName(want), receipt)
	}
	return receipt
}

// unseen is the verdict on what is not there, as far as the platform can tell.
func (s *stage) unseen() schema.Verdict {
	if s.fixture.Looks {
		return schema.NotThere
	}
	return schema.CannotTell
}

func verdictName(v schema.Verdict) string {
	return [...]string{"cannot tell", "found", "not there", "safe to repeat", "not made"}[v]
}

// wantKind checks that an error has a kind, and a message to show.
func wantKind(t *testing.T, err error, want schema.ErrorKind) *schema.Error {
	t.Helper()
	e, ok := errors.AsType[*schema.Error](err)
	if !ok {
		t.Fatalf("error %v is no *schema.Error, want %s", err, kindName(want))
	}
	if e.Kind != want {
		t.Fatalf("error of kind %s, want %s: %v", kindName(e.Kind), kindName(want), err)
	}
	if e.Message == "" {
		t.Fatalf("error of kind %s has no message", kindName(want))
	}
	return e
}

func kindName(k schema.ErrorKind) string {
	if k < schema.Refused || k > schema.Unknown {
		return fmt.Sprintf("kind(%d)", int(k))
	}
	return [...]string{"refused", "duplicate", "token dead", "rate limited", "retryable", "unknown"}[k-schema.Refused]
}

// isOf reports whether a receipt names a post: platforms wrap their ids in addresses.
func isOf(r schema.Receipt, p simulation.Post) bool {
	return p.ID != "" && strings.HasSuffix(r.NativeID, p.ID)
}

// isReply reports whether one post answers another.
func isReply(reply, parent simulation.Post) bool {
	return reply.ReplyTo != "" && (strings.HasSuffix(reply.ReplyTo, parent.ID) || strings.HasSuffix(parent.ID, reply.ReplyTo))
}

// within returns a context that ends after d.
func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// clock runs with the system's and can be moved on.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time          { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *clock) advance(d time.Duration) { c.ahead.Add(int64(d)) }

// logBuffer keeps what was logged.
type logBuffer struct {
	mu      sync.Mutex
	content bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.content.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.content.String()
}
