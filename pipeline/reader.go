package pipeline

import (
	"time"

	"crier/schema"
)

// readPause is how long a reader pauses after a chunk of which few jobs were buffered, as a
// multiple of the time the chunk took: so it uses at most a quarter of one connection, and all
// readers together, which take turns, no more than one.
const readPause = 3

// reader goes through the overdue jobs in order of due time.
type reader struct {
	cursor  *cursor
	from    time.Time // zero: the beginning
	to      time.Time
	refills bool // it reads skipped jobs

	position schema.JobPlace // of the last job that was buffered or skipped
	unread   []dispatch      // read from PostgreSQL, behind position
	waits    bool            // for room in the buffer
	busy     time.Duration   // spent reading
	pausedTo time.Time       // by this process's clock
}

func newReader(store backlogStore, shards []int16, after schema.JobPlace, to time.Time) *reader {
	return &reader{cursor: newCursor(store, shards, after, to), from: after.DueAt, to: to, position: after}
}

func (r *reader) ended() bool { return len(r.unread) == 0 && r.cursor.ended() }

// pace records what a chunk took, and makes the reader pause if most of it was in vain.
func (r *reader) pace(took time.Duration, inVain bool) {
	r.busy += took
	if inVain {
		r.pausedTo = time.Now().Add(readPause * took)
	}
}
