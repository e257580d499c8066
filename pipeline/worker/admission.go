package worker

import (
	"context"
	"slices"
	"time"
)

// shareOf returns the slots of a bulkhead.
func (q *queue[M, R]) shareOf(id Bulkhead) share {
	size := q.sizes.share
	if id == (Bulkhead{}) {
		size = q.sizes.slots
	}
	return share{size: size, bounded: q.sizes.bounded}
}

// classOf returns what is expected of a key's next call.
func (q *queue[M, R]) classOf(k *keyQueue[M, R], now time.Time) class {
	if !q.bounded {
		return quick
	}
	server, isKnown := q.paces.servers.Known(serverKey{k.bulkhead, k.server})
	if isKnown && server.hangs(now) {
		return slow
	}
	if own, isKnown := q.paces.keys.Known(k.id); isKnown {
		return own.class()
	}
	if isKnown {
		return server.class()
	}
	return unknown
}

// over returns the workspace or the server that holds too many slots to get another in a class; nil:
// neither does.
func (b *bulkhead) over(t *tenant, server string, c class) *flow {
	if !b.bounded {
		return nil
	}
	free := b.free(c)
	if t.room(free) <= 0 {
		return &t.flow
	}
	if at := b.servers[server]; at != nil && at.room(free) <= 0 {
		return at
	}
	return nil
}

// occupy gives a task a slot of a class.
func (q *queue[M, R]) occupy(b *bulkhead, t *task[M, R], c class) {
	t.holds, t.class = true, c
	q.enter(c)
	b.enter(c)
	b.tenantOf(t.Workspace).out++
	if t.Server == "" {
		return
	}
	at := b.servers[t.Server]
	if at == nil {
		at = &flow{}
		b.servers[t.Server] = at
	}
	at.out++
}

// vacate takes a task's slot back, and hands it on to those that wait in the bulkhead.
func (q *queue[M, R]) vacate(t *task[M, R]) {
	b := q.bulkheads[t.Bulkhead]
	wasExhausted := q.bounded && (q.free(quick) <= 0 || q.free(unknown) <= 0 || q.free(slow) <= 0)
	t.holds = false
	q.exit(t.class)
	b.exit(t.class)
	b.tenants[t.Workspace].out--
	if at := b.servers[t.Server]; at != nil {
		at.out--
	}
	q.readmit(b)
	b.unpark()
	if at := b.servers[t.Server]; at != nil && at.out == 0 && !at.isParking() {
		delete(b.servers, t.Server)
	}
	b.tidy(t.Workspace)
	q.list(b)
	if wasExhausted { // others may have waited for the slots of all
		for _, other := range q.bulkheads {
			q.readmit(other)
			q.list(other)
		}
	}
	q.signalReady()
}

// unpark has lanes take turns again whose workspace or server may have more slots: as many of each as it
// may have.
func (b *bulkhead) unpark() {
	b.parking = slices.DeleteFunc(b.parking, func(f *flow) bool {
		for c, lanes := range f.parked {
			n := max(0, min(len(lanes), f.room(b.free(class(c)))))
			for _, l := range lanes[:n] {
				l.isQueued = false
				b.queue(b.tenants[l.workspace], l)
			}
			f.parked[c] = slices.Delete(lanes, 0, n)
		}
		return !f.isParking()
	})
}

// readmit gives tasks their slots again that have been away, in the order in which they came back.
func (q *queue[M, R]) readmit(b *bulkhead) {
	b.returning = slices.DeleteFunc(b.returning, func(admitted func() bool) bool { return admitted() })
}

// beginCall notes that a task's call begins.
func (q *queue[M, R]) beginCall(t *task[M, R]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.bounded {
		return
	}
	t.began, t.away.total = time.Now(), 0
	t.pace = q.paces.servers.Of(serverKey{t.Bulkhead, t.Server})
	t.pace.begin(t.began)
}

// notePace notes how long a task's call took, without the time that it was away.
func (q *queue[M, R]) notePace(t *task[M, R]) {
	if t.pace == nil {
		return
	}
	if !t.holds { // it was given up while it was away
		t.pace = nil
		return
	}
	now := time.Now()
	took := now.Sub(t.began) - t.away.total
	t.pace.end(took, now)
	t.pace = nil
	q.paces.keys.Of(t.Key).note(took, 1)
}

// away is the time that a call has spent without its slot.
type away struct {
	calls int // that wait for something else: most calls wait for one thing at a time
	since time.Time
	total time.Duration
}

// leave takes back the slot of a task whose call waits for something else than its server.
func (q *queue[M, R]) leave(t *task[M, R]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.away.calls++; t.away.calls > 1 || !t.holds {
		return
	}
	t.away.since = time.Now()
	if t.pace != nil {
		t.pace.calling--
	}
	q.vacate(t)
}

// comeBack waits until a task that has left has a slot again. After an error it has none.
func (q *queue[M, R]) comeBack(ctx context.Context, t *task[M, R]) error {
	admitted := make(chan struct{})
	if !q.admitAgain(t, admitted) {
		return nil
	}
	select {
	case <-admitted:
		return nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	t.gaveUp = true // if it is in line, it is dropped there
	b := q.bulkheadOf(q.keys[t.Key])
	q.readmit(b)
	q.list(b)
	return ended(ctx)
}

// admitAgain gives a task that has left a slot, or puts it in line for one. waits is whether it has to wait.
func (q *queue[M, R]) admitAgain(t *task[M, R], admitted chan struct{}) (waits bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.away.calls--; t.away.calls > 0 {
		return false
	}
	k := q.keys[t.Key]
	b := q.bulkheadOf(k)
	admit := func() bool {
		if t.gaveUp {
			return true
		}
		of, c := b.tenantOf(t.Workspace), q.classOf(k, time.Now())
		if b.free(c) <= 0 || q.free(c) <= 0 || b.over(of, t.Server, c) != nil {
			b.tidy(t.Workspace)
			return false
		}
		q.occupy(b, t, c)
		now := time.Now()
		t.away.total += now.Sub(t.away.since)
		if t.pace != nil {
			t.pace.begin(now)
		}
		close(admitted)
		return true
	}
	if admit() {
		return false
	}
	b.returning = append(b.returning, admit)
	return true
}
