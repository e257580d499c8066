package pipeline

import (
	"slices"
	"sync"
	"time"

	"crier/schema"
)

// destination is what takes the work of jobs at a rate of its own: a platform, the first comments
// of one, a receiver, or all receivers.
type destination struct {
	topic    string
	platform schema.Platform  // of publish and comment
	webhook  schema.WebhookID // zero: all
}

// load is how many messages of a job a destination gets.
type load struct {
	destination
	messages int
}

const (
	// creditFor is how much work may wait in a destination, by the rate at which it takes that.
	creditFor = 1500 * time.Millisecond
	// creditFloor is what may wait where the rate is low or not known: more than the calls
	// that a process makes at a time. A receiver may have less: it can be dead.
	creditFloor, creditFloorOfReceiver = 1000, 64
	// rateOver is the time over which the rate of a destination is measured.
	rateOver = 2 * time.Second
	// slowAfter is how long what waits for credit would last in a destination that is slow: others do
	// not wait until there is room for more of it. It is not told earlier than that.
	slowAfter = 5 * time.Second
	// forgetAfter is when a job that nobody has answered is forgotten, if its destination goes on
	// without it: it waits for something else, and fires again by itself.
	forgetAfter = time.Minute
)

// credit bounds the overdue jobs that are fired and not done, by what each destination takes:
// the log trims what is more, and work that is due now would stand behind it. What became
// of fired jobs is read from PostgreSQL: so it does not matter which process works on them,
// what each has in memory, nor whether one account's call keeps a partition's offset back
// for minutes.
type credit struct {
	mu           sync.Mutex
	destinations map[destination]*destinationCredit
	fired        map[schema.JobID]*inFlight
	last         time.Time // settled
}

type destinationCredit struct {
	waiting int     // messages
	rate    float64 // messages a second
	since   time.Time
	moved   time.Time
}

// inFlight is a job that was fired and is not done.
type inFlight struct {
	loads []load
	at    time.Time
	due   time.Time // as firing has moved it; zero: not known yet
}

func newCredit(now time.Time) *credit {
	return &credit{destinations: map[destination]*destinationCredit{}, fired: map[schema.JobID]*inFlight{}, last: now}
}

// take takes the credit for a job's messages, if all of its destinations have some.
func (c *credit) take(id schema.JobID, loads []load, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, again := c.fired[id]; again {
		return true
	}
	for _, l := range loads {
		if state := c.destinations[l.destination]; state != nil && state.waiting >= state.limit(l.destination) {
			return false
		}
	}
	for _, l := range loads {
		state := c.destinations[l.destination]
		if state == nil {
			state = &destinationCredit{since: now, moved: now}
			c.destinations[l.destination] = state
		}
		state.waiting += l.messages
	}
	c.fired[id] = &inFlight{loads: loads, at: now}
	return true
}

func (s *destinationCredit) limit(of destination) int {
	floor := creditFloor
	if !of.webhook.IsZero() {
		floor = creditFloorOfReceiver
	}
	return max(floor, int(s.rate*creditFor.Seconds()))
}

// slow tells whether jobs that wait for a destination's credit will do so for long.
func (c *credit) slow(of destination, jobs int, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	state := c.destinations[of]
	return state != nil && now.Sub(state.since) > slowAfter && state.rate*slowAfter.Seconds() < float64(jobs)
}

// without returns the jobs that were not fired since they were read.
func (c *credit) without(jobs []schema.Job) []schema.Job {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(jobs, func(j schema.Job) bool {
		d := c.fired[j.ID]
		return d != nil && j.DueAt.Before(d.due)
	})
}

// moved notes when fired jobs fire again, of those that took credit.
func (c *credit) moved(jobs []schema.FiredJob) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, j := range jobs {
		if d := c.fired[j.ID]; d != nil {
			d.due = j.DueAt
		}
	}
}

// giveBack returns the credit of jobs that firing did not move: they were not fired, or
// somebody else has changed them.
func (c *credit) giveBack(jobs []schema.Job) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, j := range jobs {
		if d := c.fired[j.ID]; d != nil && d.due.IsZero() {
			c.forget(j.ID, d)
		}
	}
}

// open returns the fired jobs that may be done by now.
func (c *credit) open() []schema.FiredJob {
	c.mu.Lock()
	defer c.mu.Unlock()
	open := make([]schema.FiredJob, 0, len(c.fired))
	for id, d := range c.fired {
		if !d.due.IsZero() {
			open = append(open, schema.FiredJob{ID: id, DueAt: d.due})
		}
	}
	return open
}

// settle returns the credit of those of the open jobs that do not wait any more, and measures
// the destinations. It tells how many those were.
func (c *credit) settle(open []schema.FiredJob, waiting []schema.JobID, now time.Time) (answered int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	wait := make(map[schema.JobID]struct{}, len(waiting))
	for _, id := range waiting {
		wait[id] = struct{}{}
	}
	taken := map[destination]int{}
	for _, j := range open {
		d := c.fired[j.ID]
		if d == nil || !d.due.Equal(j.DueAt) {
			continue // fired again meanwhile
		}
		if _, waits := wait[j.ID]; !waits {
			for _, l := range d.loads {
				taken[l.destination] += l.messages
			}
			c.forget(j.ID, d)
			answered++
		}
	}
	c.measure(taken, now)
	for id, d := range c.fired {
		if now.Sub(d.at) > forgetAfter && c.passed(d, now) {
			c.forget(id, d)
		}
	}
	return answered
}

func (c *credit) measure(taken map[destination]int, now time.Time) {
	passed := now.Sub(c.last).Seconds()
	if c.last = now; passed <= 0 { // the clock was set back
		return
	}
	weight := min(1, passed/rateOver.Seconds())
	for of, state := range c.destinations {
		state.rate += weight * (float64(taken[of])/passed - state.rate)
		if taken[of] > 0 {
			state.moved = now
		}
		if state.waiting == 0 && state.rate < 1 {
			delete(c.destinations, of)
		}
	}
}

// passed tells whether all destinations of a job took others' work lately.
func (c *credit) passed(d *inFlight, now time.Time) bool {
	for _, l := range d.loads {
		if state := c.destinations[l.destination]; state != nil && now.Sub(state.moved) > rateOver {
			return false
		}
	}
	return true
}

func (c *credit) forget(id schema.JobID, d *inFlight) {
	delete(c.fired, id)
	for _, l := range d.loads {
		if state := c.destinations[l.destination]; state != nil {
			state.waiting -= l.messages
		}
	}
}
