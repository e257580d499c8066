package machine

import (
	"slices"
	"time"

	"crier/schema"
)

// addComments makes the first comments of a target that is done (commentRows): those of
// entries that were not published are skipped. One that is there from an earlier try
// stays, unless it was skipped and its entry is published now.
func (s *store) addComments(p *post, t *target, r schema.Result, now time.Time) {
	for _, wanted := range r.Comments {
		fresh := &comment{
			id: s.newID(), createdAt: now, post: p, target: t, position: wanted.Position, entry: wanted.Target, text: wanted.Text,
			state: schema.CommentSkipped, claimed: claimed{step: schema.StepPublish},
		}
		if isPublished(r.Receipts, wanted.Target) || !s.rules.commentNeedsEntry {
			fresh.state = schema.CommentPending
			s.putJob(job{id: schema.JobID(fresh.id), kind: schema.JobComment, due: now.Add(schema.FirstCommentDelay)}, now)
		}
		old := p.commentAt(t.n, wanted.Position)
		switch {
		case old == nil:
			p.comments = append(p.comments, fresh)
			s.comments[fresh.id] = fresh
		case old.state == schema.CommentSkipped && fresh.state == schema.CommentPending:
			delete(s.comments, old.id)
			old.id, old.createdAt, old.state, old.text = fresh.id, fresh.createdAt, fresh.state, fresh.text
			s.comments[old.id] = old
		}
	}
}

func isPublished(receipts []schema.Receipt, entry int) bool {
	return slices.ContainsFunc(receipts, func(r schema.Receipt) bool { return r.Entry == entry && r.NativeID != "" })
}

// claimComment leases a first comment for a step (Comment.Claim), and deletes the job of
// one that is gone or done.
func (s *store) claimComment(id schema.CommentID, by claimant, now time.Time) (schema.Delivery, bool) {
	c := s.comments[id]
	if c == nil || !c.isOpen() {
		delete(s.jobs, schema.JobID(id))
		return schema.Delivery{}, false
	}
	isClaimed := c.state == schema.CommentClaimed
	if !s.claimable(&c.claimed, by, isClaimed, now) {
		return schema.Delivery{}, false
	}
	s.begin(&c.claimed, by, isClaimed, now)
	c.state = schema.CommentClaimed
	return commentDelivery(c), true
}

func commentDelivery(c *comment) schema.Delivery {
	d := schema.Delivery{
		Ref:   schema.TargetRef{Post: c.post.id, N: c.target.n, Version: c.target.version},
		Claim: c.claim, Step: c.step, Account: c.target.account, Entry: c.entry, Attempts: c.attempts, FindAttempts: c.looked,
		Since: c.since, DueAt: c.createdAt.Add(schema.FirstCommentDelay), Receipts: slices.Clone(c.target.receipts),
		Comment: &schema.Comment{ID: c.id, Position: c.position, Entry: c.entry, Text: c.text},
	}
	d.DescribeComment(c.post.content, constraintsOf(c.target.account.Platform))
	return d
}

// finishComment stores what a comment's step came to (Comment.Finish), and moves its job
// on or deletes it.
func (s *store) finishComment(r schema.CommentResult, now time.Time) bool {
	c := s.comments[r.Comment]
	if c == nil {
		return false
	}
	taken := c.state == schema.CommentClaimed && c.claim == r.Claim
	if taken || !s.rules.finishChecksClaim {
		c.state, c.step, c.attempts, c.looked = r.State, r.Step, r.Attempts, r.FindAttempts
		c.next, c.leaseUntil = now.Add(r.NextIn), time.Time{}
		c.nativeID, c.failure = r.NativeID, r.Error
	} else if r.NativeID != "" && s.rules.lateReceiptsStay {
		s.keepCommentReceipt(c, r)
		return false
	}
	j := s.jobs[schema.JobID(r.Comment)]
	switch {
	case j == nil:
	case r.State == schema.CommentPending:
		s.moveJob(j, now.Add(r.NextIn))
	case !c.isOpen() || !s.rules.jobLivesOn:
		delete(s.jobs, j.id)
	}
	return taken
}
