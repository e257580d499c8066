package worker

import (
	"bytes"
	"cmp"
	"context"
	"time"

	"crier/pipeline/stream"
	"crier/schema"
)

// Key is what tasks are queued by: an account, or a webhook. Only one or a few tasks of a key run at
// a time.
type Key [16]byte

// Bulkhead names the keys that share a bounded part of a stage's slots, so that a
// platform that hangs, or a workspace's receivers, leave the rest to others. The zero one
// has no bound.
type Bulkhead [16]byte

// Place is where a message is queued, and what it asks to claim.
type Place[R comparable] struct {
	Workspace schema.WorkspaceID
	Key       Key
	Bulkhead  Bulkhead
	Server    string // that users name, which is called for it; empty: it is the bulkhead's own
	Order     Order
	Claims    R
}

// Order is in what order tasks of a key go, whenever their messages come: by the time their work is
// due, and by its id where that is the same. The steps of a post that has begun go before the first
// of those that are due later. Tasks without an order go in that of their messages.
type Order struct {
	Due int64 // in Unix µs
	ID  [16]byte
}

func (o Order) compare(to Order) int {
	return cmp.Or(cmp.Compare(o.Due, to.Due), bytes.Compare(o.ID[:], to.ID[:]))
}

// task is the work of one message. The message is nil once it is acknowledged.
type task[M, R comparable] struct {
	Place[R]
	ctx            context.Context // ends when the message goes to another consumer
	message        *stream.Message
	value          M
	trace          string             // W3C traceparent; empty: none
	reservation    schema.Reservation // reserved for its call, while it is out; nil: none
	overdue        time.Time          // when it was due, if it is overdue: what is due now goes first; zero: it is not
	takesRoom      bool               // it counts against ackedLimit
	faults         int                // how often it failed by our fault
	beingPostponed bool               // it is out for that, without a slot of its bulkhead
	storing        bool               // its call has ended, and its result is being stored
	line           lineWait           // where turns come one after the other

	holds  bool // a slot
	class  class
	pace   *pace     // of its server, while it is called
	began  time.Time // the call
	away   away
	gaveUp bool // it does not wait for its slot any more
}

// lost reports whether the task's message belongs to another consumer now.
func (t *task[M, R]) lost() bool { return t.message != nil && t.ctx.Err() != nil }

// cancelReservation cancels the reservation if no call was made.
func (t *task[M, R]) cancelReservation() {
	if t.reservation != nil {
		t.reservation.Cancel()
		t.reservation = nil
	}
}
