package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"crier/schema"
	"crier/schema/sleep"
)

// drain is how a workload is published, as the simulators see it.
type drain struct {
	expected []schedule // of each workspace
	byLabel  map[string]int
	accounts []int    // how many each workspace has
	seen     [][]bool // by post
	latest   []int    // of each workspace: the post that is due last of those that arrived
	last     [][]int  // of each account: the post that arrived last

	arrivals
	arrived         int
	first, end      time.Time     // of the arrivals
	disordered      int           // posts that arrived after one of their account that was due later
	overtaken       time.Duration // by how much a post was overtaken within its workspace, at most
	fresh           schema.Platform
	others          []arrived               // posts that are not of the workload
	skip            map[schema.Platform]int // posts of the simulators that were read
	reportedArrived int
	reportedAt      time.Time
}

func newDrain(c *workload) *drain {
	d := &drain{expected: c.schedules(), byLabel: map[string]int{}, fresh: c.fresh, skip: map[schema.Platform]int{}}
	for i, t := range c.tenants {
		d.byLabel[t.label] = i
		d.accounts = append(d.accounts, len(t.accounts))
		d.seen = append(d.seen, make([]bool, t.posts))
		d.latest = append(d.latest, 0)
		d.last = append(d.last, make([]int, len(t.accounts)))
	}
	return d
}

// add counts the posts that arrived next, in order.
func (d *drain) add(posts []arrived) {
	for _, p := range posts {
		label, _, _ := strings.Cut(p.Text, " ")
		workspace, ok := d.byLabel[label]
		if !ok {
			d.others = append(d.others, p)
			continue
		}
		i, due, ok := d.expected[workspace].due(p.Text)
		if !ok {
			d.errors++
			continue
		}
		d.addArrival(workspace, i, p.CreatedAt.Sub(due))
		if d.arrived == 0 {
			d.first = p.CreatedAt
		}
		d.arrived++
		d.end = p.CreatedAt
	}
}

func (d *drain) addArrival(workspace, i int, late time.Duration) {
	if d.seen[workspace][i] || late < -early {
		d.errors++
	}
	d.seen[workspace][i] = true
	d.late = append(d.late, late)
	account := i % d.accounts[workspace]
	if i < d.last[workspace][account] && d.expected[workspace].step > 0 {
		d.disordered++
	}
	d.last[workspace][account] = i
	d.latest[workspace] = max(d.latest[workspace], i)
	d.overtaken = max(d.overtaken, time.Duration(d.latest[workspace]-i)*d.expected[workspace].step)
}

// missing returns how many posts have not arrived.
func (d *drain) missing() int {
	n := 0
	for _, seen := range d.seen {
		for _, there := range seen {
			if !there {
				n++
			}
		}
	}
	return n
}

const (
	drainLook = 500 * time.Millisecond
	drainTell = 5 * time.Second
	// A drain is given up where it is slower than minDrain posts a second after drainGrace.
	minDrain   = 250
	drainGrace = 45 * time.Second
)

// follow reads what arrives at the simulators until the whole workload is there; what is not
// after a while counts as errors.
func (s *session) follow(ctx context.Context, simulators string, d *drain) error {
	wanted := 0
	for _, e := range d.expected {
		wanted += e.until
	}
	deadline := time.Now().Add(drainGrace + time.Duration(wanted)*time.Second/minDrain)
	for d.reportedAt = time.Now(); ; {
		if err := d.read(ctx, simulators); err != nil {
			return err
		}
		done := d.arrived >= wanted
		if since := time.Since(d.reportedAt); since >= drainTell || done {
			s.say("%d of %d published, %.0f/s", d.arrived, wanted, float64(d.arrived-d.reportedArrived)/since.Seconds())
			d.reportedAt, d.reportedArrived = time.Now(), d.arrived
		}
		if done || time.Now().After(deadline) {
			d.errors += d.missing()
			return nil
		}
		if err := sleep.For(ctx, drainLook); err != nil {
			return err
		}
	}
}

// read takes what has arrived at the simulators since it was read.
func (d *drain) read(ctx context.Context, simulators string) error {
	for _, p := range slices.Compact([]schema.Platform{schema.Mastodon, d.fresh}) {
		var answer struct {
			Posts []arrived `json:"posts"`
		}
		if err := getJSON(ctx, fmt.Sprintf("http://%s/_control/posts?platform=%s&skip=%d", simulators, p, d.skip[p]), "", &answer); err != nil {
			return err
		}
		d.skip[p] += len(answer.Posts)
		d.add(answer.Posts)
	}
	return nil
}

// rate returns how many posts were published a second, from a time on, or from the first
// arrival if that was sooner.
func (d *drain) rate(from time.Time) float64 {
	if d.first.Before(from) {
		from = d.first
	}
	if d.arrived == 0 || !d.end.After(from) {
		return 0
	}
	return float64(d.arrived) / d.end.Sub(from).Seconds()
}

// fresh is posts that are published now, one after the other, beside a drain.
type fresh struct {
	label string
	key   string
	to    [][]target
	sent  []schedule
	arrivals
}

const (
	freshStep  = 100 * time.Millisecond
	freshSlice = 50                     // posts of a worker: five seconds of them
	freshAhead = 300 * time.Millisecond // for the worker to start
)

// publishNow sends posts until stop is closed, each at its instant, whether or not those
// before were answered. The time from that instant to the arrival at the platform is the
// post's lateness, so creation is included.
func (f *fresh) publishNow(ctx context.Context, s *session, url string, stop <-chan struct{}) error {
	for slice := 0; ; slice++ {
		select {
		case <-stop:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		default:
		}
		from := slice * freshSlice % len(f.to)
		plan := loadPlan{
			URL: url, Key: f.key, Targets: append(f.to[from:len(f.to):len(f.to)], f.to[:from]...), Connections: 16, Posts: freshSlice,
			First: time.Now().Add(freshAhead).Truncate(time.Microsecond), Step: freshStep, Now: true,
			Label: fmt.Sprintf("%s-%04d", f.label, slice),
		}
		var created loadResult
		if err := s.do(ctx, roleLoad, plan, &created); err != nil {
			return err
		}
		if created.Errors > 0 {
			s.say("%d posts of %s were not created: %s", created.Errors, f.label, created.Reason)
		}
		f.sent = append(f.sent, schedule{plan.Label, plan.First, plan.Step, 0, freshSlice})
	}
}

// addUntil compares what arrived with what was sent before a time.
func (f *fresh) addUntil(end time.Time, posts []arrived) {
	f.arrivals = arrivals{}
	for _, s := range f.sent {
		if end.After(s.first) {
			s.until = min(s.until, int(end.Sub(s.first)/s.step)+1)
			f.add(s, posts)
		}
	}
}
