// Package quietlog keeps a log readable while something is down: a slog.Handler that leaves out
// repetitions of warnings and errors.
package quietlog

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"
)

const (
	// window is how long repetitions of a warning or an error are left out: an outage at a
	// thousand requests a second is logged once a second.
	window = time.Second
	// maxCauses bounds how many causes are remembered.
	maxCauses = 1000
)

// Handler leaves out repetitions of warnings and errors. The next line of their cause says how
// many were left out; the metrics count every one.
type Handler struct {
	slog.Handler
	causes *causes
}

// causes is what was logged lately.
type causes struct {
	mu   sync.Mutex
	seen map[string]*repeated
}

type repeated struct {
	last    time.Time
	leftOut int
}

// New returns a handler around another.
func New(handler slog.Handler) Handler {
	return Handler{handler, &causes{seen: map[string]*repeated{}}}
}

// Handle implements slog.Handler.
func (h Handler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelWarn {
		return h.Handler.Handle(ctx, r)
	}
	leftOut, ok := h.causes.admit(causeOf(r), r.Time)
	if !ok {
		return nil
	}
	if leftOut > 0 {
		r = r.Clone()
		r.AddAttrs(slog.Int("left_out", leftOut))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler. What has other attributes has other causes.
func (h Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return New(h.Handler.WithAttrs(attrs))
}

// WithGroup implements slog.Handler.
func (h Handler) WithGroup(name string) slog.Handler { return New(h.Handler.WithGroup(name)) }

// admit reports whether a line is due, and how many of its cause were left out before it.
func (c *causes) admit(cause string, at time.Time) (leftOut int, due bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.seen[cause]
	if r == nil {
		if len(c.seen) >= maxCauses {
			clear(c.seen)
		}
		r = &repeated{last: at.Add(-window)}
		c.seen[cause] = r
	}
	if at.Sub(r.last) < window {
		r.leftOut++
		return 0, false
	}
	leftOut, r.last, r.leftOut = r.leftOut, at, 0
	return leftOut, true
}

// causeOf returns what lines of the same cause have in common: the message, and the text of
// the error without its digits, such as ports and positions.
func causeOf(r slog.Record) string {
	cause := r.Message
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "err" {
			cause += strings.Map(dropDigit, a.Value.String())
		}
		return true
	})
	return cause
}

func dropDigit(r rune) rune {
	if r >= '0' && r <= '9' {
		return -1
	}
	return r
}
