package machine

import (
	"time"

	"crier/schema"
)

// keepReceipt keeps the receipt of a result that was not taken (Publish.keepReceipts).
func (s *store) keepReceipt(p *post, t *target, late schema.Receipt, now time.Time) {
	standing := schema.Standing{Delivery: deliveryOf(p, t), State: t.state, Wait: max(0, t.next.Sub(now))}
	r, arrival := standing.Keep(late, now)
	if arrival != schema.ReceiptNew {
		return
	}
	t.write(r, now)
	t.claim++
	s.recount(p)
	switch {
	case p.left == 0:
		delete(s.jobs, schema.JobID(p.id))
	case p.status == schema.Processing && (r.State == schema.TargetPending || s.rules.everyFinishMoves):
		s.movePostJob(p, now)
	}
	if r.Terminal() {
		s.addComments(p, t, r, now)
	}
}

// recount makes the counters and the status of a post what its targets say (recountPosts).
func (s *store) recount(p *post) {
	p.left = p.count(schema.TargetPending, schema.TargetClaimed)
	p.posted, p.failed = p.count(schema.TargetPosted), p.count(schema.TargetFailed)
	if p.left == 0 && p.status != schema.Draft && p.status != schema.Cancelled {
		p.status = schema.StatusOf(p.posted, p.failed)
	}
}

// keepCommentReceipt keeps the id of a comment whose result was not taken
// (Comment.keepReceipt).
func (s *store) keepCommentReceipt(c *comment, late schema.CommentResult) {
	r, arrival := schema.Comment{NativeID: c.nativeID}.KeepComment(late)
	if arrival != schema.ReceiptNew {
		return
	}
	c.state, c.nativeID, c.failure, c.leaseUntil = r.State, r.NativeID, nil, time.Time{}
	c.claim++
	delete(s.jobs, schema.JobID(c.id))
}
