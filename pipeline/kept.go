package pipeline

import (
	"slices"
	"time"

	"crier/pipeline/stream"
	"crier/schema"
)

const (
	// keptLimit bounds the jobs that are read and wait for credit, keptOfDestination those of
	// one destination, and keptOfReceiver those of a receiver. What is more of a slow
	// destination is passed over, and read again once there is room for it: it holds up no
	// other.
	keptLimit         = 8 * backlogChunk
	keptOfDestination = backlogChunk
	keptOfReceiver    = 4 * creditFloorOfReceiver
	// behindLimit bounds the accounts of which it is known that their next posts wait.
	behindLimit = 50_000
)

// kept is the overdue jobs that are read and not fired, and which others were passed over.
type kept struct {
	dispatches []dispatch
	sorted     bool // by their places
	ids        map[schema.JobID]struct{}
	waiting    map[destination]int // how many of them
	passed     map[destination]*passed
	// behind is accounts that have a post among those passed over which goes to others as well:
	// what comes after it waits for the same destination.
	behind map[string]*passed
}

// passed is where in a destination the first job stands that was passed over: behind a place.
type passed struct {
	at schema.JobPlace
	by *reader // that has come to it: then it is behind that one's place
}

func newKept() kept {
	return kept{
		ids: map[schema.JobID]struct{}{}, waiting: map[destination]int{}, passed: map[destination]*passed{}, behind: map[string]*passed{},
	}
}

// has tells whether a place is among what was passed over.
func (p *passed) has(place schema.JobPlace) bool {
	if p.by != nil {
		return place.Compare(p.by.at) > 0
	}
	return place.Compare(p.at) > 0
}

func roomOf(l destination) int {
	if l.webhook.IsZero() {
		return keptOfDestination
	}
	return keptOfReceiver
}

// offer takes a job that a reader has come to, or passes it over; false: there will be room
// for it soon.
func (k *kept) offer(r *reader, s dispatch, slow func(of destination, waiting int) bool) bool {
	if _, is := k.ids[s.ID]; is || r.refills && !k.covers(r, s) || k.isPassed(r, s) {
		return true
	}
	var full []destination
	waits := len(k.dispatches) >= keptLimit
	for _, l := range s.loads {
		n := k.waiting[l.destination]
		if n < roomOf(l.destination) && (len(k.dispatches) < keptLimit || !r.refills) {
			continue
		}
		if r.refills || slow(l.destination, n) {
			full = append(full, l.destination)
		} else {
			waits = true
		}
	}
	switch {
	case len(full) > 0:
		k.passOver(r, s, full)
	case waits:
		return false
	default:
		k.add(s)
	}
	return true
}

// covers tells whether a reader of what was passed over has come for a job.
func (k *kept) covers(r *reader, s dispatch) bool {
	for _, l := range s.loads {
		if p := k.passed[l.destination]; p != nil && p.by == r {
			return true
		}
	}
	for _, m := range s.records {
		if p := k.behind[string(m.Key)]; p != nil && p.by == r {
			return true
		}
	}
	return false
}

// isPassed tells whether a job is left to the reader of what was passed over.
func (k *kept) isPassed(r *reader, s dispatch) bool {
	place := s.Place()
	for _, l := range s.loads {
		if p := k.passed[l.destination]; p != nil && p.by != r && p.has(place) {
			k.follow(s, p)
			return true
		}
	}
	for _, m := range s.records {
		if p := k.behind[string(m.Key)]; p != nil && p.by != r && p.has(place) {
			return true
		}
	}
	return false
}

// passOver leaves a job to a later reader, and all that follows in some of its destinations.
func (k *kept) passOver(r *reader, s dispatch, full []destination) {
	for _, l := range full {
		p := k.passed[l]
		if p == nil {
			p = &passed{}
			k.passed[l] = p
		}
		p.at, p.by = r.at, nil
		k.follow(s, p)
	}
}

// follow has later posts of a job's accounts wait for the destination that it waits for.
func (k *kept) follow(s dispatch, p *passed) {
	if len(s.loads) == 1 {
		return
	}
	for _, m := range s.records {
		if _, is := k.behind[string(m.Key)]; !is && len(k.behind) < behindLimit {
			k.behind[string(m.Key)] = p
		}
	}
}

// refill begins to read what was passed over where half of a destination's room is free; nil: of none.
func (k *kept) refill(store backlogStore, shards []int16, to time.Time) *reader {
	if len(k.dispatches) > keptLimit-backlogChunk {
		return nil
	}
	var first *passed
	for l, p := range k.passed {
		if k.waiting[l] < roomOf(l)/2 && (first == nil || p.at.Compare(first.at) < 0) {
			first = p
		}
	}
	if first == nil {
		return nil
	}
	r := newReader(store, shards, first.at, to)
	r.refills = true
	for _, p := range k.passed {
		if p.at.Compare(first.at) >= 0 {
			p.by = r
		}
	}
	return r
}

// refilled tells whether a reader of what was passed over is done: it has come to its end, or
// there is no room in the destinations that it reads for. Where no pass has read further, nothing of
// them is passed over any more.
func (k *kept) refilled(r *reader, passedTo time.Time) bool {
	ended := r.ended()
	if !ended && len(k.dispatches) < keptLimit {
		for l, p := range k.passed {
			if p.by == r && k.waiting[l] < roomOf(l) {
				return false
			}
		}
	}
	for l, p := range k.passed {
		if p.by != r {
			continue
		}
		p.by, p.at = nil, r.at
		if ended {
			p.at = schema.JobPlace{DueAt: r.to.Add(time.Microsecond)} // PostgreSQL's times have no more
		}
		if ended && !r.to.Before(passedTo) {
			k.caughtUp(l, p)
		}
	}
	return true
}

func (k *kept) caughtUp(l destination, p *passed) {
	delete(k.passed, l)
	for account, of := range k.behind {
		if of == p {
			delete(k.behind, account)
		}
	}
}

func (k *kept) add(s dispatch) {
	if n := len(k.dispatches); n > 0 && s.Place().Compare(k.dispatches[n-1].Place()) < 0 {
		k.sorted = false
	}
	k.dispatches = append(k.dispatches, s)
	k.ids[s.ID] = struct{}{}
	for _, l := range s.loads {
		k.waiting[l.destination]++
	}
}

// take removes the jobs that fire says are fired. It is asked for each, in their order.
func (k *kept) take(fire func(*dispatch) bool) {
	if !k.sorted {
		slices.SortFunc(k.dispatches, func(a, b dispatch) int { return a.Place().Compare(b.Place()) })
		k.sorted = true
	}
	left := k.dispatches[:0]
	for i := range k.dispatches {
		s := k.dispatches[i]
		if !fire(&s) {
			left = append(left, s)
			continue
		}
		delete(k.ids, s.ID)
		for _, l := range s.loads {
			if k.waiting[l.destination]--; k.waiting[l.destination] == 0 {
				delete(k.waiting, l.destination)
			}
		}
	}
	clear(k.dispatches[len(left):])
	k.dispatches = left
}

// waits tells whether an account of some messages is among those that wait.
func waits(waiting map[string]struct{}, messages []stream.Record) bool {
	if len(waiting) == 0 {
		return false
	}
	for _, m := range messages {
		if _, is := waiting[string(m.Key)]; is {
			return true
		}
	}
	return false
}
