package pipeline

import (
	"slices"
	"time"

	"crier/pipeline/stream"
	"crier/schema"
)

const (
	// keptLimit bounds the jobs that are read and wait for credit, and keptOfLane those of one
	// lane, keptOfReceiver those of a receiver. What is more of a lane that is slow is passed
	// over, and read again once there is room for it: it holds up no other.
	keptLimit      = 8 * backlogChunk
	keptOfLane     = backlogChunk
	keptOfReceiver = 4 * creditFloorOfReceiver
	// behindLimit bounds the accounts of which it is known that their next posts wait.
	behindLimit = 50_000
)

// kept is the overdue jobs that are read and not fired, and which others were passed over.
type kept struct {
	shots   []shot
	sorted  bool // by their places
	ids     map[schema.JobID]struct{}
	waiting map[lane]int // how many of them
	passed  map[lane]*passed
	// behind is accounts that have a post among those passed over which goes to others as well:
	// what comes after it waits for the same lane.
	behind map[string]*passed
}

// passed is where in a lane the first job stands that was passed over: behind a place.
type passed struct {
	at schema.JobPlace
	by *reader // that has come to it: then it is behind that one's place
}

func newKept() kept {
	return kept{
		ids: map[schema.JobID]struct{}{}, waiting: map[lane]int{}, passed: map[lane]*passed{}, behind: map[string]*passed{},
	}
}

// has tells whether a place is among what was passed over.
func (p *passed) has(place schema.JobPlace) bool {
	if p.by != nil {
		return place.Compare(p.by.at) > 0
	}
	return place.Compare(p.at) > 0
}

func roomOf(l lane) int {
	if l.webhook.IsZero() {
		return keptOfLane
	}
	return keptOfReceiver
}

// offer takes a job that a reader has come to, or passes it over; false: there will be room
// for it soon.
func (k *kept) offer(r *reader, s shot, slow func(of lane, waiting int) bool) bool {
	if _, is := k.ids[s.ID]; is || r.refills && !k.covers(r, s) || k.isPassed(r, s) {
		return true
	}
	var full []lane
	waits := len(k.shots) >= keptLimit
	for _, l := range s.loads {
		n := k.waiting[l.lane]
		if n < roomOf(l.lane) && (len(k.shots) < keptLimit || !r.refills) {
			continue
		}
		if r.refills || slow(l.lane, n) {
			full = append(full, l.lane)
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
func (k *kept) covers(r *reader, s shot) bool {
	for _, l := range s.loads {
		if p := k.passed[l.lane]; p != nil && p.by == r {
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
func (k *kept) isPassed(r *reader, s shot) bool {
	place := s.Place()
	for _, l := range s.loads {
		if p := k.passed[l.lane]; p != nil && p.by != r && p.has(place) {
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

// passOver leaves a job to a later reader, and all that follows in some of its lanes.
func (k *kept) passOver(r *reader, s shot, full []lane) {
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

// follow has later posts of a job's accounts wait for the lane that it waits for.
func (k *kept) follow(s shot, p *passed) {
	if len(s.loads) == 1 {
		return
	}
	for _, m := range s.records {
		if _, is := k.behind[string(m.Key)]; !is && len(k.behind) < behindLimit {
			k.behind[string(m.Key)] = p
		}
	}
}

// refill begins to read what was passed over where half of a lane's room is free; nil: of none.
func (k *kept) refill(store backlogStore, shards []int16, to time.Time) *reader {
	if len(k.shots) > keptLimit-backlogChunk {
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
// there is no room in the lanes that it reads for. Where no pass has read further, nothing of
// them is passed over any more.
func (k *kept) refilled(r *reader, passedTo time.Time) bool {
	ended := r.ended()
	if !ended && len(k.shots) < keptLimit {
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

func (k *kept) caughtUp(l lane, p *passed) {
	delete(k.passed, l)
	for account, of := range k.behind {
		if of == p {
			delete(k.behind, account)
		}
	}
}

func (k *kept) add(s shot) {
	if n := len(k.shots); n > 0 && s.Place().Compare(k.shots[n-1].Place()) < 0 {
		k.sorted = false
	}
	k.shots = append(k.shots, s)
	k.ids[s.ID] = struct{}{}
	for _, l := range s.loads {
		k.waiting[l.lane]++
	}
}

// take removes the jobs that fire says are fired. It is asked for each, in their order.
func (k *kept) take(fire func(*shot) bool) {
	if !k.sorted {
		slices.SortFunc(k.shots, func(a, b shot) int { return a.Place().Compare(b.Place()) })
		k.sorted = true
	}
	left := k.shots[:0]
	for i := range k.shots {
		s := k.shots[i]
		if !fire(&s) {
			left = append(left, s)
			continue
		}
		delete(k.ids, s.ID)
		for _, l := range s.loads {
			if k.waiting[l.lane]--; k.waiting[l.lane] == 0 {
				delete(k.waiting, l.lane)
			}
		}
	}
	clear(k.shots[len(left):])
	k.shots = left
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
