package stream

import (
	"context"
	"sync"
	"time"
)

// Message is one record in flight. Its receiver acknowledges it once its effect is
// committed elsewhere, or once it gives up on it.
type Message struct {
	Topic     string
	Partition int
	Offset    int64
	Key       []byte
	Value     []byte // may be empty or anything else: check it
	Headers   []Header
	Time      time.Time // when it was written, ms

	window *window // nil: no consumer delivered it
	seq    int64
}

// Ack acknowledges the message. Its offset is committed once all messages before it in its
// partition are acknowledged too. It may be called from any goroutine, does not block, and
// does nothing the second time or after the partition was revoked.
func (m *Message) Ack() {
	if m.window != nil {
		m.window.finish(m.seq)
	}
}

// Header returns the value of the first header of that name, "" if there is none.
func (m *Message) Header(key string) string {
	for _, h := range m.Headers {
		if h.Key == key {
			return string(h.Value)
		}
	}
	return ""
}

// window knows which messages of a partition are in flight and what may be committed.
// Offsets may have gaps, so messages are numbered as they are delivered.
type window struct {
	mu      sync.Mutex
	entries []entry // from the lowest unacknowledged message on
	base    int64   // number of entries[0]
	held    int     // entries not acknowledged
	next    int64   // offset to commit: all before it is acknowledged; -1: unknown
	stored  int64   // offset last committed, -1 for none

	changed chan struct{} // closed at the next Ack; nil: nobody waits for it
}

type entry struct {
	offset   int64
	written  time.Time
	finished bool
}

func newWindow(next, stored int64) *window {
	return &window{next: next, stored: stored}
}

// add puts messages in flight, in the order of their offsets.
func (w *window) add(messages []*Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range messages {
		m.window, m.seq = w, w.base+int64(len(w.entries))
		w.entries = append(w.entries, entry{offset: m.Offset, written: m.Time})
	}
	w.held += len(messages)
}

func (w *window) finish(seq int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := seq - w.base
	if i < 0 || w.entries[i].finished {
		return
	}
	w.entries[i].finished = true
	w.held--
	for len(w.entries) > 0 && w.entries[0].finished {
		w.next = w.entries[0].offset + 1
		w.entries = w.entries[1:]
		w.base++
	}
	if w.changed != nil {
		close(w.changed)
		w.changed = nil
	}
}

// awaitBelow waits until fewer than n messages are in flight, and returns how many are:
// n or more only if ctx has ended.
func (w *window) awaitBelow(ctx context.Context, n int) int {
	for {
		held, changed := w.watch()
		if held < n || ctx.Err() != nil {
			return held
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

func (w *window) watch() (held int, changed <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.changed == nil {
		w.changed = make(chan struct{})
	}
	return w.held, w.changed
}

// inFlight returns how many messages are not acknowledged.
func (w *window) inFlight() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.held
}

// oldest returns when the lowest unacknowledged message was written, zero if none is in
// flight.
func (w *window) oldest() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.entries) == 0 {
		return time.Time{}
	}
	return w.entries[0].written
}

// uncommitted returns the offset to commit, and whether it differs from the last one.
func (w *window) uncommitted() (int64, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.next, w.next >= 0 && w.next != w.stored
}

func (w *window) committed(offset int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stored = offset
}

// position returns the lowest unacknowledged offset, -1 before it is known.
func (w *window) position() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.next
}
