package machine

import (
	"encoding/binary"
	"slices"
	"time"

	"crier/schema"
	"crier/schema/lists"
)

// store is PostgreSQL as the engine sees it. Each method is one transaction; its
// conditions are those of the statement that its comment names. A zero time is null.
type store struct {
	rules    rules
	lateness time.Duration // how late a post may be at most
	posts    []*post       // in order of creation, so that nothing depends on a map's order
	byID     map[schema.PostID]*post
	comments map[schema.CommentID]*comment
	jobs     map[schema.JobID]*job
	far      []*job
	ids      uint64

	moved func(job) // hears of each job that is written
}

type post struct {
	id           schema.PostID
	number       int // to tell a story with
	version      int32
	status       schema.PostStatus
	scheduledFor time.Time
	retriedFor   time.Time // zero: it was not retried since it was scheduled
	content      schema.Content
	targets      []*target
	comments     []*comment
	left         int
	posted       int
	failed       int
}

type target struct {
	n         int16
	version   int32
	account   schema.Account
	first     schema.Step
	state     schema.TargetState
	entry     int
	progress  []byte
	receipts  []schema.Receipt
	unsettled schema.EntrySet
	accepts   bool // a second post where nobody can tell
	claimed
}

// claimed is what a target and a comment have in common: by whom they are claimed, and how far they are.
type claimed struct {
	step       schema.Step
	claim      int32
	node       int
	token      int
	leaseUntil time.Time
	since      time.Time
	next       time.Time
	attempts   int
	looked     schema.FindAttempts
	failure    *schema.TargetError
}

type comment struct {
	id        schema.CommentID
	createdAt time.Time
	post      *post
	target    *target
	position  int
	entry     int
	text      string
	state     schema.CommentState
	nativeID  string
	claimed
}

type job struct {
	id      schema.JobID
	kind    schema.JobKind
	due     time.Time
	version int32
}

func newStore(r rules, moved func(job)) *store {
	return &store{
		rules: r, moved: moved,
		byID: map[schema.PostID]*post{}, comments: map[schema.CommentID]*comment{}, jobs: map[schema.JobID]*job{},
	}
}

// newID returns ids in sequence: random ones would make a seed's run differ each time.
func (s *store) newID() (id [16]byte) {
	s.ids++
	binary.BigEndian.PutUint64(id[8:], s.ids)
	return id
}

// nearHorizon is how soon a job must be due to be in the table that is scanned.
const nearHorizon = 24 * time.Hour

// putJob inserts a job, near or far: jobRows.add.
func (s *store) putJob(j job, now time.Time) {
	if !j.due.Before(now.Add(nearHorizon)) {
		s.far = append(s.far, &j)
		return
	}
	s.jobs[j.id] = &j
	s.moved(j)
}

func (s *store) moveJob(j *job, due time.Time) {
	j.due = due
	s.moved(*j)
}

func (s *store) putPostJob(p *post, due, now time.Time) {
	s.putJob(job{id: schema.JobID(p.id), kind: schema.JobPost, due: due, version: p.version}, now)
}

// create inserts a post. If it is due now, the gateway announces it itself, and its job is
// due after the announce timeout, in case the announcement is lost (Gateway.queueInserts).
func (s *store) create(p *post, now time.Time) (announced []message) {
	s.posts = append(s.posts, p)
	s.byID[p.id] = p
	p.left = len(p.targets)
	if p.scheduledFor.After(now) {
		s.putPostJob(p, p.scheduledFor, now)
		return nil
	}
	s.putPostJob(p, now.Add(schema.AnnounceTimeout), now)
	return messagesOf(p, p.version)
}

// update replaces a draft or scheduled post at a new version (Gateway.Update, lockPost,
// replace). It refuses any other, and one that is being retried.
func (s *store) update(p *post, change func(*post), now time.Time) bool {
	begun := slices.ContainsFunc(p.targets, (*target).isBegun) && s.rules.editChecksBegun
	if begun || (p.status != schema.Draft && p.status != schema.Scheduled) {
		return false
	}
	change(p)
	p.version++
	p.retriedFor = time.Time{}
	for _, t := range p.targets {
		*t = target{n: t.n, version: p.version, account: t.account, first: t.first, claimed: claimed{step: t.first}}
	}
	p.left = p.count(schema.TargetPending)
	delete(s.jobs, schema.JobID(p.id))
	if p.status == schema.Scheduled {
		s.putPostJob(p, p.scheduledFor, now)
	}
	return true
}

// cancel ends a scheduled post (Gateway.Delete, cancel). It refuses any other. What a
// retried post has published stays so, and gets no first comments any more.
func (s *store) cancel(p *post) bool {
	if p.status != schema.Scheduled {
		return false
	}
	p.status, p.left = schema.Cancelled, 0
	p.version++
	for _, t := range p.targets {
		if t.state == schema.TargetPending {
			t.state = schema.TargetCancelled
		}
	}
	for _, c := range p.comments {
		if c.isOpen() {
			c.state, c.leaseUntil = schema.CommentSkipped, time.Time{}
			c.claim++
			delete(s.jobs, schema.JobID(c.id))
		}
	}
	delete(s.jobs, schema.JobID(p.id))
	return true
}

// retry schedules the targets that failed once more (Gateway.Retry). It refuses a post that
// has not failed, or of which nothing can go on.
func (s *store) retry(p *post, request schema.Retry, now time.Time) (announced []message, ok bool) {
	if p.status != schema.Failed && p.status != schema.PartiallyFailed {
		return nil, false
	}
	revived := 0
	for _, t := range p.targets {
		cannotFind := traitOf(t.account.Platform).cannotFind
		failed := schema.Target{State: t.state, Receipts: t.receipts, Entry: t.entry, Unsettled: t.unsettled, Error: t.failure}
		to, ok := failed.Resume(len(p.content.Entries), cannotFind, request.AcceptDuplicate || (cannotFind && !s.rules.cannotFindIsLeftOut))
		if !ok || to.LeftOut {
			continue
		}
		if !s.rules.retryLooks && to.Unsettled != 0 {
			to.Step, to.Unsettled = schema.StepPrepare, 0
		}
		t.state, t.step, t.entry, t.receipts = schema.TargetPending, to.Step, to.Entry, to.Receipts
		if to.Step != schema.StepFind && to.Unsettled == 0 {
			t.since = time.Time{}
		}
		t.unsettled, t.accepts = to.Unsettled, request.AcceptDuplicate
		t.attempts, t.looked, t.progress = 0, 0, nil
		t.next, t.leaseUntil = time.Time{}, time.Time{}
		revived++
	}
	if revived == 0 {
		return nil, false
	}
	p.version++
	for _, t := range p.targets {
		t.version = p.version
	}
	p.status, p.left, p.failed = schema.Scheduled, revived, p.failed-revived
	p.retriedFor = now.Add(request.Delay)
	if request.Delay > 0 {
		s.putPostJob(p, p.retriedFor, now)
		return nil, true
	}
	s.putPostJob(p, now.Add(schema.AnnounceTimeout), now)
	return messagesOf(p, p.version), true
}

// dueAt is the base of a post's lateness: coalesce(retried_for, scheduled_for).
func (p *post) dueAt() time.Time {
	if p.retriedFor.IsZero() {
		return p.scheduledFor
	}
	return p.retriedFor
}

func (c *comment) isOpen() bool {
	return c.state == schema.CommentPending || c.state == schema.CommentClaimed
}

func (t *target) isBegun() bool {
	return t.state != schema.TargetPending || len(t.receipts) > 0 || t.failure != nil
}

// resume returns the entry after the last published one.
func (t *target) resume() int {
	entry := 0
	for _, r := range t.receipts {
		if !r.Open {
			entry = r.Entry + 1
		}
	}
	return entry
}

func (p *post) count(states ...schema.TargetState) (n int) {
	for _, t := range p.targets {
		if slices.Contains(states, t.state) {
			n++
		}
	}
	return n
}

func (p *post) commentAt(n int16, position int) *comment {
	for _, c := range p.comments {
		if c.target.n == n && c.position == position {
			return c
		}
	}
	return nil
}

// messagesOf returns the messages of a post's job (schema.PostJob.Messages).
func messagesOf(p *post, version int32) []message {
	messages := lists.Map(p.targets, func(t *target) message {
		return message{target: schema.TargetRef{Post: p.id, N: t.n, Version: version}}
	})
	return messages
}
