package machine

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"time"
)

// simulation is one day as a seed determines it: everything that happens is an event at some
// time, and every random choice comes from the seed.
type simulation struct {
	rules  rules
	rand   *rand.Rand
	now    time.Time
	events events
	order  int // of the last event: those of one instant happen in the order they were added
	tokens int // of claims

	store    *store
	log      *log
	delay    *delay
	platform *platform
	nodes    []*node
	check    *check
	faults   faults
	seen     counts

	tells bool
	story []string
}

const (
	day = 24 * time.Hour
	// patience is how long after the last fault, and after the last post was due, every post
	// must have come to its end.
	patience = 3 * time.Hour
	workers  = 2
)

// began is when every simulation begins; nothing depends on it.
func began() time.Time { return time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC) }

func newSimulation(seed uint64, r rules) *simulation {
	s := &simulation{rules: r, rand: rand.New(rand.NewPCG(seed, 0)), now: began()}
	s.faults = newFaults(s.rand)
	s.check = newCheck(s)
	s.store = newStore(r, func(j job) { s.delay.hear(j) })
	s.store.lateness = day
	if s.rand.IntN(2) == 0 {
		s.store.lateness = s.between(time.Minute, time.Hour)
	}
	s.log, s.delay, s.platform = &log{simulation: s}, &delay{simulation: s}, newPlatform(s)
	for range workers {
		s.startNode(len(s.nodes))
	}
	s.promoteOn()
	s.platform.startOutages()
	s.startUsers()
	return s
}

// run runs all events and returns the first promise that was broken, nil if none was.
func (s *simulation) run() *violation {
	for len(s.events) > 0 && s.check.broken == nil {
		e := heap.Pop(&s.events).(event)
		if e.at.After(s.end()) {
			break
		}
		s.now = e.at
		e.do()
	}
	if s.check.broken == nil {
		s.check.ended()
	}
	return s.check.broken
}

func (s *simulation) end() time.Time {
	end := began().Add(day)
	for _, p := range s.store.posts {
		if p.scheduledFor.After(end) {
			end = p.scheduledFor
		}
	}
	return end.Add(patience)
}

func (s *simulation) promoteOn() {
	s.store.promote(s.now)
	if s.now.Before(began().Add(4 * day)) {
		s.after(promoteEvery, s.promoteOn)
	}
}

// faulty reports whether something may still go wrong.
func (s *simulation) faulty() bool { return s.now.Before(began().Add(day)) }

// chance returns true with a probability, and never once the faults have stopped.
func (s *simulation) chance(probability float64) bool {
	return s.rand.Float64() < probability && s.faulty()
}

// between returns a random duration from a range.
func (s *simulation) between(minimum, maximum time.Duration) time.Duration {
	return minimum + time.Duration(s.rand.Int64N(int64(maximum-minimum)+1))
}

func (s *simulation) after(in time.Duration, do func()) {
	s.order++
	heap.Push(&s.events, event{at: s.now.Add(in), order: s.order, do: do})
}

// tell adds a line to the story, where it is told.
func (s *simulation) tell(format string, args ...any) {
	if !s.tells {
		return
	}
	s.story = append(s.story, clockOf(s.now)+"  "+fmt.Sprintf(format, args...))
}

type event struct {
	at    time.Time
	order int
	do    func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	if !e[i].at.Equal(e[j].at) {
		return e[i].at.Before(e[j].at)
	}
	return e[i].order < e[j].order
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	old := *e
	last := old[len(old)-1]
	old[len(old)-1] = event{}
	*e = old[:len(old)-1]
	return last
}

// faults are how often a thing goes wrong, from 0 to 1.
type faults struct {
	lose, repeat, stall float64 // of messages
	forget              float64 // of announcements: delay's window is filled without them
	crash               float64 // at each point of a step
	pause, outage       float64 // of a worker before its call, of the database after it
	platform            float64 // of each call
	look                float64 // of each look-up
	down                float64 // of platforms, for hours
}

// newFaults makes every eighth day one on which nothing goes wrong.
func newFaults(r *rand.Rand) faults {
	if r.IntN(8) == 0 {
		return faults{}
	}
	levels := []float64{0, 0.02, 0.1, 0.3}
	level := func(scale float64) float64 { return scale * levels[r.IntN(len(levels))] }
	return faults{
		lose: level(1), repeat: level(1), stall: level(1), forget: level(1), crash: level(0.3), pause: level(1),
		outage: level(1), platform: level(2), look: level(1), down: level(1),
	}
}

func (f faults) none() bool { return f == faults{} }

// counts says how often each kind of thing happened, to show that the seeds reach them all.
type counts struct {
	cancels, edits, unschedules, retries             int
	lost, repeated, stalled, emptied                 int
	crashes, recoveries, pauses, outages             int
	published, comments, lateEffects, lostAnswers    int
	duplicates, found, secondTries, unknown, refused int
	holes, processed, vanished, stale, lateReceipts  int
	postponed, unanswered, repeats, missed, leftOut  int
	accepted, downLooks, settledLater, gaveUpLate    int
	gaveUp, notMade, unlisted                        int
}
