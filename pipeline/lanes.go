package pipeline

import (
	"container/heap"
	"context"
	"sync"
	"time"

	"crier/pipeline/stream"
	"crier/schema"
)

// lane is what one thing at a time is done for: an account, or a webhook.
type lane = [16]byte

// bulkhead is what shares a bounded part of a stage's slots, so that one that hangs leaves
// the rest to others: a platform, or a workspace's receivers. The zero one has no bound.
type bulkhead [16]byte

// task is one message in hand. The message is nil once it is acknowledged.
type task[T comparable] struct {
	ctx       context.Context // ends when the message is handed out to another
	message   *stream.Message
	workspace schema.WorkspaceID
	lane      lane
	bulkhead  bulkhead
	value     T
	trace     string // W3C traceparent; empty: none
	loose     bool   // its message was acknowledged when it was queued
	faults    int    // how often handling it failed by our fault
}

// lanes is a queue per lane. Of each lane one task is out at a time, of each bulkhead at
// most share; ready lanes are served in turn by workspace, so that one tenant's herd does
// not hold up another's.
type lanes[T comparable] struct {
	mu      sync.Mutex
	lanes   map[lane]*laneQueue[T]
	tenants map[schema.WorkspaceID]*tenant
	ring    []*tenant // with a ready lane, in turn
	share   int
	outs    map[bulkhead]int             // tasks that are out
	parked  map[bulkhead][]*laneQueue[T] // ready lanes of full bulkheads
	queued  map[T]struct{}
	waiting waitingLanes[T] // soonest first
	loose   int             // tasks queued without their messages
	wake    chan struct{}
}

type laneQueue[T comparable] struct {
	id       lane
	tenant   schema.WorkspaceID
	bulkhead bulkhead
	tasks    []*task[T]
	out      bool
}

type tenant struct {
	id    schema.WorkspaceID
	ready []lane
}

func newLanes[T comparable](share int) *lanes[T] {
	return &lanes[T]{
		share: share, outs: map[bulkhead]int{}, parked: map[bulkhead][]*laneQueue[T]{},
		lanes: map[lane]*laneQueue[T]{}, tenants: map[schema.WorkspaceID]*tenant{},
		queued: map[T]struct{}{}, wake: make(chan struct{}, 1),
	}
}

// A partition hands out only so many messages that are not acknowledged. If those of an
// account's herd, or of receivers that do not answer, were all kept, they would hold up
// their neighbours in the log: of a lane only the first laneHeld are, the others are
// acknowledged and wait here alone. Their jobs fire again if this process dies.
const (
	laneHeld   = 16
	looseLimit = 50_000 // tasks that wait here alone, of all lanes: some 20 MB
	looseShare = 8      // a lane may have this part of the room that is left
)

// put queues a task, and tells whether its message may be acknowledged: where it is not
// kept with the task, where the same task is queued already, and where there is no room.
// The room of a lane shrinks with what all have, so that long lanes leave some to others;
// what finds none fires again.
func (l *lanes[T]) put(t *task[T]) (acknowledge bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.queued[t.value]; ok {
		return true
	}
	q := l.lanes[t.lane]
	if q == nil {
		q = &laneQueue[T]{id: t.lane, tenant: t.workspace, bulkhead: t.bulkhead}
		l.lanes[t.lane] = q
	}
	if len(q.tasks) >= laneHeld {
		if len(q.tasks)-laneHeld >= (looseLimit-l.loose)/looseShare {
			return true
		}
		t.message, t.loose = nil, true
		l.loose++
	}
	l.queued[t.value] = struct{}{}
	q.tasks = append(q.tasks, t)
	if len(q.tasks) == 1 && !q.out {
		l.makeReady(q)
	}
	return t.loose
}

// take removes up to limit tasks, one a lane, and marks their lanes as out. It waits for
// the first; it returns nothing only when ctx ends.
func (l *lanes[T]) take(ctx context.Context, limit int) []*task[T] {
	for {
		next := l.endWaits(time.Now())
		if taken := l.takeReady(limit); len(taken) > 0 {
			return taken
		}
		if !l.await(ctx, next) {
			return nil
		}
	}
}

// await returns when a lane may be ready, or the next wait has ended; false when ctx ends.
func (l *lanes[T]) await(ctx context.Context, next time.Time) bool {
	var ended <-chan time.Time
	if !next.IsZero() {
		timer := time.NewTimer(time.Until(next))
		defer timer.Stop()
		ended = timer.C
	}
	select {
	case <-ctx.Done():
		return false
	case <-l.wake:
	case <-ended:
	}
	return true
}

func (l *lanes[T]) takeReady(limit int) []*task[T] {
	l.mu.Lock()
	defer l.mu.Unlock()
	var taken []*task[T]
	for len(taken) < limit && len(l.ring) > 0 {
		next := l.ring[0]
		l.ring = l.ring[1:]
		q := l.lanes[next.ready[0]]
		next.ready = next.ready[1:]
		if len(next.ready) > 0 {
			l.ring = append(l.ring, next)
		} else {
			delete(l.tenants, next.id)
		}
		if l.full(q.bulkhead) {
			l.parked[q.bulkhead] = append(l.parked[q.bulkhead], q)
			continue
		}
		l.outs[q.bulkhead]++
		t := q.tasks[0]
		q.tasks[0] = nil
		q.tasks, q.out = q.tasks[1:], true
		delete(l.queued, t.value)
		if t.loose {
			t.loose = false
			l.loose--
		}
		taken = append(taken, t)
	}
	if len(l.ring) > 0 {
		l.signal()
	}
	return taken
}

// done gives a lane back.
func (l *lanes[T]) done(id lane) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.lanes[id]
	q.out = false
	l.leave(q.bulkhead)
	if len(q.tasks) == 0 {
		delete(l.lanes, id)
		return
	}
	l.makeReady(q)
}

// again puts a task back at the head of its lane, which is given back with it.
func (l *lanes[T]) again(t *task[T]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.makeReady(l.putBack(t))
}

// later puts a task back at the head of its lane, which is ready again only at a time.
func (l *lanes[T]) later(t *task[T], at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	heap.Push(&l.waiting, waitingLane[T]{l.putBack(t), at})
	l.signal()
}

func (l *lanes[T]) putBack(t *task[T]) *laneQueue[T] {
	q := l.lanes[t.lane]
	q.out = false
	l.leave(q.bulkhead)
	if _, ok := l.queued[t.value]; !ok {
		l.queued[t.value] = struct{}{}
		q.tasks = append([]*task[T]{t}, q.tasks...)
	}
	return q
}

// endWaits makes lanes ready whose wait is over, and returns when the next one's is; zero
// without one.
func (l *lanes[T]) endWaits(now time.Time) (next time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.waiting) > 0 {
		if first := l.waiting[0].until; first.After(now) {
			return first
		}
		l.makeReady(heap.Pop(&l.waiting).(waitingLane[T]).laneQueue)
	}
	return time.Time{}
}

// waitingLane is a lane that is not ready before a time, though it has tasks.
type waitingLane[T comparable] struct {
	*laneQueue[T]
	until time.Time
}

type waitingLanes[T comparable] []waitingLane[T]

func (w waitingLanes[T]) Len() int           { return len(w) }
func (w waitingLanes[T]) Less(i, j int) bool { return w[i].until.Before(w[j].until) }
func (w waitingLanes[T]) Swap(i, j int)      { w[i], w[j] = w[j], w[i] }
func (w *waitingLanes[T]) Push(x any)        { *w = append(*w, x.(waitingLane[T])) }
func (w *waitingLanes[T]) Pop() any {
	old := *w
	last := old[len(old)-1]
	old[len(old)-1] = waitingLane[T]{}
	*w = old[:len(old)-1]
	return last
}

func (l *lanes[T]) full(b bulkhead) bool { return b != bulkhead{} && l.outs[b] >= l.share }

// leave takes a task of a bulkhead back and lets one that waited for it through.
func (l *lanes[T]) leave(b bulkhead) {
	if l.outs[b]--; l.outs[b] == 0 {
		delete(l.outs, b)
	}
	waiting := l.parked[b]
	if len(waiting) == 0 {
		return
	}
	l.makeReady(waiting[0])
	if waiting[0] = nil; len(waiting) == 1 {
		delete(l.parked, b)
	} else {
		l.parked[b] = waiting[1:]
	}
}

func (l *lanes[T]) makeReady(q *laneQueue[T]) {
	t := l.tenants[q.tenant]
	if t == nil {
		t = &tenant{id: q.tenant}
		l.tenants[q.tenant] = t
		l.ring = append(l.ring, t)
	}
	t.ready = append(t.ready, q.id)
	l.signal()
}

func (l *lanes[T]) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// len returns how many tasks are queued.
func (l *lanes[T]) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.queued)
}
