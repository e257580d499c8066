package machine

import (
	"fmt"
	"time"

	"crier/schema"
)

// startUsers lets users arrive over the day, each with one post.
func (s *simulation) startUsers() {
	for range 3 + s.rand.IntN(6) {
		s.after(s.between(0, day-time.Hour), func() { s.newUser() })
	}
	for range s.rand.IntN(3) {
		s.after(s.between(0, day), func() {
			if s.chance(s.faults.lose) {
				s.log.empty()
			}
		})
	}
}

// user has one post, and may edit, cancel, unschedule or retry it.
type user struct {
	*simulation
	post    *post
	takes   int // how often the text was written
	retries int
}

const maxRetries = 3

func (s *simulation) newUser() {
	id := schema.PostID(s.store.newID())
	u := &user{simulation: s, post: &post{id: id, number: numberOf(id), version: 1, status: schema.Scheduled}}
	p := u.post
	p.scheduledFor = s.now.Add(u.someTime())
	u.chooseTargets()
	u.writeContent()
	announced := s.store.create(p, s.now)
	s.check.promised(p, p.scheduledFor)
	s.check.failed[p] = u.considerRetry
	s.tell("p%d: created for %s, %d targets, %d entries, %+v", p.number, clockOf(p.scheduledFor), len(p.targets), len(p.content.Entries), p.content.Thread)
	s.log.produce(announced...)
	for range s.rand.IntN(4) {
		at := s.between(0, p.scheduledFor.Sub(s.now)+10*time.Minute)
		if s.rand.IntN(2) == 0 {
			at = max(0, p.scheduledFor.Sub(s.now)+s.between(-3*time.Second, time.Second))
		}
		s.after(at, u.change)
	}
}

// someTime is how far ahead a post is scheduled.
func (u *user) someTime() time.Duration {
	switch u.rand.IntN(10) {
	case 0, 1:
		return 0
	case 2, 3, 4, 5:
		return u.between(time.Second, 10*time.Minute)
	case 6, 7, 8:
		return u.between(10*time.Minute, 23*time.Hour)
	default:
		return u.between(day, day+6*time.Hour)
	}
}

func (u *user) chooseTargets() {
	all := traits()
	for n := range 1 + u.rand.IntN(3) {
		t := all[u.rand.IntN(len(all))]
		fresh := &target{n: int16(n), version: 1, first: schema.StepPublish}
		if t.prepares {
			fresh.first = schema.StepPrepare
		}
		fresh.step = fresh.first
		fresh.account = schema.Account{ID: schema.AccountID{15: byte(n)}, Platform: t.platform}
		u.post.targets = append(u.post.targets, fresh)
	}
}

func (u *user) writeContent() {
	entries, threads := 1, true
	for _, t := range u.post.targets {
		threads = threads && traitOf(t.account.Platform).threads
	}
	c := &u.post.content
	if threads && u.rand.IntN(2) == 0 {
		entries = 2 + u.rand.IntN(3)
		c.Thread = &schema.ThreadConfig{ContinueOnError: u.rand.IntN(2) == 0, MaxRetries: u.rand.IntN(5)}
	}
	c.Entries = make([]schema.Entry, entries)
	for range u.rand.IntN(3) {
		c.FirstComments = append(c.FirstComments, schema.FirstComment{Target: u.rand.IntN(entries), Text: "first"})
	}
	u.write(u.post)
}

// write gives every entry a new text.
func (u *user) write(p *post) {
	u.takes++
	entries := make([]schema.Entry, len(p.content.Entries))
	for i := range entries {
		entries[i].Text = fmt.Sprintf("p%d entry %d, take %d", p.number, i, u.takes)
	}
	p.content.Entries = entries
}

func (u *user) change() {
	switch n := u.rand.IntN(10); {
	case n < 4:
		u.edit("edited", u.write)
	case n < 7:
		u.edit("moved", func(p *post) { p.scheduledFor = u.now.Add(u.between(time.Second, 3*time.Hour)) })
	case n < 8:
		u.unschedule()
	default:
		u.cancel()
	}
}

func (u *user) edit(verb string, change func(*post)) {
	if u.post.status == schema.Draft || !u.store.update(u.post, change, u.now) {
		return
	}
	u.seen.edits++
	due := u.post.scheduledFor
	u.tell("p%d: %s at version %d, due %s", u.post.number, verb, u.post.version, clockOf(due))
	u.check.promised(u.post, due)
}

// unschedule makes the post a draft, and schedules it again later.
func (u *user) unschedule() {
	if u.post.status == schema.Draft || !u.store.update(u.post, func(p *post) { p.status = schema.Draft }, u.now) {
		return
	}
	u.seen.unschedules++
	u.tell("p%d: a draft at version %d", u.post.number, u.post.version)
	u.check.withdrawn(u.post)
	u.after(u.between(time.Second, time.Hour), func() {
		u.store.update(u.post, func(p *post) {
			p.status, p.scheduledFor = schema.Scheduled, u.now.Add(u.between(time.Second, time.Hour))
		}, u.now)
		u.tell("p%d: scheduled again at version %d, due %s", u.post.number, u.post.version, clockOf(u.post.scheduledFor))
		u.check.promised(u.post, u.post.scheduledFor)
	})
}

func (u *user) cancel() {
	if !u.store.cancel(u.post) {
		return
	}
	u.seen.cancels++
	u.tell("p%d: cancelled at version %d", u.post.number, u.post.version)
	u.check.withdrawn(u.post)
}

// considerRetry is called when the post has failed. Nobody looks at the account first: that
// is crier's to do.
func (u *user) considerRetry() {
	if u.retries == maxRetries || !u.faulty() || u.rand.IntN(3) == 0 {
		return
	}
	u.retries++
	maximum := time.Hour
	if u.rand.IntN(2) == 0 {
		maximum = time.Minute
	}
	u.after(u.between(time.Second, maximum), u.retry)
}

func (u *user) retry() {
	request := schema.Retry{AcceptDuplicate: u.rand.IntN(3) == 0}
	if u.rand.IntN(2) == 0 {
		request.Delay = u.between(time.Second, 10*time.Minute)
	}
	announced, ok := u.store.retry(u.post, request, u.now)
	if !ok {
		u.seen.leftOut++
		return
	}
	u.seen.retries++
	u.tell("p%d: retried at version %d in %s, accepts a second post %t", u.post.number, u.post.version, request.Delay, request.AcceptDuplicate)
	u.check.retried(u.post, request)
	u.log.produce(announced...)
	if u.rand.IntN(3) == 0 {
		u.after(u.between(0, 2*request.Delay), u.change)
	}
}
