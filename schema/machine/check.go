package machine

import (
	"fmt"
	"slices"
	"time"

	"crier/schema"
	"crier/schema/lists"
)

// The promises, which are checked at every event.
const (
	neverTwice       = "nothing is published twice"
	serialCalls      = "one visible call at a time"
	noUncheckedRetry = "a call of unknown outcome is not repeated before two looks"
	cancelHolds      = "an acknowledged cancel is never published"
	editHolds        = "the last acknowledged edit is what is published"
	notEarly         = "nothing is published before its time"
	notLate          = "where nothing goes wrong, posts are on time"
	waits            = "a wait is waited"
	threadIsChain    = "a thread is one chain, in order"
	commentOfEntry   = "a comment hangs on its published entry"
	jobLives         = "a job lives until its effect commits"
	countsAgree      = "a post's status and counters agree with its targets"
	everythingEnds   = "everything ends"
	hasReason        = "every failure has a reason"
	unknownIsRare    = "an outcome is unknown only where nobody can look, or could before the deadline"
	failedIsFailed   = "what is said to have failed is not there"
	receiptsAgree    = "receipts say what is there"
	lateIsStored     = "a late receipt is never lost"
)

// violation is a promise that was broken.
type violation struct{ promise, how string }

func (v violation) String() string { return v.promise + ": " + v.how }

// check compares what is visible with what users were promised.
type check struct {
	*simulation
	broken   *violation
	promises map[schema.PostID]*promise
	marks    map[spot]*mark
	waiting  map[spot]wait
	failed   map[*post]func() // who hears that a post has failed
	late     map[spot]string  // ids that came in late
}

// wait is what a target or comment waits for since the result of a claim. The call of an
// older claim may still come: what a late receipt has changed meanwhile cannot stop it.
type wait struct {
	until time.Time
	claim int32
}

// promise is what a user was told last.
type promise struct {
	live  bool
	due   time.Time
	since time.Time // when it was made
	texts []string
}

// mark is everything that has really happened at a spot, which no part of crier can see whole.
type mark struct {
	called    bool
	inFlight  int
	published bool      // its caller knows
	doubt     bool      // the last call's caller does not know what it did
	ended     time.Time // the last call
	firstLook time.Time // that saw nothing, since then
	lastLook  time.Time
	safe      bool     // to repeat, as the platform said since then
	ids       []string // of what is visible
	allowed   int      // how often a person has accepted a second post
	unknown   bool     // given up without knowing
}

func (m *mark) has(id string) bool { return slices.Contains(m.ids, id) }

// isOnce reports whether it is visible, and no more often than a person has accepted.
func (m *mark) isOnce() bool { return len(m.ids) > 0 && len(m.ids) <= 1+m.allowed }

func newCheck(s *simulation) *check {
	return &check{
		simulation: s, promises: map[schema.PostID]*promise{}, marks: map[spot]*mark{},
		waiting: map[spot]wait{}, failed: map[*post]func(){}, late: map[spot]string{},
	}
}

func (c *check) breaks(promise, format string, args ...any) {
	if c.broken == nil {
		c.broken = &violation{promise, fmt.Sprintf(format, args...)}
	}
}

func (c *check) mark(s spot) *mark {
	m := c.marks[s]
	if m == nil {
		m = &mark{}
		c.marks[s] = m
	}
	return m
}

// promised is called when a post is accepted, or an edit of it.
func (c *check) promised(p *post, due time.Time) {
	texts := lists.Map(p.content.Entries, func(e schema.Entry) string { return e.Text })
	c.promises[p.id] = &promise{live: true, due: due, since: c.now, texts: texts}
	c.inspect(p)
}

// withdrawn is called when a cancel is accepted, or a post made a draft.
func (c *check) withdrawn(p *post) {
	c.promises[p.id].live = false
	c.inspect(p)
}

// retried is called when a retry is accepted: nothing waits any more, and what failed for
// good begins anew. What may be there stays in doubt, unless a person accepts it twice.
func (c *check) retried(p *post, request schema.Retry) {
	c.promises[p.id].due, c.promises[p.id].since = c.now.Add(request.Delay), c.now
	for _, t := range p.targets {
		if t.state != schema.TargetPending {
			continue
		}
		delete(c.waiting, spot{p.number, t.n, -1, false})
		for i := t.resume(); i < len(p.content.Entries); i++ {
			c.begins(spot{p.number, t.n, i, false}, request.AcceptDuplicate)
		}
	}
	c.inspect(p)
}

// begins is called when an entry is retried.
func (c *check) begins(s spot, accepted bool) {
	m := c.mark(s)
	switch {
	case m.unknown && accepted:
		c.seen.accepted++
		m.allowed++
		m.published = false
	case !m.unknown:
		delete(c.marks, s)
	}
}

// claimed is called when a step is claimed.
func (c *check) claimed(d schema.Delivery) {
	c.inspect(c.store.byID[d.Ref.Post])
	w, waited := c.waiting[waitOf(d)]
	if waited && c.faults.none() && c.now.After(w.until.Add(punctual)) {
		c.breaks(notLate, "%s goes on %s late", spotOf(d), c.now.Sub(w.until))
	}
}

// calls is called when a visible call begins.
func (c *check) calls(d schema.Delivery) {
	s := spotOf(d)
	m := c.mark(s)
	switch {
	case m.inFlight > 0:
		c.breaks(serialCalls, "%s is called while a call of it is in hand", s)
	case m.published && !m.safe:
		c.breaks(neverTwice, "%s is called once more after it was published", s)
	case m.doubt && !m.lookedTwice() && !m.safe && m.allowed == 0:
		c.breaks(noUncheckedRetry, "%s is called again; the call before ended at %s, looks at %s and %s saw nothing",
			s, clockOf(m.ended), clockOf(m.firstLook), clockOf(m.lastLook))
	}
	if m.doubt {
		c.seen.secondTries++
	}
	if w := c.waiting[waitOf(d)]; d.Claim > w.claim && c.now.Before(w.until.Add(-earlyBy)) {
		c.breaks(waits, "%s is called before %s", s, clockOf(w.until))
	}
	if d.Comment != nil {
		c.callsComment(d)
	} else {
		c.callsEntry(d, m)
		c.followsChain(d)
	}
	m.called, m.doubt, m.unknown = true, true, false
	m.inFlight++
}

func waitOf(d schema.Delivery) spot {
	if d.Comment != nil {
		return spotOf(d)
	}
	return spot{numberOf(d.Ref.Post), d.Ref.N, -1, false}
}

// lookedTwice reports whether two looks saw nothing, a settle time after the call and a
// settle time apart.
func (m *mark) lookedTwice() bool {
	const settle = schema.SettleTime - earlyBy
	return !m.firstLook.Before(m.ended.Add(settle)) && !m.lastLook.Before(m.firstLook.Add(settle))
}

// punctual is how late a step may be on a day without faults.
const punctual = 5 * time.Second

func (c *check) callsEntry(d schema.Delivery, m *mark) {
	s, p := spotOf(d), c.promises[d.Ref.Post]
	switch {
	case !p.live:
		c.breaks(cancelHolds, "%s is called", s)
	case d.Text != p.texts[d.Entry]:
		c.breaks(editHolds, "%s is called with %q, not %q", s, d.Text, p.texts[d.Entry])
	case c.now.Before(p.due.Add(-earlyBy)):
		c.breaks(notEarly, "%s is called, due %s", s, clockOf(p.due))
	}
	due := p.due
	if due.Before(p.since) {
		due = p.since
	}
	if c.faults.none() && d.Entry == 0 && !m.called && c.now.After(due.Add(punctual)) {
		c.breaks(notLate, "%s is called %s late", s, c.now.Sub(due))
	}
}

// followsChain checks that an entry replies to the last one published before it, and that
// an entry is missing only in a thread that goes on after failures.
func (c *check) followsChain(d schema.Delivery) {
	var parent *mark
	for i := range d.Entries {
		s := spotOf(d)
		s.at = i
		m := c.mark(s)
		isThere := len(m.ids) > 0 && !m.unknown
		switch {
		case i < d.Entry && isThere:
			parent = m
		case i < d.Entry && !d.ContinueOnError:
			c.breaks(threadIsChain, "%s is called, entry %d is not published", spotOf(d), i)
		case i > d.Entry && isThere:
			c.breaks(threadIsChain, "%s is called after entry %d", spotOf(d), i)
		}
	}
	got := ""
	if d.Parent() != nil {
		got = d.Parent().NativeID
	}
	if parent == nil {
		parent = &mark{ids: []string{""}}
	}
	if !parent.has(got) {
		c.breaks(threadIsChain, "%s hangs on %q, not %q", spotOf(d), got, parent.ids)
	}
}

func (c *check) callsComment(d schema.Delivery) {
	m := c.mark(spot{numberOf(d.Ref.Post), d.Ref.N, d.Comment.Entry, false})
	r := d.Receipt(d.Comment.Entry)
	if r == nil || !m.has(r.NativeID) {
		c.breaks(commentOfEntry, "%s is called for entry %d, receipt %+v, ids %q", spotOf(d), d.Comment.Entry, r, m.ids)
	}
}

// answered is called when the caller of a visible call hears, or gives up.
func (c *check) answered(d schema.Delivery, o schema.Outcome) {
	m := c.ends(d)
	if o.Err != nil && d.Repeats() { // of a repetition: what became of the first is as open as it was
		return
	}
	if o.Err != nil {
		m.doubt = o.Err.Kind == schema.Unknown || o.Err.Kind == schema.Duplicate
		return
	}
	m.doubt, m.published = o.Receipt.Open, !o.Receipt.Open
}

// abandoned is called when the caller of a visible call dies.
func (c *check) abandoned(d schema.Delivery) { c.ends(d).doubt = true }

func (c *check) ends(d schema.Delivery) *mark {
	m := c.mark(spotOf(d))
	m.inFlight--
	m.ended, m.firstLook, m.lastLook, m.safe = c.now, time.Time{}, time.Time{}, false
	return m
}

func (c *check) looks(d schema.Delivery) {
	if c.mark(spotOf(d)).inFlight > 0 {
		c.breaks(serialCalls, "%s is looked for while a call of it is in hand", spotOf(d))
	}
}

func (c *check) sawNothing(d schema.Delivery) {
	m := c.mark(spotOf(d))
	m.lastLook = c.now
	if m.firstLook.IsZero() {
		m.firstLook = c.now
	}
}

// saysWhy is called when a platform gives the reason why it gave up: no doubt is left then.
func (c *check) saysWhy(d schema.Delivery) { c.mark(spotOf(d)).doubt = false }

// mayRepeat is called when a platform says that a call may be repeated.
func (c *check) mayRepeat(d schema.Delivery) { c.mark(spotOf(d)).safe = true }

// appeared is called when something becomes visible, or is accepted by a platform that
// publishes it later by itself.
func (c *check) appeared(d schema.Delivery, r schema.Receipt, late bool) {
	c.tell("%s: is there as %s, late %t", spotOf(d), r.NativeID, late)
	m := c.mark(spotOf(d))
	m.ids = append(m.ids, r.NativeID)
	if !m.isOnce() {
		c.breaks(neverTwice, "%s is there as %q", spotOf(d), m.ids)
	}
}

// vanished is called when a platform gives up on something it had accepted.
func (c *check) vanished(d schema.Delivery, id string) {
	c.tell("%s: the platform gives it up", spotOf(d))
	m := c.mark(spotOf(d))
	m.ids = slices.DeleteFunc(m.ids, func(x string) bool { return x == id })
}
