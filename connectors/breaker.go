package connectors

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"crier/schema"
)

const (
	// breakerFaults is how many faults in a row open a server's breaker.
	breakerFaults = 5
	// breakerOpen is how long a breaker stays open before it lets one probe through.
	breakerOpen = 15 * time.Second
	// probeWait is when to come back while that probe is under way.
	probeWait = time.Second
	// guardedServers is the size of a generation of servers: users name them.
	guardedServers = 1 << 12
)

var errBreakerOpen = errors.New("held by the breaker")

// breaker keeps calls away from one server while it fails: closed, until breakerFaults
// calls in a row have failed; open for a while; then half open, for one call that decides.
type breaker struct {
	platform schema.Platform
	server   string
	now      func() time.Time
	metrics  *Metrics
	logger   *slog.Logger

	mu       sync.Mutex
	faults   int       // in a row, while closed
	halfAt   time.Time // when it is half open; zero: it is closed
	probing  bool
	admitted time.Time // when admits last let a call come, while half open
}

// do makes the exchange, unless the breaker is open: then the error says when to come
// back.
func (b *breaker) do(exchange func() (*Response, error)) (*Response, error) {
	probe, wait := b.enter()
	if wait > 0 {
		return nil, b.refusal(wait)
	}
	var response *Response
	err := error(notSent(errors.New("the exchange panicked"))) // which says nothing about the server
	defer func() { b.leave(probe, err) }()
	response, err = exchange()
	return response, err
}

// enter lets a call through, or tells how long it has to wait.
func (b *breaker) enter() (probe bool, wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch now := b.now(); {
	case b.halfAt.IsZero():
		return false, 0
	case now.Before(b.halfAt):
		return false, b.halfAt.Sub(now)
	case b.probing:
		return false, probeWait
	}
	b.probing = true
	return true, 0
}

// admits tells how long the next call has to wait before it is worth preparing for; 0: it
// need not. While half open it admits one a probeWait.
func (b *breaker) admits() (wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	switch again := b.admitted.Add(probeWait); {
	case b.halfAt.IsZero():
		return 0
	case now.Before(b.halfAt):
		return b.halfAt.Sub(now)
	case b.probing || now.Before(again):
		return probeWait
	}
	b.admitted = now
	return 0
}

// leave counts what came of a call. While the breaker is not closed only the probe says
// anything: other calls were begun before.
func (b *breaker) leave(probe bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if probe {
		b.probing = false
	}
	switch {
	case saysNothing(err) || probe == b.halfAt.IsZero():
	case isFault(err):
		if b.faults++; probe || b.faults >= breakerFaults {
			b.trip()
		}
	default:
		b.faults = 0
		if probe {
			b.close()
		}
	}
}

// trip opens the breaker, or opens it again after a probe that failed.
func (b *breaker) trip() {
	if b.halfAt.IsZero() {
		b.metrics.open.WithLabelValues(b.platform.String()).Inc()
	}
	b.halfAt = b.now().Add(breakerOpen)
	b.logger.Warn("breaker changed", "platform", b.platform.String(), "server", b.server, "state", "open")
}

func (b *breaker) close() {
	b.halfAt = time.Time{}
	b.metrics.open.WithLabelValues(b.platform.String()).Dec()
	b.logger.Warn("breaker changed", "platform", b.platform.String(), "server", b.server, "state", "closed")
}

func (b *breaker) refusal(wait time.Duration) *schema.Error {
	return &schema.Error{
		Kind: schema.RateLimited, Message: "the platform's server is failing, calls to it wait",
		RetryAfter: max(wait, time.Millisecond), Err: errBreakerOpen,
	}
}

// isFault tells whether an error is the server's failure, and not its answer.
func isFault(err error) bool {
	e, ok := errors.AsType[*schema.Error](err)
	return ok && (e.Kind == schema.Retryable || e.Kind == schema.Unknown)
}

// saysNothing tells whether an error says nothing about the server: we gave up, or
// never reached for it.
func saysNothing(err error) bool {
	return errors.Is(err, errNotSent) || errors.Is(err, context.Canceled)
}
