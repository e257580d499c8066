package usage

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"crier/schema"
	"crier/schema/metric"
	"crier/schema/sleep"
)

// store is PostgreSQL's outbox.
type store interface {
	// Report stores facts, to be brought to ClickHouse.
	Report(ctx context.Context, facts []schema.Event) error
}

const (
	// maxKinds bounds what is held: of the minute that is counted and of those that
	// PostgreSQL has not taken.
	maxKinds = 50_000
	chunk    = 500 // facts of one row of the outbox
	lastTry  = 5 * time.Second
)

// Counter counts requests and calls.
type Counter struct {
	Config
	process string // a UUID of this run: what two runs count in one minute adds up
	lost    prometheus.Counter

	mu     sync.Mutex
	minute time.Time // that is counted; it never goes back
	kinds  map[kind]*count
}

// kind is what is counted together: requests of a workspace, or calls to a platform.
type kind struct {
	minute    time.Time
	workspace schema.WorkspaceID // zero: calls
	key       schema.KeyID
	platform  schema.Platform
	verb      string // method or operation
	route     string
	status    int
	outcome   string
}

type count struct {
	n    int64
	took time.Duration
}

// Config is what a Counter works with.
type Config struct {
	Store      store
	Now        func() time.Time
	Logger     *slog.Logger
	Registerer prometheus.Registerer
}

// NewCounter makes the counter of a process.
func NewCounter(c Config) *Counter {
	return &Counter{
		Config: c, process: uuid.NewString(), kinds: map[kind]*count{},
		lost: metric.With(c.Registerer).Counter("crier_usage_lost_total",
			"Requests and calls that usage does not count, since more kinds of them came within a minute than are kept."),
	}
}

// Requested counts a request of the API.
func (c *Counter) Requested(r schema.APIRequest) {
	c.add(kind{workspace: r.Workspace, key: r.Key, verb: r.Method, route: r.Route, status: r.Status}, r.Took)
}

// Called counts a call to a platform.
func (c *Counter) Called(call schema.PlatformCall) {
	c.add(kind{platform: call.Platform, verb: call.Operation, outcome: call.Outcome}, call.Took)
}

func (c *Counter) add(k kind, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k.minute = c.current()
	n := c.kinds[k]
	if n == nil {
		if len(c.kinds) >= maxKinds {
			c.lost.Inc()
			return
		}
		n = &count{}
		c.kinds[k] = n
	}
	n.n++
	n.took += took
}

// current returns the minute that is counted. A clock that goes back stays in it: a minute
// that was reported is never counted again.
func (c *Counter) current() time.Time {
	if now := c.Now().UTC().Truncate(time.Minute); now.After(c.minute) {
		c.minute = now
	}
	return c.minute
}

// Run reports each minute once it has ended, until ctx ends, and then what is left.
func (c *Counter) Run(ctx context.Context) error {
	for {
		now := c.Now()
		if sleep.For(ctx, now.Truncate(time.Minute).Add(time.Minute).Sub(now)) != nil {
			break
		}
		c.Report(ctx)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastTry)
	defer cancel()
	c.report(ctx, c.upTo(func(kind) bool { return true }))
	return nil
}

// Report stores the minutes that have ended. What cannot be stored is kept for the next time.
func (c *Counter) Report(ctx context.Context) {
	c.mu.Lock()
	current := c.current()
	c.mu.Unlock()
	c.report(ctx, c.upTo(func(k kind) bool { return k.minute.Before(current) }))
}

func (c *Counter) upTo(wanted func(kind) bool) []kind {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Collect(maps.Keys(c.kinds)), func(k kind) bool { return !wanted(k) })
}

func (c *Counter) report(ctx context.Context, kinds []kind) {
	for len(kinds) > 0 {
		n := min(chunk, len(kinds))
		if err := c.Store.Report(ctx, c.facts(kinds[:n])); err != nil {
			c.Logger.WarnContext(ctx, "usage could not be stored; it is kept for the next minute", "kinds", len(kinds), "err", err)
			return
		}
		c.forget(kinds[:n])
		kinds = kinds[n:]
	}
}

func (c *Counter) forget(kinds []kind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range kinds {
		delete(c.kinds, k)
	}
}

func (c *Counter) facts(kinds []kind) []schema.Event {
	now := c.Now().UTC()
	facts := make([]schema.Event, len(kinds))
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, k := range kinds {
		facts[i] = k.fact(c.kinds[k], c.process)
		facts[i].ID, facts[i].At = schema.NewID[schema.EventID](now), now
	}
	return facts
}

func (k kind) fact(n *count, process string) schema.Event {
	e := schema.Event{Workspace: k.workspace, Platform: k.platform}
	var data any
	if k.workspace.IsZero() {
		e.Type = schema.FactPlatformCalls
		data = schema.PlatformCalls{
			Minute: k.minute, Process: process, Operation: k.verb, Outcome: k.outcome, Calls: n.n, Seconds: n.took.Seconds(),
		}
	} else {
		e.Type = schema.FactAPIUsage
		data = schema.APIUsage{
			Minute: k.minute, Process: process, Key: k.key, Method: k.verb, Route: k.route, Status: k.status, Requests: n.n, Seconds: n.took.Seconds(),
		}
	}
	e.Data, _ = json.Marshal(data) // plain values: it never fails
	return e
}
