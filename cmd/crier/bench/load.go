package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// loadPlan is the configuration of a worker that creates posts. Each connection sends its
// next request when the last is answered.
type loadPlan struct {
	URL         string // of the REST API
	Key         string
	Targets     [][]target // request i goes to the targets at i modulo their number
	Connections int

	// Either the requests of a time count, after those of a warm-up, or Requests are made.
	Warmup, Measured time.Duration
	Requests         int

	// Request i is scheduled for First + i*Step modulo Span, and its text begins with
	// Label and i.
	First      time.Time
	Step, Span time.Duration
	Label      string
}

// target is a target of a post, as the API takes it.
type target struct {
	Platform string `json:"platform"`
	Account  string `json:"accountId"`
}

// loadResult is what became of the requests that count.
type loadResult struct {
	Created  int
	Errors   int    // requests that were not answered with 201
	Reason   string // of the first error
	Seconds  float64
	P50, P99 time.Duration // of those with 201, from the request to its whole answer
	Max      time.Duration
}

// load is the worker that creates posts.
func load(ctx context.Context, w *worker) error {
	var plan loadPlan
	if err := w.configure(&plan); err != nil {
		return err
	}
	g, err := newGenerator(plan)
	if err != nil {
		return err
	}
	result := g.run(ctx)
	select {
	case <-ctx.Done():
		return nil // what was interrupted has no result
	default:
		return w.answer(result)
	}
}

// generator makes the requests of a plan.
type generator struct {
	plan    loadPlan
	host    string
	head    []byte   // of every request, up to the key that differs
	targets [][]byte // JSON of the plan's
	next    atomic.Int64
	from    time.Time // what is answered from here on counts,
	until   time.Time // up to here; zero: without end
}

func newGenerator(plan loadPlan) (*generator, error) {
	u, err := url.Parse(plan.URL)
	if err != nil || u.Scheme != "http" {
		return nil, fmt.Errorf("%q is no http url", plan.URL)
	}
	g := &generator{plan: plan, host: u.Host}
	if u.Port() == "" {
		g.host += ":80"
	}
	g.head = fmt.Appendf(nil, "POST %s/api/v1/posts HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nIdempotency-Key: ",
		u.Path, u.Host, plan.Key)
	for _, targets := range plan.Targets {
		document, err := json.Marshal(targets)
		if err != nil {
			return nil, fmt.Errorf("encoding targets: %w", err)
		}
		g.targets = append(g.targets, document)
	}
	return g, nil
}

// run makes the requests over all connections and sums up what became of them.
func (g *generator) run(ctx context.Context) loadResult {
	began := time.Now()
	g.from = began.Add(g.plan.Warmup)
	if g.plan.Requests == 0 {
		g.until = g.from.Add(g.plan.Measured)
	}
	callers := make([]caller, g.plan.Connections)
	var all sync.WaitGroup
	for i := range callers {
		callers[i].exchange.host = g.host
		all.Go(func() { callers[i].call(ctx, g) })
	}
	all.Wait()
	return g.sum(callers, time.Since(g.from))
}

func (g *generator) sum(callers []caller, took time.Duration) loadResult {
	if g.plan.Requests == 0 {
		took = g.plan.Measured
	}
	var times samples
	result := loadResult{Seconds: took.Seconds()}
	for _, c := range callers {
		times = append(times, c.times...)
		result.Errors += c.errors
		if result.Reason == "" {
			result.Reason = c.reason
		}
	}
	result.Created = len(times)
	result.P50, result.P99, result.Max = times.rank(0.5), times.rank(0.99), times.rank(1)
	return result
}

// caller is one connection with what became of its requests.
type caller struct {
	exchange exchange
	times    samples
	errors   int
	reason   string
}

// call makes requests until the plan or ctx ends. An answer counts by its time.
func (c *caller) call(ctx context.Context, g *generator) {
	defer c.exchange.close()
	var request []byte
	for ctx.Err() == nil {
		i := int(g.next.Add(1) - 1)
		sent := time.Now()
		if g.plan.Requests > 0 && i >= g.plan.Requests || !g.until.IsZero() && !sent.Before(g.until) {
			return
		}
		request = g.appendRequest(request[:0], i)
		err := c.exchange.do(ctx, request)
		answered := time.Now()
		if answered.Before(g.from) || !g.until.IsZero() && answered.After(g.until) {
			continue
		}
		if err == nil {
			c.times = append(c.times, answered.Sub(sent))
			continue
		}
		c.fail(ctx, err)
	}
}

func (c *caller) fail(ctx context.Context, err error) {
	c.errors++
	if c.reason == "" {
		c.reason = err.Error()
	}
	_ = pause(ctx, 10*time.Millisecond) // a server that is gone is not asked in a tight loop
}

// filler makes a text of ordinary length: some 150 characters.
const filler = " A social post of ordinary length, the kind that announces something, with a link https://example.com/news and one or two tags #crier #bench"

// appendRequest appends the whole of request i.
func (g *generator) appendRequest(request []byte, i int) []byte {
	due := g.plan.First.Add(time.Duration(i) * g.plan.Step % g.plan.Span)
	body := make([]byte, 0, 1024)
	body = append(body, `{"content":"`...)
	body = fmt.Appendf(body, "%s %08d", g.plan.Label, i)
	body = append(body, filler...)
	body = append(body, `","platforms":`...)
	body = append(body, g.targets[i%len(g.targets)]...)
	body = append(body, `,"scheduledFor":"`...)
	body = due.UTC().AppendFormat(body, time.RFC3339Nano)
	body = append(body, `"}`...)

	request = append(request, g.head...)
	request = fmt.Appendf(request, "%s-%08d\r\nContent-Length: %d\r\n\r\n", g.plan.Label, i, len(body))
	return append(request, body...)
}
