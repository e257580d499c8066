package pipeline

import (
	"time"

	"crier/schema"
)

// readRest is how long a reader rests after a chunk of which little was taken, in times of
// what that took: so it takes a quarter of a connection at most.
const readRest = 3

// reader is a way through overdue jobs, in their order.
type reader struct {
	cursor  *cursor
	from    time.Time // zero: the beginning
	to      time.Time
	refills bool // it takes what was passed over

	at         schema.JobPlace // how far what it has read was taken, or passed over
	read       []dispatch      // behind that
	waits      bool            // until there is room for the next one
	took       time.Duration
	restsUntil time.Time // by the process's own clock
}

func newReader(store backlogStore, shards []int16, after schema.JobPlace, to time.Time) *reader {
	return &reader{cursor: newCursor(store, shards, after, to), from: after.DueAt, to: to, at: after}
}

func (r *reader) ended() bool { return len(r.read) == 0 && r.cursor.ended() }

// rest notes what a chunk took. The reader rests where most of that was in vain.
func (r *reader) rest(took time.Duration, inVain bool) {
	r.took += took
	if inVain {
		r.restsUntil = time.Now().Add(readRest * took)
	}
}
