package connectors

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"syscall"
	"time"

	"crier/schema"
	"crier/schema/recent"
)

// ClientConfig is what a Client is made of. Limits, Turns and TurnPrefix may be zero; all else is
// needed.
type ClientConfig struct {
	Calls
	HTTP   *http.Client // of package egress
	Limits Limits
	// Turns shares the turns of apps and accounts with other processes; nil: there are none.
	// TurnPrefix is what their names begin with.
	Turns      SharedTurns
	TurnPrefix string
	Logger     *slog.Logger
	Metrics    *Metrics
	Now        func() time.Time
}

// Client makes the calls of one platform: limiter, breaker, egress, typed error. It is
// safe for concurrent use.
type Client struct {
	platform schema.Platform
	http     *http.Client
	answers  Answers
	pace     func(header http.Header) time.Duration
	paceRead func(header http.Header) time.Duration
	ownPace  bool // it applies to the limit of the call only
	metrics  *Metrics
	now      func() time.Time
	limiter  *limiter
	breakers *recent.Cache[string, *breaker]
}

// NewClient makes the client of a platform.
func NewClient(config ClientConfig) *Client {
	return newClient(config, breakerOpen)
}

func newClient(config ClientConfig, open time.Duration) *Client {
	c := &Client{
		platform: config.Platform,
		http:     withoutRepeats(config.HTTP),
		answers:  config.Answers,
		pace:     config.Pace,
		paceRead: config.PaceReads,
		ownPace:  config.LimitOf != nil,
		metrics:  config.Metrics,
		now:      config.Now,
		limiter:  newLimiter(config),
		breakers: recent.New(guardedServers, func(server string) *breaker {
			return newBreaker(config.Platform, server, open, config.Logger)
		}),
	}
	config.Metrics.open.watch(c)
	return c
}

// openBreakers returns how many servers fail at the moment.
func (c *Client) openBreakers() (open int) {
	for _, b := range c.breakers.Values() {
		if b.fails() {
			open++
		}
	}
	return open
}

// withoutRepeats returns the client as it is, except that only reads follow a
// redirect: anything else would be sent a second time.
func withoutRepeats(client *http.Client) *http.Client {
	copied := *client
	copied.CheckRedirect = func(next *http.Request, via []*http.Request) error {
		if first := via[0].Method; first != http.MethodGet && first != http.MethodHead {
			return http.ErrUseLastResponse
		}
		if client.CheckRedirect != nil {
			return client.CheckRedirect(next, via)
		}
		return nil
	}
	return &copied
}

// Do makes a call and decodes the JSON of its answer into out, unless out is nil. Its
// errors are *schema.Error of the kinds from Refused on; any other error is our fault.
// The response is nil where none arrived whole; it also comes with the error that an
// answer meant.
//
// A call that has no streamed body ends after schema.CallDeadline at the latest; one
// that has ends with ctx. After ctx's deadline nothing is sent.
func (c *Client) Do(ctx context.Context, call Call, out any) (*Response, error) {
	memo := memoOf(ctx, call)
	if memo != nil {
		if response := memo.answer(call, c.now()); response != nil {
			if err := c.judge(call, response, out); err != nil {
				return response, err
			}
			return response, nil
		}
	}
	response, took, err := c.do(ctx, call, out)
	c.metrics.count(c.platform, call.Operation, took, err)
	if memo != nil && err == nil {
		memo.keep(call, response, c.now())
	}
	return response, err
}

// do also returns how long the exchange took; zero where there was none.
func (c *Client) do(ctx context.Context, call Call, out any) (_ *Response, took time.Duration, _ error) {
	request, err := call.request(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("building %s: %w", call.Operation, err)
	}
	server := c.breakers.Of(guarded(call, request.URL.Host))
	if err := c.limiter.wait(ctx, call, server, patience(call)); err != nil {
		return nil, 0, err
	}
	response, err := server.do(func() (*Response, error) {
		started := c.now()
		response, err := c.exchange(ctx, request, call, out)
		took = c.now().Sub(started)
		c.metrics.time(c.platform, err, took)
		return response, err
	})
	return response, took, err
}

// guarded names the server that a breaker stands before. Reads have one of their own: where they
// alone fail, all else goes on.
func guarded(call Call, host string) string {
	if call.Kind == Read {
		return host + " (reads)"
	}
	return host
}

// patience returns how long a call may wait for its turn. A visible call is claimed: it
// is made at once or not at all.
func patience(call Call) time.Duration {
	if call.Visible {
		return 0
	}
	return longestWait
}

// Reserve takes a turn for an account's next call of a kind, before the claim that
// records it. The turn is given to that Call, or cancelled if none is made. If there is
// none yet, it returns how long that takes. It knows only accounts that this client has
// called lately: for any other it returns nil, and no wait.
func (c *Client) Reserve(ctx context.Context, account schema.AccountID, kind Kind) (reservation schema.Reservation, wait time.Duration) {
	return c.limiter.reserve(ctx, account, kind)
}

// Spacing returns how far apart the turns are for which an account's next calls of a kind wait, once
// the burst is used up; 0 where the account is throttled, its server fails, there is no limit,
// or this client has not called it lately.
func (c *Client) Spacing(account schema.AccountID, kind Kind) time.Duration {
	return c.limiter.spacing(account, kind)
}

// Throttle keeps calls of an account back that count against the same limit as a call, for a time that
// its platform named other than by a refusal, such as in a header that says that nothing is left of it.
func (c *Client) Throttle(call Call, d time.Duration) { c.limiter.throttleLimit(call, d) }

// exchange sends the request and judges the answer.
func (c *Client) exchange(ctx context.Context, request *http.Request, call Call, out any) (*Response, error) {
	if !call.isStreamed() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, schema.CallDeadline)
		defer cancel()
	}
	if err := ctx.Err(); err != nil {
		return nil, notSent(err)
	}
	if late(ctx) {
		return nil, notSent(errLate)
	}
	response, err := c.send(ctx, request, call)
	if err != nil {
		return nil, err
	}
	if err := c.judge(call, response, out); err != nil {
		c.throttle(call, err.RetryAfter, err.Alone)
		return response, err
	}
	if pace := c.paceOf(call); pace != nil {
		c.throttle(call, pace(response.Header), c.ownPace)
	}
	return response, nil
}

func (c *Client) throttle(call Call, d time.Duration, alone bool) {
	if alone {
		c.limiter.throttleLimit(call, d)
	} else {
		c.limiter.throttle(call.Account, call.Kind, d)
	}
}

func (c *Client) paceOf(call Call) func(http.Header) time.Duration {
	if call.Kind == Read && c.paceRead != nil {
		return c.paceRead
	}
	return c.pace
}

func (c *Client) send(ctx context.Context, request *http.Request, call Call) (*Response, error) {
	// From the moment the request has a connection it may have arrived: it is written at once.
	// Where that is too late, the connection is closed before, though others may share it:
	// their calls are as old as the pause that made this one late.
	var sent, refused atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(got httptrace.GotConnInfo) {
			if late(ctx) {
				refused.Store(true)
				_ = got.Conn.Close() // the write fails for it
				return
			}
			sent.Store(true)
		},
	})
	raw, err := c.http.Do(request.WithContext(ctx))
	if err != nil && refused.Load() && !sent.Load() {
		return nil, notSent(errLate)
	}
	if err != nil {
		return nil, unanswered(call, sent.Load(), err)
	}
	response, err := read(raw)
	if err != nil {
		return nil, unanswered(call, true, err)
	}
	return response, nil
}

var (
	errNotSent = errors.New("not sent")
	errLate    = errors.New("the time of the call was over")
)

// late reports whether the deadline of a call has passed. It compares clocks and does not
// rely on ctx's end: after the process was frozen, a call might be sent long after its
// lease, before ctx's timer has run. The wall clock goes on while the machine sleeps.
func late(ctx context.Context) bool {
	until, bounded := ctx.Deadline()
	if !bounded {
		return false
	}
	now := time.Now()
	return now.After(until) || now.Round(0).After(until.Round(0))
}

// notSent is the error of a call that was given up before it was sent.
func notSent(cause error) *schema.Error {
	return &schema.Error{
		Kind: schema.Retryable, Message: "the call ran out of time before it was sent",
		Err: fmt.Errorf("%w: %w", errNotSent, cause),
	}
}

// unanswered is the error of a call without a whole answer. A refusal of the address
// guard passes as it is.
func unanswered(call Call, sent bool, err error) *schema.Error {
	if refusal, ok := errors.AsType[*schema.Error](err); ok {
		return refusal
	}
	// The URL that net/http puts into its errors may hold a token (telegram).
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	message := lostAnswer(err)
	err = call.secrets().scrubError(err)
	if sent {
		return &schema.Error{Kind: lost(call), Message: message, Err: err}
	}
	return &schema.Error{Kind: schema.Retryable, Message: "the platform could not be reached", Err: err}
}

// lostAnswer says how an answer was lost, as far as a person can use it.
func lostAnswer(err error) string {
	how := ""
	timeout, isNet := errors.AsType[net.Error](err)
	slow := errors.Is(err, context.DeadlineExceeded) || isNet && timeout.Timeout()
	broken, began := errors.AsType[*brokenAnswerError](err)
	switch {
	case slow && began:
		how = fmt.Sprintf(": it was too slow, with status %d and %d bytes by the end of its time", broken.status, broken.bytes)
	case slow:
		how = ": it did not come in time"
	case began:
		how = fmt.Sprintf(": it was cut off, with status %d and %d bytes", broken.status, broken.bytes)
	case errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET):
		how = ": the connection was closed before it came"
	}
	return "the platform's answer was lost" + how
}

// lost is the kind of error of a call that may have been carried out.
func lost(call Call) schema.ErrorKind {
	if call.Visible {
		return schema.Unknown
	}
	return schema.Retryable
}
