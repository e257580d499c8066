package simulation

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"sync"
	"time"

	"crier/schema/sleep"
)

// Handler puts faults before the platform's own handler and counts its calls. Answers
// are dated by the clock of the world, which wrote the times of the posts too.
func (w *World) Handler(platform http.Handler, d Dialect) http.Handler {
	w.hasEnds, w.show = d.Ending.Ends, d.Show
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		operation := d.Operation(r)
		w.calls.count(operation)
		rw.Header().Set("Date", w.Now().Format(http.TimeFormat))
		fault, ok := w.faults.take(operation)
		if !ok {
			platform.ServeHTTP(rw, r)
			return
		}
		suffer(rw, r, fault, d, platform)
	})
}

// suffer answers a call as a fault says.
func suffer(rw http.ResponseWriter, r *http.Request, f Fault, d Dialect, platform http.Handler) {
	delay := time.Duration(f.Delay) * time.Millisecond
	effect := func(rw http.ResponseWriter) { platform.ServeHTTP(rw, r) }
	switch {
	case f.Refuse:
		_ = sleep.For(r.Context(), delay)
		cut()
	case f.Lose:
		effect(newAnswer())
		_ = sleep.For(r.Context(), delay)
		cut()
	case f.Shape != Whole:
		_ = sleep.For(r.Context(), delay)
		answerReshaped(rw, f.Shape, effect)
	case f.After:
		_ = sleep.For(r.Context(), delay)
		failAfter(rw, effect, func(rw http.ResponseWriter) { fail(rw, f, d) })
	case f.Status != 0:
		// Unread, a large body would have the server reset the connection and the
		// client miss the answer.
		io.Copy(io.Discard, r.Body)
		_ = sleep.For(r.Context(), delay)
		fail(rw, f, d)
	default:
		answerLater(rw, r, delay, effect)
	}
}

func fail(rw http.ResponseWriter, f Fault, d Dialect) {
	for field, value := range f.Header {
		rw.Header().Set(field, value)
	}
	if f.Body == "" && f.Status >= http.StatusBadRequest {
		d.Fail(rw, outcomeOf(f.Status), f.Status)
		return
	}
	rw.WriteHeader(f.Status)
	rw.Write([]byte(f.Body))
}

func outcomeOf(status int) Outcome {
	switch {
	case status == http.StatusTooManyRequests:
		return RateLimit
	case status == http.StatusUnauthorized:
		return ExpiredToken
	case status >= http.StatusInternalServerError:
		return Outage
	default:
		return Refused
	}
}

// cut ends the connection without an answer.
func cut() { panic(http.ErrAbortHandler) }

// answerLater lets a call take effect at once and holds its answer back, so that a
// client which gave up finds what it did.
func answerLater(rw http.ResponseWriter, r *http.Request, delay time.Duration, effect func(http.ResponseWriter)) {
	held := newAnswer()
	effect(held)
	_ = sleep.For(r.Context(), delay)
	held.writeTo(rw)
}

// answer is an answer that is held back.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func newAnswer() *answer { return &answer{header: http.Header{}, status: http.StatusOK} }

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(status int)      { a.status = status }
func (a *answer) Write(p []byte) (int, error) { return a.body.Write(p) }

func (a *answer) writeTo(rw http.ResponseWriter) {
	maps.Copy(rw.Header(), a.header)
	rw.WriteHeader(a.status)
	rw.Write(a.body.Bytes())
}

// calls counts by operation.
type calls struct {
	mu     sync.Mutex
	counts map[string]int
}

func (c *calls) count(operation string) {
	if operation == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[string]int{}
	}
	c.counts[operation]++
}

func (c *calls) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts = nil
}

// Calls returns how often an operation was called, faults included.
func (w *World) Calls(operation string) int {
	w.calls.mu.Lock()
	defer w.calls.mu.Unlock()
	return w.calls.counts[operation]
}
