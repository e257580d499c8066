package worker

import (
	"slices"
	"time"

	"crier/schema"
)

// A line is the tasks of a key that wait for turns which come one after the other, Spacing apart. The
// first waits for its turn in the queue, some more wait there behind it, and the rest as jobs.

// lineWait is the wait of a task in its key's line.
type lineWait struct {
	since         time.Time // zero: it has not been seen there
	recordedUntil time.Time // the end of the wait, as the timeline has it; zero: it has none
}

// trimLine acknowledges the messages of the first tasks of a key's line, which wait for long, and removes
// those behind them: behind so many, or behind the first whose message cannot be acknowledged for lack
// of room, and which would keep others from being fetched. What it removes is out, too, but leaves the
// bulkhead to the platform's other accounts. While it is being postponed, later tasks stay: what is due
// later must not come first.
func (q *queue[M, R]) trimLine(key Key, maximum int) (waiting int, behind []*task[M, R]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	k := q.keys[key]
	if k == nil {
		return 0, nil
	}
	for waiting < min(maximum, len(k.tasks)) && (q.ackEarly(k.tasks[waiting]) || waiting == 0) {
		waiting++
	}
	if k.beingPostponed > 0 {
		return waiting, nil
	}
	behind = slices.Clone(k.tasks[waiting:])
	clear(k.tasks[waiting:])
	k.tasks = k.tasks[:waiting]
	for _, t := range behind {
		t.beingPostponed = true
		q.noteOut(k, t)
	}
	return waiting, behind
}

// unrecorded returns the tasks whose wait in this line is at least schema.RecordedWait in all and is
// not in their timeline yet, or stands there too short. Task i still waits wait + i·spacing, and longer where
// those before it need several turns: what waits longer than it was recorded to is recorded for half as
// long again, so that a long wait has few records. The first task is left out: it waits for longestLine
// at most, and half as long again would mostly say too much.
func (q *queue[M, R]) unrecorded(key Key, wait, spacing time.Duration, now time.Time) (found delayed[M, R]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	k := q.keys[key]
	if k == nil {
		return found
	}
	for i, t := range k.tasks {
		l := &t.line
		if l.since.IsZero() {
			l.since = now
		}
		waited, left := now.Sub(l.since), wait+time.Duration(i)*spacing
		if !l.recordedUntil.IsZero() {
			left = max(left, waited/2)
		}
		if i == 0 || waited+left < schema.RecordedWait || now.Before(l.recordedUntil) {
			continue
		}
		l.recordedUntil = now.Add(left)
		found.add(t, left)
	}
	return found
}

// forgetRecorded has the waits of tasks recorded again: recording them has failed.
func (q *queue[M, R]) forgetRecorded(tasks []*task[M, R]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, t := range tasks {
		t.line.recordedUntil = time.Time{}
	}
}

// ackEarly acknowledges the message of a queued task, long before its claim; false if there is no room
// for another task without a message.
func (q *queue[M, R]) ackEarly(t *task[M, R]) bool {
	if t.message == nil || t.lost() {
		return true
	}
	if q.acked >= ackedLimit {
		return false
	}
	t.message.Ack()
	t.message, t.takesRoom = nil, true
	q.acked++
	q.unacked--
	return true
}

// displaceLast drops the last task of a key, whose job fires again, if another is to be out before it.
func (q *queue[M, R]) displaceLast(k *keyQueue[M, R], t *task[M, R]) bool {
	last := len(k.tasks) - 1
	if last < 0 || !k.tasks[last].takesRoom || k.placeOf(t) > last {
		return false
	}
	gone := k.tasks[last]
	k.tasks[last] = nil
	k.tasks = k.tasks[:last]
	q.unqueue(k, gone)
	q.freeRoom(gone)
	return true
}
