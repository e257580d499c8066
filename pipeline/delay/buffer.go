package delay

import (
	"slices"
	"time"

	"crier/pipeline/stream"
	"crier/schema"
)

const (
	// bufferLimit bounds the jobs that are read and wait for credit, bufferPerDestination
	// those of one destination, bufferPerPart those of a server or a workspace within one, and
	// bufferPerReceiver those of one webhook. Where a slow destination has more, they are skipped, so
	// that they hold up no other, and read again once there is room for them.
	bufferLimit          = 8 * backlogChunk
	bufferPerDestination = backlogChunk
	bufferPerPart        = backlogChunk / 4
	bufferPerReceiver    = 4 * receiverCreditFloor
	// blockedLimit bounds the accounts whose later posts are known to wait for a skipped one.
	blockedLimit = 50_000
)

// buffer holds the overdue jobs that are read and not fired, and knows which others were
// skipped.
type buffer struct {
	dispatches []dispatch
	sorted     bool // by their places
	ids        map[schema.JobID]struct{}
	waiting    map[destination]int // how many of the dispatches go there
	skipped    map[destination]*skipped
	// blocked is the accounts of skipped posts that also go to other accounts: later posts
	// of these accounts wait with them, so that an account's posts stay in order. A post that
	// was skipped for one of its destinations may be skipped again for another.
	blocked map[string][]*skipped
}

// skipped says from which place on the jobs of a destination were skipped or not read yet.
type skipped struct {
	after    schema.JobPlace
	by       *reader  // which reads them again: the jobs behind its position are still skipped
	accounts []string // that are blocked by it
}

func newBuffer() buffer {
	return buffer{
		ids: map[schema.JobID]struct{}{}, waiting: map[destination]int{}, skipped: map[destination]*skipped{}, blocked: map[string][]*skipped{},
	}
}

func (s *skipped) contains(place schema.JobPlace) bool {
	if s.by != nil {
		return place.Compare(s.by.position) > 0
	}
	return place.Compare(s.after) > 0
}

// limitOf returns how many jobs of a destination the buffer holds at most.
func limitOf(of destination) int {
	switch {
	case !of.webhook.IsZero():
		return bufferPerReceiver
	case of.server != "" || !of.workspace.IsZero() || of.topic == schema.TopicRefresh && of.platform != 0:
		return bufferPerPart
	}
	return bufferPerDestination
}

// offer buffers a job that a reader has come to, or skips it. It returns false if the reader
// has to wait, as there will soon be room for the job.
func (b *buffer) offer(r *reader, d dispatch, slow func(of destination, waiting int) bool) bool {
	if _, is := b.ids[d.ID]; is || r.refills && !b.reads(r, d) || b.isSkipped(r, d) {
		return true
	}
	var full []destination
	wait := len(b.dispatches) >= bufferLimit
	for _, l := range d.loads {
		n := b.waiting[l.destination]
		if n < limitOf(l.destination) && (len(b.dispatches) < bufferLimit || !r.refills || l.isPart()) {
			continue
		}
		if r.refills || slow(l.destination, n) {
			full = append(full, l.destination)
		} else {
			wait = true
		}
	}
	switch {
	case len(full) > 0:
		b.skip(r, d, full)
	case wait:
		return false
	default:
		b.add(d)
	}
	return true
}

// reads reports whether a job is among the skipped ones that a reader reads again.
func (b *buffer) reads(r *reader, d dispatch) bool {
	for _, l := range d.loads {
		if s := b.skipped[l.destination]; s != nil && s.by == r {
			return true
		}
	}
	for _, m := range d.records {
		for _, s := range b.blocked[string(m.Key)] {
			if s.by == r {
				return true
			}
		}
	}
	return false
}

// isSkipped reports whether a job is left to another reader, of skipped jobs.
func (b *buffer) isSkipped(r *reader, d dispatch) bool {
	place := d.Place()
	for _, l := range d.loads {
		if s := b.skipped[l.destination]; s != nil && s.by != r && s.contains(place) {
			b.block(d, s)
			return true
		}
	}
	for _, m := range d.records {
		for _, s := range b.blocked[string(m.Key)] {
			if s.by != r && s.contains(place) {
				return true
			}
		}
	}
	return false
}

// skip leaves a job, and all that follow it in the full destinations, to a later reader.
func (b *buffer) skip(r *reader, d dispatch, full []destination) {
	for _, of := range full {
		s := b.skipped[of]
		if s == nil {
			s = &skipped{}
			b.skipped[of] = s
		}
		s.after, s.by = r.position, nil
		b.block(d, s)
	}
}

// block makes later posts of a skipped job's accounts wait with it, if it goes to several. Where there is
// only one, they are skipped anyway.
func (b *buffer) block(d dispatch, s *skipped) {
	if len(d.records) == 1 {
		return
	}
	for _, m := range d.records {
		key := string(m.Key)
		if waits, is := b.blocked[key]; !slices.Contains(waits, s) && (is || len(b.blocked) < blockedLimit) {
			b.blocked[key] = append(waits, s)
			s.accounts = append(s.accounts, key)
		}
	}
}

// refill returns a reader of skipped jobs that no other reads, from the first one on whose
// destination has half of its room free. It returns nil if there is none, or too little room in
// all.
func (b *buffer) refill(store backlogStore, shards []int16, to time.Time) *reader {
	if len(b.dispatches) > bufferLimit-backlogChunk {
		return nil
	}
	var first *skipped
	for of, s := range b.skipped {
		if s.by == nil && b.waiting[of] < limitOf(of)/2 && (first == nil || s.after.Compare(first.after) < 0) {
			first = s
		}
	}
	if first == nil {
		return nil
	}
	r := newReader(store, shards, first.after, to)
	r.refills = true
	for _, s := range b.skipped {
		if s.by == nil && s.after.Compare(first.after) >= 0 {
			s.by = r
		}
	}
	return r
}

// refilled reports whether a reader of skipped jobs is done: it has come to its end, or the
// destinations it reads for have no room left. If it has come to its end and no reader, readTo
// being the furthest, has read beyond that, nothing of these destinations is skipped any more.
func (b *buffer) refilled(r *reader, readTo time.Time) bool {
	ended := r.ended()
	if !ended && len(b.dispatches) < bufferLimit {
		for of, s := range b.skipped {
			if s.by == r && b.waiting[of] < limitOf(of) {
				return false
			}
		}
	}
	for of, s := range b.skipped {
		if s.by != r {
			continue
		}
		s.by, s.after = nil, r.position
		if ended {
			s.after = schema.JobPlace{DueAt: r.to.Add(time.Microsecond)} // the resolution of PostgreSQL's times
		}
		if ended && !r.to.Before(readTo) {
			b.unskip(of, s)
		}
	}
	return true
}

func (b *buffer) unskip(of destination, s *skipped) {
	delete(b.skipped, of)
	for _, account := range s.accounts {
		waits := slices.DeleteFunc(b.blocked[account], func(w *skipped) bool { return w == s })
		if b.blocked[account] = waits; len(waits) == 0 {
			delete(b.blocked, account)
		}
	}
}

func (b *buffer) add(d dispatch) {
	if n := len(b.dispatches); n > 0 && d.Place().Compare(b.dispatches[n-1].Place()) < 0 {
		b.sorted = false
	}
	b.dispatches = append(b.dispatches, d)
	b.ids[d.ID] = struct{}{}
	for _, l := range d.loads {
		b.waiting[l.destination]++
	}
}

// take calls fire with each job, in order, and removes those for which it returns true.
func (b *buffer) take(fire func(*dispatch) bool) {
	if !b.sorted {
		slices.SortFunc(b.dispatches, func(x, y dispatch) int { return x.Place().Compare(y.Place()) })
		b.sorted = true
	}
	left := b.dispatches[:0]
	for i := range b.dispatches {
		d := b.dispatches[i]
		if !fire(&d) {
			left = append(left, d)
			continue
		}
		delete(b.ids, d.ID)
		for _, l := range d.loads {
			if b.waiting[l.destination]--; b.waiting[l.destination] == 0 {
				delete(b.waiting, l.destination)
			}
		}
	}
	clear(b.dispatches[len(left):])
	b.dispatches = left
}

// anyWaits reports whether one of the accounts of some messages is among those that wait.
func anyWaits(waiting map[string]struct{}, messages []stream.Record) bool {
	return len(waiting) > 0 && slices.ContainsFunc(messages, func(m stream.Record) bool {
		_, waits := waiting[string(m.Key)]
		return waits
	})
}
