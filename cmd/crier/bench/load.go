package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"crier/schema/sleep"
)

// loadPlan is the configuration of a worker that creates posts. Each connection sends its
// next request when the last is answered.
type loadPlan struct {
	URL         string // of the REST API
	Key         string
	Targets     [][]target // post i goes to the targets at i modulo their number
	Connections int

	// Either the requests within a time count, after a warm-up, or a number of posts is created.
	Warmup, Measured time.Duration
	Posts            int
	Bulk             int // posts of a request; 0: each is created by one of its own

	// Post i is scheduled for First + i*Step modulo Span, or published at once by a request
	// that is sent at First + i*Step. Its text begins with Label and i.
	First      time.Time
	Step, Span time.Duration
	Now        bool
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
	All      int    // with those before and after the measured time
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
	path := "/api/v1/posts"
	if plan.Bulk > 0 {
		path += "/bulk"
	}
	g.head = fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nIdempotency-Key: ",
		u.Path+path, u.Host, plan.Key)
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
	if g.plan.Posts == 0 {
		g.until = g.from.Add(g.plan.Measured)
	}
	callers := make([]caller, g.plan.Connections)
	var all sync.WaitGroup
	for i := range callers {
		callers[i].exchange = exchange{host: g.host, status: http.StatusCreated}
		all.Go(func() { callers[i].call(ctx, g) })
	}
	all.Wait()
	return g.sum(callers, time.Since(g.from))
}

func (g *generator) sum(callers []caller, took time.Duration) loadResult {
	if g.plan.Posts == 0 {
		took = g.plan.Measured
	}
	var times samples
	warm := 0
	result := loadResult{Seconds: took.Seconds()}
	for _, c := range callers {
		times, warm = append(times, c.times...), warm+c.warm
		result.Errors += c.errors
		if result.Reason == "" {
			result.Reason = c.reason
		}
	}
	result.Created, result.All = len(times), len(times)+warm
	result.P50, result.P99, result.Max = times.rank(0.5), times.rank(0.99), times.rank(1)
	return result
}

// caller is one connection with what became of its requests.
type caller struct {
	exchange exchange
	times    samples
	warm     int // created before or after the measured time
	errors   int
	reason   string
}

// call makes requests until the plan or ctx ends. An answer counts by its time.
func (c *caller) call(ctx context.Context, g *generator) {
	defer c.exchange.close()
	var request []byte
	each := max(g.plan.Bulk, 1)
	for ctx.Err() == nil {
		i := int(g.next.Add(int64(each))) - each
		if g.plan.Now && sleep.For(ctx, time.Until(g.plan.due(i))) != nil {
			return
		}
		sent := time.Now()
		if g.plan.Posts > 0 && i >= g.plan.Posts || !g.until.IsZero() && !sent.Before(g.until) {
			return
		}
		request = g.appendRequest(request[:0], i)
		err := c.exchange.do(ctx, request)
		answered := time.Now()
		if answered.Before(g.from) || !g.until.IsZero() && answered.After(g.until) {
			if err == nil {
				c.warm++
			}
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
	_ = sleep.For(ctx, 10*time.Millisecond) // a server that is gone is not asked in a tight loop
}

// filler makes a text of ordinary length: some 150 characters.
const filler = " A social post of ordinary length, the kind that announces something, with a link https://example.com/news and one or two tags #crier #bench"

// due is when post i is due.
func (p loadPlan) due(i int) time.Time {
	ahead := time.Duration(i) * p.Step
	if p.Span > 0 {
		ahead %= p.Span
	}
	return p.First.Add(ahead)
}

// appendRequest appends the whole of the request that creates post i, and those after it
// in bulk.
func (g *generator) appendRequest(request []byte, i int) []byte {
	body := make([]byte, 0, 1024*max(g.plan.Bulk, 1))
	if g.plan.Bulk == 0 {
		body = g.appendPost(body, i)
	} else {
		body = append(body, `{"posts":[`...)
		for n := i; n < min(i+g.plan.Bulk, g.plan.Posts); n++ {
			body = append(g.appendPost(body, n), ',')
		}
		body = append(body[:len(body)-1], "]}"...)
	}
	request = append(request, g.head...)
	request = fmt.Appendf(request, "%s-%08d\r\nContent-Length: %d\r\n\r\n", g.plan.Label, i, len(body))
	return append(request, body...)
}

func (g *generator) appendPost(body []byte, i int) []byte {
	body = append(body, `{"content":"`...)
	body = fmt.Appendf(body, "%s %08d", g.plan.Label, i)
	body = append(body, filler...)
	body = append(body, `","platforms":`...)
	targets := g.targets[i%len(g.targets)]
	body = append(body, targets...)
	if bytes.Contains(targets, []byte(`"bluesky"`)) { // no page is read for a card
		body = append(body, `,"platformSettings":{"bluesky":{"card":false}}`...)
	}
	if g.plan.Now {
		return append(body, `,"publishNow":true}`...)
	}
	body = append(body, `,"scheduledFor":"`...)
	body = g.plan.due(i).UTC().AppendFormat(body, time.RFC3339Nano)
	return append(body, `"}`...)
}
