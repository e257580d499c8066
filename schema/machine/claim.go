package machine

import (
	"slices"
	"time"

	"crier/schema"
)

// earlyBy is how much before its time a message may be claimed.
const earlyBy = 100 * time.Millisecond

// claim leases one target for a step (Publish.Claim). It refuses one that is cancelled,
// finished, leased, not due or at another version.
func (s *store) claim(ref schema.TargetRef, by claimant, now time.Time) (schema.Delivery, bool) {
	p := s.byID[ref.Post]
	current := p.version == ref.Version || !s.rules.claimChecksVersion
	if current && p.status == schema.Scheduled { // update posts p set status = processing
		p.status = schema.Processing
	}
	t := p.targets[ref.N]
	current = current && (t.version == ref.Version || !s.rules.claimChecksVersion)
	current = current && p.status == schema.Processing && (t.state == schema.TargetPending || t.state == schema.TargetClaimed)
	isClaimed := t.state == schema.TargetClaimed
	if !current || !s.claimable(&t.claimed, by, isClaimed, now) { // claimTargets
		return schema.Delivery{}, false
	}
	s.begin(&t.claimed, by, isClaimed, now)
	t.state = schema.TargetClaimed
	return deliveryOf(p, t), true
}

// claimant is who claims, under which token, and whether it has done so before and got no
// answer (lostClaims).
type claimant struct {
	node  int
	token int
	again bool
}

// isUnanswered reports whether an earlier attempt of this same claim, whose answer was lost,
// made the claim that stands.
func (s *store) isUnanswered(c *claimed, by claimant) bool {
	return by.again && (c.token == by.token || (!s.rules.tokenNamesClaim && c.node == by.node))
}

// claimable reports whether what is claimed, or else pending, may be claimed ({claimable}).
func (s *store) claimable(c *claimed, by claimant, isClaimed bool, now time.Time) bool {
	if !isClaimed {
		return !c.next.After(now.Add(earlyBy)) || !s.rules.claimChecksTime
	}
	return s.isUnanswered(c, by) || c.leaseUntil.Add(s.rules.settle).Before(now)
}

// begin begins a claim. An open one of a visible call is looked for ({step_of_claim}).
func (s *store) begin(c *claimed, by claimant, isClaimed bool, now time.Time) {
	if c.step == schema.StepPublish && c.since.IsZero() { // coalesce(t.since, …)
		c.since = now
	}
	if isClaimed && c.step == schema.StepPublish && s.rules.openClaimIsLooked && !s.isUnanswered(c, by) {
		c.step = schema.StepFind
	}
	c.node, c.token, c.leaseUntil = by.node, by.token, now.Add(s.leaseOf(c.step))
	c.claim++
}

func (s *store) leaseOf(step schema.Step) time.Duration {
	if step == schema.StepPrepare {
		return schema.PrepareLease
	}
	return s.rules.lease
}

func deliveryOf(p *post, t *target) schema.Delivery {
	d := schema.Delivery{
		Ref:   schema.TargetRef{Post: p.id, N: t.n, Version: t.version},
		Claim: t.claim, Step: t.step, Account: t.account, Entry: t.entry, Attempts: t.attempts, FindAttempts: t.looked,
		Since: t.since, Progress: t.progress, Error: t.failure, Receipts: slices.Clone(t.receipts), DueAt: p.dueAt(),
		Unsettled: t.unsettled, AcceptDuplicate: t.accepts,
	}
	d.Describe(p.content, "", constraintsOf(t.account.Platform))
	return d
}

// finish stores what a step came to (Publish.applyResults, recordEffects), and tells
// whether it was taken: of a result of an older claim only the receipt is kept.
func (s *store) finish(r schema.Result, now time.Time) bool {
	p := s.byID[r.Ref.Post]
	t := p.targets[r.Ref.N]
	taken := t.state == schema.TargetClaimed && t.claim == r.Claim
	if taken || !s.rules.finishChecksClaim {
		s.apply(p, t, r, now)
	} else if r.Receipt != nil && s.rules.lateReceiptsStay {
		defer s.keepReceipt(p, t, *r.Receipt, now)
	}
	if p.left == 0 || (r.Terminal() && !s.rules.jobLivesOn) {
		delete(s.jobs, schema.JobID(p.id))
	}
	waiting := r.State == schema.TargetPending || s.rules.everyFinishMoves
	if waiting && (p.status == schema.Processing || !s.rules.moveChecksStatus) {
		s.movePostJob(p, now)
	}
	if taken && r.Terminal() {
		s.addComments(p, t, r, now)
	}
	return taken
}

// apply writes the target and counts it on its post (queueResults).
func (s *store) apply(p *post, t *target, r schema.Result, now time.Time) {
	t.write(r, now)
	switch r.State {
	case schema.TargetPosted:
		p.left--
		p.posted++
	case schema.TargetFailed:
		p.left--
		p.failed++
	default:
		return
	}
	if p.left == 0 {
		p.status = schema.StatusOf(p.posted, p.failed)
	}
}

// write stores what a result says of a target.
func (t *target) write(r schema.Result, now time.Time) {
	t.state, t.step, t.entry, t.attempts, t.looked = r.State, r.Step, r.Entry, r.Attempts, r.FindAttempts
	if r.Fresh {
		t.since = time.Time{}
	}
	t.next, t.leaseUntil = now.Add(r.NextIn), time.Time{}
	t.progress, t.receipts, t.unsettled, t.failure = r.Progress, r.Receipts, r.Unsettled, r.Error
}

// movePostJob makes the job of a post due when the first of its targets is (moveJobs).
func (s *store) movePostJob(p *post, now time.Time) {
	j := s.jobs[schema.JobID(p.id)]
	if j == nil {
		return
	}
	var minimum time.Time
	for _, t := range p.targets {
		due := t.next
		switch {
		case t.state == schema.TargetClaimed:
			due = t.leaseUntil.Add(s.rules.settle)
		case t.state != schema.TargetPending:
			continue
		case t.claim == 0 && !due.After(now):
			due = now.Add(schema.VisibilityTimeout)
		case due.Before(now):
			due = now
		}
		if minimum.IsZero() || due.Before(minimum) {
			minimum = due
		}
	}
	if !minimum.IsZero() {
		s.moveJob(j, minimum)
	}
}
