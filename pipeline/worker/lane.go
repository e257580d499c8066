package worker

import (
	"cmp"
	"container/heap"
	"time"

	"crier/schema"
)

// bulkhead is the ready keys of one bulkhead, by workspace and server.
type bulkhead struct {
	id Bulkhead
	share
	tenants   map[schema.WorkspaceID]*tenant // with slots or ready keys
	servers   map[string]*flow               // that users name, with slots or parked lanes
	rings     [classes][]*tenant             // with a ready key, in turn
	turn      class                          // the ring whose turn is next
	parking   []*flow                        // that have parked lanes
	returning []func() bool                  // tasks that wait for their slots again; true: they have them
	listed    bool                           // in the queue's ring
}

// tenant is a workspace in a bulkhead.
type tenant struct {
	flow
	lanes map[laneKey]*lane
	rings [classes][]*lane // with a ready key and not parked, in turn
	isIn  [classes]bool    // the bulkhead's rings
}

// lane is the ready keys of a workspace on one server, of which the same is expected.
type lane struct {
	laneKey
	workspace schema.WorkspaceID
	// sparse are keys that had no task before they were listed: a post that is due now does not wait for
	// one of each account of a herd (the new flows of FQ-CoDel, RFC 8290).
	sparse  sparseKeys
	arrived []Key // the sparse keys in the order in which they were listed; one that is not in sparse any more is ignored
	ready   []Key // other keys with a task that is due now
	// overdue are keys whose tasks are all overdue. One that gets a task that is not is
	// added to ready, and its entry here is ignored.
	overdue  overdueKeys
	turns    int
	listed   int  // sparse keys that it ever had
	isQueued bool // in its workspace's ring, or parked
}

type laneKey struct {
	server string
	class  class
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

// sparseKeys is a heap by the due time of their first tasks, the latest first: a herd's first tasks, too, are
// of keys that had none. Within latestFirst they are in the order in which they were listed.
type sparseKeys []sparseKey

type sparseKey struct {
	id  Key
	due int64 // in units of latestFirst
	n   int   // of the lane's keys
}

const latestFirst = 100 * time.Millisecond

func (s sparseKeys) Len() int { return len(s) }
func (s sparseKeys) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(s[j].due, s[i].due), cmp.Compare(s[i].n, s[j].n)) < 0
}
func (s sparseKeys) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s *sparseKeys) Push(x any)   { *s = append(*s, x.(sparseKey)) }
func (s *sparseKeys) Pop() any {
	old := *s
	last := old[len(old)-1]
	*s = old[:len(old)-1]
	return last
}

// laneTurns are from which list of a lane a key is taken, turn by turn, and from which others where that is
// empty: those that wait longer go on under any load.
var laneTurns = [...][]list{
	{listedOverdue, listedSparse, listedReady},
	{listedSparse, listedReady, listedOverdue},
	{listedReady, listedSparse, listedOverdue},
	{listedSparse, listedReady, listedOverdue},
}

// lateAfter is how late a task is that has no precedence any more over those of busy keys.
const lateAfter = 500 * time.Millisecond

// removeFirst removes the first key of a list of a lane.
func (q *queue[M, R]) removeFirst(l *lane, from list, now time.Time) *keyQueue[M, R] {
	switch from {
	case listedSparse:
		return q.removeSparse(l, now)
	case listedOverdue:
		return q.removeOverdue(l)
	}
	if len(l.ready) == 0 {
		return nil
	}
	k := q.keys[l.ready[0]]
	l.ready = l.ready[1:]
	return k
}

// removeSparse removes the sparse key that is due last, if it is not late: those that are late are ready as
// others are.
func (q *queue[M, R]) removeSparse(l *lane, now time.Time) *keyQueue[M, R] {
	for len(l.sparse) > 0 {
		switch k := q.sparseIn(l, heap.Pop(&l.sparse).(sparseKey).id); {
		case k == nil:
		case !k.isLate(now):
			return k
		default:
			k.listed, l.ready = listedReady, append(l.ready, k.id)
		}
	}
	return nil
}

// endSparse has the keys that are late by now ready as others are, the first that came first: below those that are
// due later, which may come without end, they would never go on.
func (q *queue[M, R]) endSparse(l *lane, now time.Time) {
	for ; len(l.arrived) > 0; l.arrived = l.arrived[1:] {
		k := q.sparseIn(l, l.arrived[0])
		if k != nil && !k.isLate(now) {
			return
		}
		if k != nil {
			k.listed, l.ready = listedReady, append(l.ready, k.id)
		}
	}
}

// sparseIn returns a key that is listed as sparse in a lane; nil: it is not, or not any more.
func (q *queue[M, R]) sparseIn(l *lane, id Key) *keyQueue[M, R] {
	if k := q.keys[id]; k != nil && k.listed == listedSparse && k.lane == l.laneKey {
		return k
	}
	return nil
}

// isLate reports whether the key's first task has been due for so long that it has no precedence.
func (k *keyQueue[M, R]) isLate(now time.Time) bool {
	due := k.tasks[0].Order.Due
	return due > 0 && now.Sub(time.UnixMicro(due)) >= lateAfter
}

// removeOverdue removes the overdue key that has been due for longest.
func (q *queue[M, R]) removeOverdue(l *lane) *keyQueue[M, R] {
	for len(l.overdue) > 0 {
		k := q.keys[heap.Pop(&l.overdue).(overdueKey).id]
		if k != nil && k.listed == listedOverdue && k.lane == l.laneKey {
			return k
		}
	}
	return nil
}
