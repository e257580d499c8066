package worker

import (
	"container/heap"
	"strconv"
	"time"

	"crier/pipeline/stream"
	"crier/schema"
)

// bulkhead is the ready keys of one bulkhead, by workspace.
type bulkhead struct {
	id      Bulkhead
	out     int // tasks that are out
	tenants map[schema.WorkspaceID]*tenant
	ring    []*tenant // with a ready key, in turn
	listed  bool      // in the queue's ring
}

// tenant is the ready keys of a workspace.
type tenant struct {
	id    schema.WorkspaceID
	ready []Key
	// overdue are keys whose tasks are all overdue. One that gets a task that is not is
	// added to ready, and its entry here is ignored.
	overdue overdueKeys
	turns   int
}

// overdueKeys is a heap by the due time of their first tasks, over all accounts.
type overdueKeys []overdueKey

type overdueKey struct {
	id    Key
	since time.Time
}

func (b overdueKeys) Len() int           { return len(b) }
func (b overdueKeys) Less(i, j int) bool { return b[i].since.Before(b[j].since) }
func (b overdueKeys) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }
func (b *overdueKeys) Push(x any)        { *b = append(*b, x.(overdueKey)) }
func (b *overdueKeys) Pop() any {
	old := *b
	last := old[len(old)-1]
	*b = old[:len(old)-1]
	return last
}

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
		width = min(width, (q.share-b.out)/widthPart)
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
		q.makeReady(k)
	}
}

// overdueEvery: each so many tasks an overdue one goes before those that are due now, so
// that overdue work goes on under any load.
const overdueEvery = 4

func (q *queue[M, R]) takeReady(limit int) []*task[M, R] {
	q.mu.Lock()
	defer q.mu.Unlock()
	var taken []*task[M, R]
	for len(taken) < limit && len(q.ring) > 0 {
		b := q.ring[0]
		q.ring, b.listed = q.ring[1:], false
		if q.full(b) {
			continue // it is listed again when one of its tasks comes back
		}
		if k := q.nextKey(b); k != nil {
			if !k.notBefore.IsZero() && time.Now().Before(k.notBefore) {
				q.wait(k)
			} else {
				taken = append(taken, q.takeOut(k))
				q.offer(k)
			}
		}
		q.list(b)
	}
	if len(q.ring) > 0 {
		q.signal()
	}
	return taken
}

// nextKey removes the next key of a bulkhead; nil if its workspace had only ignored
// entries.
func (q *queue[M, R]) nextKey(b *bulkhead) *keyQueue[M, R] {
	t := b.ring[0]
	b.ring = b.ring[1:]
	k := q.keyOf(t)
	if len(t.ready)+len(t.overdue) > 0 {
		b.ring = append(b.ring, t)
	} else {
		delete(b.tenants, t.id)
	}
	if k != nil {
		k.listed = unlisted
	}
	return k
}

// keyOf removes the next ready key of a workspace.
func (q *queue[M, R]) keyOf(t *tenant) *keyQueue[M, R] {
	t.turns++
	if len(t.ready) == 0 || t.turns%overdueEvery == 0 {
		for len(t.overdue) > 0 {
			k := q.keys[heap.Pop(&t.overdue).(overdueKey).id]
			if k != nil && k.listed == listedOverdue {
				return k
			}
		}
	}
	if len(t.ready) == 0 {
		return nil
	}
	k := q.keys[t.ready[0]]
	t.ready = t.ready[1:]
	return k
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
		q.makeReady(heap.Pop(&q.waiting).(waitingKey[M, R]).keyQueue)
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

func (q *queue[M, R]) full(b *bulkhead) bool { return b.id != Bulkhead{} && b.out >= q.share }

// bulkheadOf returns the bulkhead of a key.
func (q *queue[M, R]) bulkheadOf(k *keyQueue[M, R]) *bulkhead {
	b := q.bulkheads[k.bulkhead]
	if b == nil {
		b = &bulkhead{id: k.bulkhead, tenants: map[schema.WorkspaceID]*tenant{}}
		q.bulkheads[b.id] = b
	}
	return b
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
	b := q.bulkheads[k.bulkhead]
	b.out--
	q.list(b)
}

// list adds a bulkhead below its share with a ready key to the ring, and forgets one that
// is empty.
func (q *queue[M, R]) list(b *bulkhead) {
	switch {
	case b.out == 0 && len(b.ring) == 0:
		delete(q.bulkheads, b.id)
	case !b.listed && len(b.ring) > 0 && !q.full(b):
		b.listed = true
		q.ring = append(q.ring, b)
		q.signal()
	}
}

func (q *queue[M, R]) makeReady(k *keyQueue[M, R]) {
	b := q.bulkheadOf(k)
	t := b.tenants[k.tenant]
	if t == nil {
		t = &tenant{id: k.tenant}
		b.tenants[k.tenant] = t
		b.ring = append(b.ring, t)
	}
	if k.fresh > 0 {
		k.listed, t.ready = listedReady, append(t.ready, k.id)
	} else {
		k.listed = listedOverdue
		heap.Push(&t.overdue, overdueKey{k.id, k.tasks[0].overdue})
	}
	q.list(b)
}
