package delay

import (
	"context"
	"slices"
	"time"

	"crier/schema"
)

// backlogChunk is about how many jobs are read at a time, over all shards.
const backlogChunk = 4096

// cursor reads the overdue jobs of some shards in order of due time, each once: a pass. What
// comes to stand behind it is found by the next pass.
type cursor struct {
	store    backlogStore
	to       time.Time
	perShard int
	open     map[int16]schema.JobPlace // how far the shards are read that are not at their end
	beyond   []schema.Job              // read, and due after what some other shard may still have
}

func newCursor(store backlogStore, shards []int16, after schema.JobPlace, to time.Time) *cursor {
	c := &cursor{store: store, to: to, perShard: max(16, backlogChunk/max(1, len(shards))), open: map[int16]schema.JobPlace{}}
	for _, s := range shards {
		c.open[s] = schema.JobPlace{Shard: s, DueAt: after.DueAt, ID: after.ID}
	}
	return c
}

func (c *cursor) ended() bool { return len(c.open) == 0 && len(c.beyond) == 0 }

// next returns the next jobs in order. After an error it can be called again.
func (c *cursor) next(ctx context.Context) ([]schema.Job, error) {
	after := c.short()
	if len(after) > 0 {
		jobs, err := c.store.Backlog(ctx, after, c.to, c.perShard)
		if err != nil {
			return nil, err
		}
		c.note(after, jobs)
		c.beyond = append(c.beyond, jobs...)
		slices.SortFunc(c.beyond, func(a, b schema.Job) int { return a.Place().Compare(b.Place()) })
	}
	n := c.complete()
	jobs := slices.Clone(c.beyond[:n])
	c.beyond = append(c.beyond[:0], c.beyond[n:]...)
	return jobs, nil
}

// short returns where the shards are of which few jobs are at hand.
func (c *cursor) short() (after []schema.JobPlace) {
	have := jobsByShard(c.beyond)
	for s, at := range c.open {
		if have[s] < c.perShard/2 {
			after = append(after, at)
		}
	}
	return after
}

func jobsByShard(jobs []schema.Job) map[int16]int {
	n := map[int16]int{}
	for _, j := range jobs {
		n[j.Shard]++
	}
	return n
}

// note moves the shards on that were read. One that gave less than it might is at its end.
func (c *cursor) note(read []schema.JobPlace, jobs []schema.Job) {
	got := jobsByShard(jobs)
	for _, j := range jobs {
		if place := j.Place(); place.Compare(c.open[j.Shard]) > 0 {
			c.open[j.Shard] = place
		}
	}
	for _, at := range read {
		if got[at.Shard] < c.perShard {
			delete(c.open, at.Shard)
		}
	}
}

// complete returns how many of the jobs at hand come before anything that is not read yet.
func (c *cursor) complete() int {
	n := len(c.beyond)
	for _, at := range c.open {
		i, found := slices.BinarySearchFunc(c.beyond[:n], at, func(j schema.Job, at schema.JobPlace) int { return j.Place().Compare(at) })
		if found {
			i++
		}
		n = min(n, i)
	}
	return n
}

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
