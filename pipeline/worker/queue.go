package worker

import (
	"context"
	"slices"
	"sync"
	"time"

	"crier/schema"
)

// queue is a fair queue and the scheduler of a stage's slots: as many tasks of each key as hasRoom says, and
// as many of each bulkhead, workspace and server as their shares let, are out at a time. Bulkheads that may have
// more are served in turn, within them workspaces in turn, so that one tenant's herd does not delay
// another's, their servers in turn, and then first the keys with a task that is due now, and of those first
// the ones that had none.
type queue[M, R comparable] struct {
	share     // the slots of all bulkheads
	sizes     limits
	paces     paces
	mu        sync.Mutex
	keys      map[Key]*keyQueue[M, R]
	bulkheads map[Bulkhead]*bulkhead // with tasks that are out, or ready keys
	ring      []*bulkhead            // with a ready key that may have a slot, in turn
	atOnce    func(Key) int          // tasks of a key that may be out; nil: one
	queued    map[M]*task[M, R]
	waiting   waitingKeys[M, R] // soonest first
	acked     int               // tasks that take room: without their messages, queued or being postponed
	unacked   int               // tasks queued with their messages
	wake      chan struct{}
}

// keyQueue is the tasks of one key.
type keyQueue[M, R comparable] struct {
	id       Key
	tenant   schema.WorkspaceID
	bulkhead Bulkhead
	server   string
	tasks    []*task[M, R]
	fresh    int  // of them, not overdue
	isSparse bool // no task of it has been out

	out            int       // tasks that are out, but for those below
	storing        int       // of them, those whose result is being stored
	beingPostponed int       // tasks that are out for that: the others do not wait for them
	listed         list      // the list it is in
	lane           laneKey   // of its workspace, where it is listed as ready
	notBefore      time.Time // when its next task may be out; zero: at any time
}

// placeOf returns where to insert a task. Tasks are sorted by Order and mostly come in order, so it
// scans from the back. An overdue task never moves ahead of one that is due now, which would otherwise
// wait for the whole backlog; between the two kinds the order is therefore partial.
func (k *keyQueue[M, R]) placeOf(t *task[M, R]) int {
	place, fresh := len(k.tasks), t.overdue.IsZero()
	for i, next := range slices.Backward(k.tasks) {
		overdue := !next.overdue.IsZero()
		switch passes := next.Order.compare(t.Order) > 0; {
		case passes && (fresh || overdue):
			place = i
		case passes || !fresh || !overdue:
			return place
		}
	}
	return place
}

// headOf returns where to insert a task that was taken from the head: earlier ones may have come.
func (k *keyQueue[M, R]) headOf(t *task[M, R]) int {
	for i, next := range k.tasks {
		if next.Order.compare(t.Order) >= 0 || t.overdue.IsZero() && !next.overdue.IsZero() {
			return i
		}
	}
	return len(k.tasks)
}

// list names the list that a key is in; it is in one at most.
type list byte

const (
	unlisted list = iota
	listedSparse
	listedReady
	listedOverdue
	listedWaiting // for its time
)

func newQueue[M, R comparable](sizes limits, atOnce func(Key) int) *queue[M, R] {
	return &queue[M, R]{
		share: share{size: sizes.slots, bounded: sizes.bounded}, sizes: sizes, paces: newPaces(), atOnce: atOnce, bulkheads: map[Bulkhead]*bulkhead{},
		keys: map[Key]*keyQueue[M, R]{}, queued: map[M]*task[M, R]{}, wake: make(chan struct{}, 1),
	}
}

// The number of messages of a partition that are not acknowledged is bounded. If those of
// an account's herd, or of receivers that do not answer, all stayed so, no others would
// be fetched: so only the first keyUnacked of a key do, and of many keys fewer. The others are
// acknowledged early and queued without their message; if this process dies, their jobs fire again.
const (
	keyUnacked   = 16
	unackedLimit = 3000   // messages of all keys: with those of tasks that are out less than ReadAhead
	unackedShare = 100    // a key may have this part of what is left of unackedLimit
	ackedLimit   = 50_000 // tasks without their message, of all keys: some 20 MB
	ackedShare   = 8      // a key may have this part of what is left of ackedLimit
)

// put queues a task, and reports whether its message is to be acknowledged: the task is queued
// without it, the same task is queued already, or the queue is full, of tasks that are to be out
// before it. The limit of a key shrinks with what all keys have, so that long queues leave some to
// others; a task that is not queued fires again. Where the same task is queued with a message of
// an assignment that has ended, which keeps nobody from dropping it, it gets the new message.
func (q *queue[M, R]) put(t *task[M, R]) (acknowledge bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if same := q.queued[t.value]; same != nil {
		if !same.lost() {
			return true
		}
		same.ctx, same.message = t.ctx, t.message
		return false
	}
	k := q.keys[t.Key]
	if k == nil {
		k = &keyQueue[M, R]{id: t.Key, tenant: t.Workspace, bulkhead: t.Bulkhead, server: t.Server, isSparse: true}
		q.keys[t.Key] = k
	}
	t.Bulkhead, t.Server = k.bulkhead, k.server // where its key is, though more may be known of it by now
	if keep := min(keyUnacked, (unackedLimit-q.unacked)/unackedShare); len(k.tasks) >= keep {
		if len(k.tasks)-keep >= (ackedLimit-q.acked)/ackedShare && !q.displaceLast(k, t) {
			return true
		}
		t.message, t.takesRoom = nil, true
		q.acked++
	}
	q.insert(k, t, k.placeOf(t))
	q.offer(k)
	return t.takesRoom
}

// insert queues a task of a key at a place. A key that is listed as overdue is listed with what is due
// now as soon as one of its tasks is.
func (q *queue[M, R]) insert(k *keyQueue[M, R], t *task[M, R], place int) {
	q.queued[t.value] = t
	if t.message != nil {
		q.unacked++
	}
	k.tasks = slices.Insert(k.tasks, place, t)
	if !t.overdue.IsZero() {
		return
	}
	k.fresh++
	if k.listed == listedOverdue {
		q.makeReady(k, time.Now())
	}
}

// take removes up to limit tasks, which are then out. It waits for the first; it returns
// none only if ctx ends.
func (q *queue[M, R]) take(ctx context.Context, limit int) []*task[M, R] {
	for {
		next := q.endWaits(time.Now())
		if taken := q.takeReady(limit); len(taken) > 0 {
			return taken
		}
		if !q.await(ctx, next) {
			return nil
		}
	}
}

// await waits until a key may be ready, or the next wait is over; false if ctx ends.
func (q *queue[M, R]) await(ctx context.Context, next time.Time) bool {
	var ended <-chan time.Time
	if !next.IsZero() {
		timer := time.NewTimer(time.Until(next))
		defer timer.Stop()
		ended = timer.C
	}
	select {
	case <-ctx.Done():
		return false
	case <-q.wake:
	case <-ended:
	}
	return true
}

// takeOut removes the first task of a key, and gives it a slot.
func (q *queue[M, R]) takeOut(b *bulkhead, k *keyQueue[M, R]) *task[M, R] {
	t := k.tasks[0]
	k.tasks[0] = nil
	k.tasks, k.notBefore = k.tasks[1:], time.Time{}
	k.isSparse = false
	q.occupy(b, t, k.lane.class)
	q.noteOut(k, t)
	return t
}

// noteOut notes that a task has left its key's tasks and is out. One that is being postponed still
// takes its room: there may be thousands.
func (q *queue[M, R]) noteOut(k *keyQueue[M, R], t *task[M, R]) {
	if t.beingPostponed {
		k.beingPostponed++
	} else {
		k.out++
	}
	q.unqueue(k, t)
	if !t.beingPostponed {
		q.freeRoom(t)
	}
}

// unqueue notes that a task has left its key's tasks.
func (q *queue[M, R]) unqueue(k *keyQueue[M, R], t *task[M, R]) {
	delete(q.queued, t.value)
	if t.message != nil {
		q.unacked--
	}
	if t.overdue.IsZero() {
		k.fresh--
	}
}

// freeRoom notes that a task does not wait without its message any more, and counts no longer against
// ackedLimit.
func (q *queue[M, R]) freeRoom(t *task[M, R]) {
	if t.takesRoom {
		t.takesRoom = false
		q.acked--
	}
}

// done ends a task that was out.
func (q *queue[M, R]) done(t *task[M, R]) {
	t.cancelReservation()
	q.mu.Lock()
	defer q.mu.Unlock()
	k := q.keys[t.Key]
	q.noteBack(k, t)
	if len(k.tasks)+k.out+k.beingPostponed == 0 {
		delete(q.keys, t.Key)
		return
	}
	q.offer(k)
}

// endCall notes that the call of a task that is out has ended, and that its result is being stored.
func (q *queue[M, R]) endCall(t *task[M, R]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.notePace(t)
	k := q.keys[t.Key]
	k.storing++
	t.storing = true
	q.offer(k)
}

// requeue puts tasks that are out back, ahead of their keys' later tasks.
func (q *queue[M, R]) requeue(tasks ...*task[M, R]) {
	for _, t := range tasks {
		t.cancelReservation()
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, t := range tasks {
		q.offer(q.putBack(t))
	}
}

// acknowledged returns the queued tasks whose messages are acknowledged, so that the log
// will not deliver them again.
func (q *queue[M, R]) acknowledged() []*task[M, R] {
	q.mu.Lock()
	defer q.mu.Unlock()
	var tasks []*task[M, R]
	for _, k := range q.keys {
		for _, t := range k.tasks {
			if t.message == nil {
				tasks = append(tasks, t)
			}
		}
	}
	return tasks
}

// requeueAt puts a task that is out back, ahead of its key's later tasks; the key is ready again only
// at a time.
func (q *queue[M, R]) requeueAt(t *task[M, R], at time.Time) {
	t.cancelReservation()
	q.mu.Lock()
	defer q.mu.Unlock()
	k := q.putBack(t)
	k.notBefore = at
	if k.listed == unlisted && q.hasRoom(k) {
		q.wait(k)
	}
}

// putBack queues a task that was out. If the same task has been queued meanwhile, that one stays, and
// gets the message if its own belongs to another consumer.
func (q *queue[M, R]) putBack(t *task[M, R]) *keyQueue[M, R] {
	k := q.keys[t.Key]
	place := k.headOf
	if t.beingPostponed {
		place = k.placeOf
	}
	q.noteBack(k, t)
	switch same := q.queued[t.value]; {
	case same == nil:
		q.insert(k, t, place(t))
		if t.message == nil {
			t.takesRoom = true
			q.acked++
		}
	case same.lost():
		same.ctx, same.message = t.ctx, t.message
	case t.message != nil:
		t.message.Ack() // a message that nobody acknowledges ends the commits of its partition
	}
	return k
}

func (q *queue[M, R]) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// signalReady wakes those that take, if there is something to take.
func (q *queue[M, R]) signalReady() {
	if len(q.ring) > 0 && q.out < q.size {
		q.signal()
	}
}

// used returns how many slots are in use, by class.
func (q *queue[M, R]) used() [classes]int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.of
}

// len returns how many tasks are queued.
func (q *queue[M, R]) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.queued)
}
