package machine

import (
	"slices"

	"crier/schema"
)

// finished is called when a result of a target was stored, or was not taken.
func (c *check) finished(d schema.Delivery, o schema.Outcome, r schema.Result, taken bool) {
	p := c.store.byID[d.Ref.Post]
	if !taken {
		c.seen.stale++
		c.cameLate(d, r.Receipt)
		c.inspect(p)
		return
	}
	c.tell("%s: its target is %s, %s of entry %d in %s, %s", spotOf(d), r.State, stepName(r.Step), r.Entry, r.NextIn, reasonName(r.Error))
	if r.State == schema.TargetPending {
		c.waiting[waitOf(d)] = wait{c.now.Add(r.NextIn), r.Claim}
	}
	if r.State == schema.TargetFailed && r.Error == nil {
		c.breaks(hasReason, "%s ends its target as failed", spotOf(d))
	}
	if r.Terminal() || r.Entry > d.Entry {
		c.entryEnded(d, o, r)
	}
	c.receipts(d, r)
	c.inspect(p)
	if p.status == schema.Failed || p.status == schema.PartiallyFailed {
		c.failed[p]()
	}
}

// cameLate is called when a result was not taken, with the receipt it brought.
func (c *check) cameLate(d schema.Delivery, r *schema.Receipt) {
	if r == nil || r.Open {
		return
	}
	c.seen.lateReceipts++
	s := spotOf(d)
	c.tell("%s: its receipt %s comes late", s, r.NativeID)
	c.late[s] = r.NativeID
	m := c.mark(s)
	m.published, m.doubt, m.unknown = true, false, false
	delete(c.waiting, waitOf(d))
}

// entryEnded compares the result of an entry with what is visible.
func (c *check) entryEnded(d schema.Delivery, o schema.Outcome, r schema.Result) {
	s := spotOf(d)
	m := c.mark(s)
	i := slices.IndexFunc(r.Receipts, func(x schema.Receipt) bool { return x.Entry == d.Entry && !x.Open })
	switch {
	case i >= 0:
		c.seen.published++
		if !m.isOnce() || !m.has(r.Receipts[i].NativeID) {
			c.breaks(receiptsAgree, "%s has the receipt %+v; there is %q", s, r.Receipts[i], m.ids)
		}
		if m.unknown {
			c.seen.settledLater++
		}
		m.published, m.doubt, m.unknown = true, false, false
		return
	case r.State == schema.TargetPending:
		c.seen.holes++
	}
	c.gaveUp(d, o, r.Error)
}

func (c *check) gaveUp(d schema.Delivery, o schema.Outcome, reason *schema.TargetError) {
	s := spotOf(d)
	m := c.mark(s)
	if reason == nil {
		c.breaks(hasReason, "%s is given up", s)
		return
	}
	if reason.Code != schema.CodeOutcomeUnknown {
		if len(m.ids) > m.allowed {
			c.breaks(failedIsFailed, "%s is there and was given up: %+v", s, *reason)
		}
		return
	}
	c.seen.unknown++
	m.unknown = true
	switch {
	case d.Step != schema.StepFind && !d.Repeats():
		c.breaks(unknownIsRare, "%s: %s came to %s", s, stepName(d.Step), outcomeName(d, o))
	case !reason.At.Before(d.Until):
		c.seen.gaveUpLate++
	case !isFinal(d, o):
		c.breaks(unknownIsRare, "%s: %s came to %s at %s, could look until %s", s, stepName(d.Step), outcomeName(d, o), clockOf(reason.At), clockOf(d.Until))
	}
}

// isFinal reports whether no further look could find out more after an outcome.
func isFinal(d schema.Delivery, o schema.Outcome) bool {
	switch {
	case o.Err == nil:
		return d.Step == schema.StepFind && o.Verdict == schema.CannotTell
	case o.Err.Kind == schema.TokenDead:
		return d.Account.Problem() != nil
	default:
		return o.Err.Kind == schema.Refused && d.Step != schema.StepFind
	}
}

// receipts checks that there is at most one receipt for each entry, and that they are in order.
func (c *check) receipts(d schema.Delivery, r schema.Result) {
	for i := 1; i < len(r.Receipts); i++ {
		if r.Receipts[i].Entry <= r.Receipts[i-1].Entry {
			c.breaks(receiptsAgree, "%s: the receipts %+v", spotOf(d), r.Receipts)
		}
	}
}

// finishedComment is called when a result of a comment was stored, or was not taken.
func (c *check) finishedComment(d schema.Delivery, o schema.Outcome, r schema.CommentResult, taken bool) {
	defer c.inspect(c.store.byID[d.Ref.Post])
	if !taken {
		c.seen.stale++
		if r.NativeID != "" {
			c.cameLate(d, &schema.Receipt{NativeID: r.NativeID})
		}
		return
	}
	c.tell("%s: is %s, %s in %s, %s", spotOf(d), r.State, stepName(r.Step), r.NextIn, reasonName(r.Error))
	switch r.State {
	case schema.CommentPosted:
		c.seen.comments++
		if m := c.mark(spotOf(d)); !m.isOnce() || !m.has(r.NativeID) {
			c.breaks(receiptsAgree, "%s has the id %q; there is %q", spotOf(d), r.NativeID, m.ids)
		}
	case schema.CommentFailed:
		c.gaveUp(d, o, r.Error)
	default:
		c.waiting[waitOf(d)] = wait{c.now.Add(r.NextIn), r.Claim}
	}
}

// inspect compares a post with its targets, its comments and their jobs.
func (c *check) inspect(p *post) {
	left := p.count(schema.TargetPending, schema.TargetClaimed)
	posted, failed := p.count(schema.TargetPosted), p.count(schema.TargetFailed)
	if p.left != left || p.posted != posted || p.failed != failed {
		c.breaks(countsAgree, "p%d counts %d left, %d posted, %d failed; they are %d, %d, %d", p.number, p.left, p.posted, p.failed, left, posted, failed)
	}
	isOpen := p.status == schema.Scheduled || p.status == schema.Processing
	if isOpen != (left > 0) && p.status != schema.Draft {
		c.breaks(countsAgree, "p%d is %s with %d targets left", p.number, p.status, left)
	}
	if ended := p.status.Terminal() && p.status != schema.Cancelled; ended && p.status != schema.StatusOf(posted, failed) {
		c.breaks(countsAgree, "p%d is %s with %d posted, %d failed", p.number, p.status, posted, failed)
	}
	if isOpen && !c.hasJob(p) {
		c.breaks(jobLives, "p%d is %s at version %d and has no job", p.number, p.status, p.version)
	}
	for _, comment := range p.comments {
		open := comment.isOpen()
		if open && p.status == schema.Cancelled {
			c.breaks(cancelHolds, "%s is to be posted all the same", commentSpot(comment))
		}
		if open && c.store.jobs[schema.JobID(comment.id)] == nil {
			c.breaks(jobLives, "%s is to be posted and has no job", commentSpot(comment))
		}
		if id, late := c.late[commentSpot(comment)]; late && id != comment.nativeID {
			c.breaks(lateIsStored, "%s has the id %q, not %q", commentSpot(comment), comment.nativeID, id)
		}
	}
	for _, t := range p.targets {
		c.lateReceipts(p, t)
	}
}

// lateReceipts checks that a target has every receipt that came in late.
func (c *check) lateReceipts(p *post, t *target) {
	for i := range p.content.Entries {
		s := spot{p.number, t.n, i, false}
		id, late := c.late[s]
		if late && c.mark(s).allowed == 0 && !slices.ContainsFunc(t.receipts, func(r schema.Receipt) bool { return r.Entry == i && r.NativeID == id && !r.Open }) {
			c.breaks(lateIsStored, "%s lacks the receipt %s: it has %+v", s, id, t.receipts)
		}
	}
}

func (c *check) hasJob(p *post) bool {
	if j := c.store.jobs[schema.JobID(p.id)]; j != nil {
		return j.version == p.version
	}
	return slices.ContainsFunc(c.store.far, func(j *job) bool {
		return j.id == schema.JobID(p.id) && j.version == p.version
	})
}

// ended is called when everything should have ended.
func (c *check) ended() {
	for _, p := range c.store.posts {
		c.inspect(p)
		if !p.status.Terminal() && p.status != schema.Draft {
			c.breaks(everythingEnds, "p%d is %s at the end", p.number, p.status)
		}
		for _, comment := range p.comments {
			if comment.isOpen() {
				c.breaks(everythingEnds, "%s is not posted at the end", commentSpot(comment))
			}
		}
		for _, t := range p.targets {
			c.visibleWhole(p, t)
		}
	}
}

func (c *check) visibleWhole(p *post, t *target) {
	if t.state != schema.TargetPosted {
		return
	}
	for i := range p.content.Entries {
		if s := (spot{p.number, t.n, i, false}); !c.mark(s).isOnce() {
			c.breaks(receiptsAgree, "%s is posted and there as %q", s, c.mark(s).ids)
		}
	}
}
