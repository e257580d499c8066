package delay

import (
	"slices"
	"sync"
	"time"

	"crier/schema"
)

// destination is where the messages of jobs end and which takes them at a rate of its own: a
// platform's posts or first comments, what is collected from it, all renewals, one webhook, or all webhooks.
// Of a platform's, and of renewals, those on one server and those of one workspace are destinations within it.
type destination struct {
	topic     string
	platform  schema.Platform  // for the topics publish, comment and collect; of a server of renewals
	webhook   schema.WebhookID // for the topic notify; zero: all webhooks
	server    string
	workspace schema.WorkspaceID
}

// load is how many messages a job sends to one destination.
type load struct {
	destination
	messages int
	within   destination // of which it is a server or a workspace; zero: of none
}

func (l load) isPart() bool { return l.within != destination{} }

const (
	// creditWindow says how many messages a destination may have outstanding: as many as it
	// takes in that time.
	creditWindow = 1500 * time.Millisecond
	// creditFloor is the least credit of a destination, for when its rate is low or not known
	// yet: more than the calls that a process makes at a time. A webhook's is lower, since
	// its receiver may be dead.
	creditFloor, receiverCreditFloor = 1500, 64
	// creditFactor says how many messages a server or a workspace may have outstanding for each that its
	// platform has room for, whatever its rate: one alone gets two thirds, and leaves the others to another.
	creditFactor = 2
	// rateWindow is the time over which the rate of a destination is averaged.
	rateWindow = 2 * time.Second
	// slowAfter tells slow destinations from others: one is slow if it needs longer than that
	// for the jobs that wait for its credit. No destination is called slow before its rate
	// has been measured for as long.
	slowAfter = 5 * time.Second
	// forgetAfter is after how long a fired job that is not done gives back the credit of those of its
	// destinations that take other work meanwhile: it waits for something else then, and fires
	// again by itself.
	forgetAfter = time.Minute
)

// credit is flow control for overdue jobs: it bounds those that are fired and not done by the
// rate at which each destination takes them. Without a bound, work that is due now would queue
// behind them, and the log would trim what exceeds its size. Whether a fired job is done is
// read from PostgreSQL, which knows it whichever process works on the job; lag does not tell,
// since one account's call may hold back the offset of a partition for minutes.
type credit struct {
	mu           sync.Mutex
	destinations map[destination]*destinationCredit
	fired        map[schema.JobID]*inFlight
	measured     time.Time // when the rates were last measured
}

type destinationCredit struct {
	outstanding int     // messages of fired jobs that are not done
	rate        float64 // messages a second
	since       time.Time
	tookWork    time.Time // when it was last seen to have taken any
}

// inFlight is a job that was fired and is not done.
type inFlight struct {
	loads   []load
	firedAt time.Time
	due     time.Time // to which firing has moved the job; zero: not known yet
}

func newCredit(now time.Time) *credit {
	return &credit{destinations: map[destination]*destinationCredit{}, fired: map[schema.JobID]*inFlight{}, measured: now}
}

// take takes the credit for a job's messages if every destination of it has some left.
func (c *credit) take(id schema.JobID, loads []load, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, again := c.fired[id]; again {
		return true
	}
	for _, l := range loads {
		if !c.hasRoom(l) {
			return false
		}
	}
	for _, l := range loads {
		state := c.destinations[l.destination]
		if state == nil {
			state = &destinationCredit{since: now, tookWork: now}
			c.destinations[l.destination] = state
		}
		state.outstanding += l.messages
	}
	c.fired[id] = &inFlight{loads: loads, firedAt: now}
	return true
}

func (c *credit) hasRoom(l load) bool {
	state := c.destinations[l.destination]
	switch {
	case state == nil || l.isPart() && state.outstanding == 0:
		return true
	case !l.isPart():
		return state.outstanding < state.limit(l.destination)
	}
	limit := int(state.rate * creditWindow.Seconds())
	if whole := c.destinations[l.within]; whole != nil {
		limit = max(limit, creditFactor*(whole.limit(l.within)-whole.outstanding-1))
	}
	return state.outstanding < limit
}

func (s *destinationCredit) limit(of destination) int {
	floor := creditFloor
	if !of.webhook.IsZero() {
		floor = receiverCreditFloor
	}
	return max(floor, int(s.rate*creditWindow.Seconds()))
}

// slow reports whether a destination needs longer than slowAfter for so many jobs.
func (c *credit) slow(of destination, jobs int, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	state := c.destinations[of]
	return state != nil && now.Sub(state.since) > slowAfter && state.rate*slowAfter.Seconds() < float64(jobs)
}

// withoutFired leaves out the jobs that were fired after they had been read.
func (c *credit) withoutFired(jobs []schema.Job) []schema.Job {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(jobs, func(j schema.Job) bool {
		f := c.fired[j.ID]
		return f != nil && j.DueAt.Before(f.due)
	})
}

// noteDue records to which times firing has moved jobs, of those that took credit.
func (c *credit) noteDue(jobs []schema.FiredJob) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, j := range jobs {
		if f := c.fired[j.ID]; f != nil {
			f.due = j.DueAt
		}
	}
}

// refund gives back the credit of jobs that firing did not move: they were not fired, or
// somebody else has changed them.
func (c *credit) refund(jobs []schema.Job) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, j := range jobs {
		if f := c.fired[j.ID]; f != nil && f.due.IsZero() {
			c.release(j.ID, f)
		}
	}
}

// firedJobs returns the jobs in flight, with the times to which firing has moved them.
func (c *credit) firedJobs() []schema.FiredJob {
	c.mu.Lock()
	defer c.mu.Unlock()
	fired := make([]schema.FiredJob, 0, len(c.fired))
	for id, f := range c.fired {
		if !f.due.IsZero() {
			fired = append(fired, schema.FiredJob{ID: id, DueAt: f.due})
		}
	}
	return fired
}

// settle releases the credit of the fired jobs that are not among the unanswered ones, and
// measures the destinations by them. It returns how many they were.
func (c *credit) settle(fired []schema.FiredJob, unanswered []schema.JobID, now time.Time) (answered int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	open := make(map[schema.JobID]struct{}, len(unanswered))
	for _, id := range unanswered {
		open[id] = struct{}{}
	}
	taken := map[destination]int{}
	for _, j := range fired {
		f := c.fired[j.ID]
		if f == nil || !f.due.Equal(j.DueAt) {
			continue // fired again meanwhile
		}
		if _, is := open[j.ID]; !is {
			for _, l := range f.loads {
				taken[l.destination] += l.messages
			}
			c.release(j.ID, f)
			answered++
		}
	}
	c.measure(taken, now)
	for id, f := range c.fired {
		if now.Sub(f.firedAt) > forgetAfter {
			c.forget(id, f, now)
		}
	}
	return answered
}

// measure updates the rates by the messages that were taken since they were last measured.
func (c *credit) measure(taken map[destination]int, now time.Time) {
	elapsed := now.Sub(c.measured).Seconds()
	if c.measured = now; elapsed <= 0 { // the clock was set back
		return
	}
	weight := min(1, elapsed/rateWindow.Seconds())
	for of, state := range c.destinations {
		state.rate += weight * (float64(taken[of])/elapsed - state.rate)
		if taken[of] > 0 {
			state.tookWork = now
		}
		if state.outstanding == 0 && state.rate < 1 {
			delete(c.destinations, of)
		}
	}
}

// forget releases the credit of those destinations of a job that have lately taken other work: of all
// webhooks, say, where the job's own takes none.
func (c *credit) forget(id schema.JobID, f *inFlight, now time.Time) {
	var stalled []load
	for _, l := range f.loads {
		if state := c.destinations[l.destination]; state != nil && now.Sub(state.tookWork) > rateWindow {
			stalled = append(stalled, l)
			continue
		}
		c.giveBack(l)
	}
	if f.loads = stalled; len(stalled) == 0 {
		delete(c.fired, id)
	}
}

func (c *credit) release(id schema.JobID, f *inFlight) {
	delete(c.fired, id)
	for _, l := range f.loads {
		c.giveBack(l)
	}
}

func (c *credit) giveBack(l load) {
	if state := c.destinations[l.destination]; state != nil {
		state.outstanding -= l.messages
	}
}
