package stream

import (
	"context"
	"sync"
	"time"
)

// window tracks which messages of a partition are in flight and which offset may be
// committed. Offsets may have gaps, so messages are numbered as they are delivered.
type window struct {
	mu            sync.Mutex
	slots         []slot // from the lowest unacknowledged message on
	base          int64  // number of slots[0]
	unacked       int    // slots not acknowledged
	next          int64  // offset to commit: all before it are acknowledged; -1: unknown
	lastCommitted int64  // -1 for none

	changed chan struct{} // closed at the next Ack; nil if nobody waits for it
}

// slot is one delivered message.
type slot struct {
	offset  int64
	written time.Time
	acked   bool
}

func newWindow(next, lastCommitted int64) *window {
	return &window{next: next, lastCommitted: lastCommitted}
}

// add records messages as in flight. They come in the order of their offsets.
func (w *window) add(messages []*Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range messages {
		m.window, m.seq = w, w.base+int64(len(w.slots))
		w.slots = append(w.slots, slot{offset: m.Offset, written: m.Time})
	}
	w.unacked += len(messages)
}

func (w *window) ack(seq int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := seq - w.base
	if i < 0 || w.slots[i].acked {
		return
	}
	w.slots[i].acked = true
	w.unacked--
	for len(w.slots) > 0 && w.slots[0].acked {
		w.next = w.slots[0].offset + 1
		w.slots = w.slots[1:]
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
		unacked, changed := w.watch()
		if unacked < n || ctx.Err() != nil {
			return unacked
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// watch returns how many messages are in flight, and a channel that the next Ack closes.
func (w *window) watch() (unacked int, changed <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.changed == nil {
		w.changed = make(chan struct{})
	}
	return w.unacked, w.changed
}

// inFlight returns how many messages are not acknowledged.
func (w *window) inFlight() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.unacked
}

// oldest returns when the lowest unacknowledged message was written, zero if none is in
// flight.
func (w *window) oldest() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.slots) == 0 {
		return time.Time{}
	}
	return w.slots[0].written
}

// uncommitted returns the offset to commit, and whether there is one and it is new.
func (w *window) uncommitted() (int64, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.next, w.next >= 0 && w.next != w.lastCommitted
}

func (w *window) committed(offset int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lastCommitted = offset
}

// position returns the lowest unacknowledged offset, -1 before it is known.
func (w *window) position() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.next
}
