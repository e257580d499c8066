package connectors

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"

	"crier/schema"
)

const (
	// breakerFaults is how many faults in a row open a server's breaker.
	breakerFaults = 5
	// breakerOpen is how long a breaker stays open before it lets one probe through.
	breakerOpen = 15 * time.Second
	// probeWait is when to come back while that probe is under way.
	probeWait = time.Second
	// breakerMemory is for how long after its last failure a server counts as failing.
	// Work that waits for it probes far more often.
	breakerMemory = 2 * time.Minute
	// guardedServers is the size of a generation of servers: users name them.
	guardedServers = 1 << 12
)

var errBreakerOpen = errors.New("kept back by the breaker")

// breaker keeps calls away from one server while it fails.
type breaker struct {
	circuit *gobreaker.CircuitBreaker[*Response]

	mu       sync.Mutex
	last     string    // what the server did at its last fault
	halfAt   time.Time // when the first probe after it opened is let through
	admitted time.Time // when admits last let a call come, while it was half open
}

// newBreaker makes the breaker of a server. It goes by the monotonic clock, as gobreaker
// does: its times are durations, which no jump of the wall clock changes.
func newBreaker(platform schema.Platform, server string, open time.Duration, logger *slog.Logger) *breaker {
	b := &breaker{}
	b.circuit = gobreaker.NewCircuitBreaker[*Response](gobreaker.Settings{
		Name:         server,
		MaxRequests:  1,
		Timeout:      open,
		ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= breakerFaults },
		IsSuccessful: func(err error) bool { return !isFault(err) },
		IsExcluded:   saysNothing,
		OnStateChange: func(server string, _, to gobreaker.State) {
			if to == gobreaker.StateOpen {
				b.opened(open)
			}
			logger.Warn("breaker changed", "platform", platform.String(), "server", server, "state", to.String())
		},
	})
	return b
}

// do makes the exchange, unless the breaker is open: then the error says when to come
// back.
func (b *breaker) do(exchange func() (*Response, error)) (*Response, error) {
	response, err := b.circuit.Execute(exchange)
	switch {
	case errors.Is(err, gobreaker.ErrOpenState):
		return nil, b.refusal(b.untilProbe())
	case errors.Is(err, gobreaker.ErrTooManyRequests):
		return nil, b.refusal(probeWait)
	case isFault(err) && !saysNothing(err):
		b.note(fault(response, err))
	}
	return response, err
}

func (b *breaker) isClosed() bool { return b.circuit.State() == gobreaker.StateClosed }

// admits returns how long the next call has to wait; 0: not at all. While the breaker is
// half open it admits one call every probeWait.
func (b *breaker) admits() (wait time.Duration) {
	switch b.circuit.State() {
	case gobreaker.StateClosed:
		return 0
	case gobreaker.StateOpen:
		return b.untilProbe()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if time.Since(b.admitted) < probeWait {
		return probeWait
	}
	b.admitted = time.Now()
	return 0
}

// fails reports whether calls are kept away from the server: its breaker is open or half
// open, and it has failed lately. The breaker of a server that nobody calls any more
// stays half open.
func (b *breaker) fails() bool {
	if b.circuit.State() == gobreaker.StateClosed {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return time.Since(b.halfAt) < breakerMemory
}

func (b *breaker) opened(lasts time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.halfAt = time.Now().Add(lasts)
}

// untilProbe is at least a millisecond, so that the breaker is half open after that.
func (b *breaker) untilProbe() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(time.Until(b.halfAt), time.Millisecond)
}

func (b *breaker) note(fault string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last = fault
}

func (b *breaker) refusal(wait time.Duration) *schema.Error {
	b.mu.Lock()
	defer b.mu.Unlock()
	message := "the platform's server is failing, calls to it wait"
	if b.last != "" {
		message += " (at last: " + b.last + ")"
	}
	return &schema.Error{
		Kind: schema.RateLimited, Message: message,
		RetryAfter: wait, Err: errBreakerOpen,
	}
}

// isFault reports whether an error is a failure of the server, not an answer of it.
func isFault(err error) bool {
	kind := schema.KindOf(err)
	return kind == schema.Retryable || kind == schema.Unknown
}

// saysNothing reports whether an error says nothing about the server: the call was given
// up, or not sent.
func saysNothing(err error) bool {
	return errors.Is(err, errNotSent) || errors.Is(err, context.Canceled)
}
