package worker

import (
	"container/heap"
	"strconv"
	"time"

	"crier/pipeline/stream"
	"crier/schema"
)

// overdueHeader marks a message of overdue work, with its due time in Unix µs. "behind" is what overdue
// was once called; the name stays, since processes of several versions read each other's messages.
const overdueHeader = "crier-behind"

// OverdueSince returns the header of a message of overdue work.
func OverdueSince(at time.Time) stream.Header {
	return stream.Header{Key: overdueHeader, Value: strconv.AppendInt(nil, at.UnixMicro(), 10)}
}

func overdueSince(m *stream.Message) time.Time {
	if at, err := strconv.ParseInt(m.Header(overdueHeader), 10, 64); err == nil {
		return time.UnixMicro(at)
	}
	return time.Time{} // none, or nobody's
}

// widthPart is the part of a bulkhead's free slots that a key may have beyond its first
// task, so that a few slow keys do not fill it.
const widthPart = 4

// width returns how many calls of a key may run.
func (q *queue[M, R]) width(k *keyQueue[M, R]) int {
	if q.atOnce == nil {
		return 1
	}
	width := q.atOnce(k.id)
	if b := q.bulkheads[k.bulkhead]; b != nil && b.id != (Bulkhead{}) {
		width = min(width, (b.size-b.out)/widthPart)
	}
	return max(1, width)
}

// hasRoom reports whether one more task of a key may be out. Where several calls may run, the next one
// does not wait for a result to be stored, unless as many results as calls do. Where one may, it waits:
// the result says what goes next.
func (q *queue[M, R]) hasRoom(k *keyQueue[M, R]) bool {
	width := q.width(k)
	if width == 1 {
		return k.out == 0
	}
	return k.out-k.storing < width && k.out < 2*width
}

// offer lists a key as ready if a task of it may be out. A key without room is offered again when the
// call of one of its tasks has ended, and when a task has come back.
func (q *queue[M, R]) offer(k *keyQueue[M, R]) {
	if k.listed == unlisted && len(k.tasks) > 0 && q.hasRoom(k) {
		q.makeReady(k, time.Now())
	}
}

func (q *queue[M, R]) takeReady(limit int) []*task[M, R] {
	q.mu.Lock()
	defer q.mu.Unlock()
	var taken []*task[M, R]
	now := time.Now()
	for len(taken) < limit && len(q.ring) > 0 && q.out < q.size {
		b := q.ring[0]
		q.ring, b.listed = q.ring[1:], false
		if k := q.nextKey(b, now); k != nil {
			if !k.notBefore.IsZero() && now.Before(k.notBefore) {
				q.wait(k)
			} else {
				taken = append(taken, q.takeOut(b, k))
				q.offer(k)
			}
		}
		q.list(b)
	}
	q.signalReady()
	return taken
}

// nextKey removes the next key of a bulkhead; nil: none may have a slot now. The classes take turns.
func (q *queue[M, R]) nextKey(b *bulkhead, now time.Time) *keyQueue[M, R] {
	for range classes {
		c := b.turn
		b.turn = (b.turn + 1) % classes
		for q.mayTake(b, c) {
			if k := q.keyOf(b, b.nextLane(c), now); k != nil && q.staysIn(k, now) {
				return k
			}
			b.unpark() // the turn was for nobody
		}
	}
	return nil
}

// mayTake reports whether a class has ready keys in a bulkhead and a slot for them. It parks the lanes in
// front whose workspace or server holds too many.
func (q *queue[M, R]) mayTake(b *bulkhead, c class) bool {
	if b.free(c) <= 0 || q.free(c) <= 0 {
		return false
	}
	for len(b.rings[c]) > 0 {
		t := b.rings[c][0]
		over := b.over(t, t.rings[c][0].server, c)
		if over == nil {
			return true
		}
		l := b.nextLane(c)
		l.isQueued = true
		if !over.isParking() {
			b.parking = append(b.parking, over)
		}
		over.park(l)
	}
	return false
}

// nextLane removes the next lane of a class from its rings. Its workspace goes to the end of its own.
func (b *bulkhead) nextLane(c class) *lane {
	t := b.rings[c][0]
	b.rings[c], t.isIn[c] = b.rings[c][1:], false
	l := t.rings[c][0]
	t.rings[c], l.isQueued = t.rings[c][1:], false
	if len(t.rings[c]) > 0 {
		b.rings[c], t.isIn[c] = append(b.rings[c], t), true
	}
	return l
}

// keyOf removes the next ready key of a lane, which goes to the end of its rings, or is forgotten once it
// is empty; nil: it had only ignored entries.
func (q *queue[M, R]) keyOf(b *bulkhead, l *lane, now time.Time) (k *keyQueue[M, R]) {
	l.turns++
	q.endSparse(l, now)
	for _, from := range laneTurns[l.turns%len(laneTurns)] {
		if k = q.removeFirst(l, from, now); k != nil {
			k.listed = unlisted
			break
		}
	}
	if t := b.tenants[l.workspace]; len(l.sparse)+len(l.ready)+len(l.overdue) > 0 {
		b.queue(t, l)
	} else {
		delete(t.lanes, l.laneKey)
		b.tidy(l.workspace)
	}
	return k
}

// staysIn reports whether the same is still expected of a key as when it got ready; else it is made ready
// again, by the same clock: by a later one it could be listed where it never stays.
func (q *queue[M, R]) staysIn(k *keyQueue[M, R], now time.Time) bool {
	if q.classOf(k, now) == k.lane.class {
		return true
	}
	q.makeReady(k, now)
	return false
}

// queue adds a lane to the rings.
func (b *bulkhead) queue(t *tenant, l *lane) {
	if l.isQueued {
		return
	}
	l.isQueued = true
	t.rings[l.class] = append(t.rings[l.class], l)
	if !t.isIn[l.class] {
		b.rings[l.class], t.isIn[l.class] = append(b.rings[l.class], t), true
	}
}

// tidy forgets a workspace without slots and ready keys.
func (b *bulkhead) tidy(id schema.WorkspaceID) {
	if t := b.tenants[id]; t != nil && t.out == 0 && len(t.lanes) == 0 {
		delete(b.tenants, id)
	}
}

// wait lists a key until its time has come.
func (q *queue[M, R]) wait(k *keyQueue[M, R]) {
	k.listed = listedWaiting
	heap.Push(&q.waiting, waitingKey[M, R]{k, k.notBefore})
	q.signal()
}

// endWaits makes keys ready whose wait is over, and returns the end of the next wait;
// zero if there is none.
func (q *queue[M, R]) endWaits(now time.Time) (next time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) > 0 {
		if first := q.waiting[0].until; first.After(now) {
			return first
		}
		q.makeReady(heap.Pop(&q.waiting).(waitingKey[M, R]).keyQueue, time.Now())
	}
	return time.Time{}
}

// waitingKey is a key that is not ready before a time, though it has tasks.
type waitingKey[M, R comparable] struct {
	*keyQueue[M, R]
	until time.Time
}

type waitingKeys[M, R comparable] []waitingKey[M, R]

func (w waitingKeys[M, R]) Len() int           { return len(w) }
func (w waitingKeys[M, R]) Less(i, j int) bool { return w[i].until.Before(w[j].until) }
func (w waitingKeys[M, R]) Swap(i, j int)      { w[i], w[j] = w[j], w[i] }
func (w *waitingKeys[M, R]) Push(x any)        { *w = append(*w, x.(waitingKey[M, R])) }
func (w *waitingKeys[M, R]) Pop() any {
	old := *w
	last := old[len(old)-1]
	old[len(old)-1] = waitingKey[M, R]{}
	*w = old[:len(old)-1]
	return last
}

func (q *queue[M, R]) bulkheadOf(k *keyQueue[M, R]) *bulkhead {
	b := q.bulkheads[k.bulkhead]
	if b == nil {
		b = &bulkhead{
			id: k.bulkhead, share: q.shareOf(k.bulkhead),
			tenants: map[schema.WorkspaceID]*tenant{}, servers: map[string]*flow{},
		}
		q.bulkheads[b.id] = b
	}
	return b
}

func (b *bulkhead) tenantOf(id schema.WorkspaceID) *tenant {
	t := b.tenants[id]
	if t == nil {
		t = &tenant{lanes: map[laneKey]*lane{}}
		b.tenants[id] = t
	}
	return t
}

// noteBack notes that a task of a key is not out any more.
func (q *queue[M, R]) noteBack(k *keyQueue[M, R], t *task[M, R]) {
	if t.beingPostponed {
		k.beingPostponed--
		t.beingPostponed = false
		q.freeRoom(t)
		return
	}
	k.out--
	if t.storing {
		k.storing--
		t.storing = false
	}
	if t.holds {
		q.vacate(t)
	}
}

// list adds a bulkhead to the ring of which a ready key may have a slot, and forgets one that
// is empty.
func (q *queue[M, R]) list(b *bulkhead) {
	if !b.listed && len(b.tenants) == 0 && len(b.returning) == 0 {
		delete(q.bulkheads, b.id)
		return
	}
	for c := range classes {
		if !b.listed && len(b.rings[c]) > 0 && b.free(c) > 0 && (q.free(c) > 0 || q.out == q.size) {
			b.listed = true
			q.ring = append(q.ring, b)
			q.signal()
		}
	}
}

// makeReady lists a key by what is expected of it at a time.
func (q *queue[M, R]) makeReady(k *keyQueue[M, R], now time.Time) {
	b := q.bulkheadOf(k)
	t := b.tenantOf(k.tenant)
	k.lane = laneKey{k.server, q.classOf(k, now)}
	l := t.lanes[k.lane]
	if l == nil {
		l = &lane{laneKey: k.lane, workspace: k.tenant}
		t.lanes[k.lane] = l
	}
	switch {
	case k.fresh == 0:
		k.listed = listedOverdue
		heap.Push(&l.overdue, overdueKey{k.id, k.tasks[0].overdue})
	case k.isSparse:
		k.listed = listedSparse
		l.listed++
		heap.Push(&l.sparse, sparseKey{k.id, k.tasks[0].Order.Due / latestFirst.Microseconds(), l.listed})
		l.arrived = append(l.arrived, k.id)
	default:
		k.listed, l.ready = listedReady, append(l.ready, k.id)
	}
	b.queue(t, l)
	q.list(b)
}
