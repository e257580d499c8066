package machine

import (
	"time"

	"crier/schema"
)

// node is one process with every role. When it dies it loses all work in progress.
type node struct {
	*simulation
	number int
	life   int
	alive  bool
	calls  []*call // visible calls in hand
}

func (s *simulation) startNode(number int) {
	s.nodes = append(s.nodes, &node{simulation: s, number: number, alive: true})
}

func (s *simulation) aliveNode() *node {
	first := s.rand.IntN(len(s.nodes))
	for i := range s.nodes {
		if n := s.nodes[(first+i)%len(s.nodes)]; n.alive {
			return n
		}
	}
	return nil
}

func (n *node) lives(life int) bool { return n.alive && n.life == life }

// then calls do after a while, unless the node dies before.
func (n *node) then(in time.Duration, do func()) {
	life := n.life
	n.after(in, func() {
		if n.lives(life) {
			do()
		}
	})
}

// dies reports whether the node crashes at a point of its work.
func (n *node) dies(where string) bool {
	if !n.chance(n.faults.crash) {
		return false
	}
	n.crash(where)
	return true
}

// crash ends the node. It comes back either as itself, with its data folder, or as a new node
// that knows nothing of the old one.
func (n *node) crash(where string) {
	n.seen.crashes++
	n.tell("node %d crashes %s", n.number, where)
	n.alive = false
	n.life++
	for _, c := range n.calls {
		c.abandon()
	}
	n.calls = nil
	down := n.between(200*time.Millisecond, 10*time.Second)
	if n.chance(0.3) {
		down = n.between(10*time.Second, 5*time.Minute)
	}
	n.after(down, n.restart)
}

func (n *node) restart() {
	n.alive = true
	if n.rand.IntN(2) == 0 {
		n.number += workers
		n.tell("it starts again as node %d", n.number)
		return
	}
	n.seen.recoveries++
	n.tell("node %d starts again and recovers", n.number)
	n.store.recover(n.number, n.now)
}

// claim claims the target or comment of a message, unless its platform's limit makes it wait.
func (n *node) claim(m message) {
	if n.chance(n.faults.platform/4) && n.store.postpone(m, n.between(time.Second, longestLimit), n.now) {
		n.seen.postponed++
		return
	}
	n.tokens++
	n.claimAs(m, claimant{node: n.number, token: n.tokens})
}

// claimAs claims. The answer may be lost: the node claims again, under the same token, and
// so may others once the lease is over.
func (n *node) claimAs(m message, by claimant) {
	d, ok := n.claimOf(m, by)
	if !ok {
		return
	}
	n.check.claimed(d)
	n.tell("%s: node %d claims %s, claim %d, attempts %d, looked %d", spotOf(d), n.number, stepName(d.Step), d.Claim, d.Attempts, d.FindAttempts)
	if n.dies("after a claim") {
		return
	}
	if n.chance(n.faults.outage / 4) {
		n.seen.unanswered++
		by.again = true
		n.then(n.between(200*time.Millisecond, 2*time.Minute), func() { n.claimAs(m, by) })
		return
	}
	deadline := n.now.Add(schema.CallDeadline)
	wait := n.between(time.Millisecond, 20*time.Millisecond)
	if n.chance(n.faults.pause) {
		n.seen.pauses++
		wait = n.between(time.Second, 3*time.Minute)
	}
	n.then(wait, func() { n.step(d, deadline) })
}

func (n *node) claimOf(m message, by claimant) (schema.Delivery, bool) {
	if m.comment != (schema.CommentID{}) {
		return n.store.claimComment(m.comment, by, n.now)
	}
	return n.store.claim(m.target, by, n.now)
}

// step makes the call of a step. No call, and no look, begins after its deadline.
func (n *node) step(d schema.Delivery, deadline time.Time) {
	late := n.now.After(deadline) && d.Step != schema.StepPrepare && n.rules.callChecksDeadline
	d.Until, d.Renews = d.DueAt.Add(n.store.lateness), n.rand.IntN(2) == 0
	switch {
	case d.TooLate(n.now):
		n.miss(d)
	case late:
		n.finish(d, schema.Outcome{Err: &schema.Error{Kind: schema.Retryable, Message: "the deadline is over"}})
	case d.Step == schema.StepPrepare:
		o, in := n.platform.prepare()
		n.then(in, func() { n.finish(d, o) })
	case d.Step == schema.StepFind:
		o, in := n.platform.look(d)
		n.then(in, func() { n.finish(d, o) })
	default:
		n.callPlatform(d, deadline)
	}
}

func (n *node) callPlatform(d schema.Delivery, deadline time.Time) {
	n.check.calls(d)
	n.tell("%s: node %d calls with %q", spotOf(d), n.number, d.Text)
	if !n.rules.callChecksDeadline {
		deadline = n.now.Add(schema.CallDeadline)
	}
	c := n.platform.call(d, deadline.Sub(n.now))
	n.calls = append(n.calls, c)
	if n.chance(n.faults.crash) {
		n.then(n.between(0, c.lasts), func() { n.crash("in a call") })
	}
	n.then(c.lasts, func() {
		n.drop(c)
		n.check.answered(d, c.outcome)
		n.finish(d, c.outcome)
	})
}

func (n *node) drop(c *call) {
	for i := range n.calls {
		if n.calls[i] == c {
			n.calls = append(n.calls[:i], n.calls[i+1:]...)
			return
		}
	}
}

// miss ends a target or comment that is too late.
func (n *node) miss(d schema.Delivery) {
	n.seen.missed++
	n.keep(d, schema.Outcome{}, d.Missed(n.now))
}

// finish stores what a step came to, for as long as it takes.
func (n *node) finish(d schema.Delivery, o schema.Outcome) {
	n.tell("%s: %s came to %s", spotOf(d), stepName(d.Step), outcomeName(d, o))
	if n.dies("before a finish") {
		return
	}
	if !n.rules.lookTwice && d.Step == schema.StepFind {
		d.FindAttempts = 1
	}
	if !n.rules.looksUntilListed {
		d.Listed = 0
	}
	if !n.rules.failedLookIsFree && d.Step == schema.StepFind && o.Err != nil {
		o.Err.Kind = schema.Internal // which costs one
	}
	at, jitter := n.now, n.rand.Float64()
	in := n.between(time.Millisecond, 20*time.Millisecond)
	if n.chance(n.faults.outage) {
		n.seen.outages++
		in = n.between(time.Second, 2*time.Minute)
	}
	n.then(in, func() { n.keep(d, o, d.After(o, at, jitter)) })
}

// keep stores the result of a target's step, or of a comment's.
func (n *node) keep(d schema.Delivery, o schema.Outcome, r schema.Result) {
	if r.Step == schema.StepFind && r.NextIn == schema.SettleTime {
		r.NextIn = n.rules.settle
	}
	if d.Comment != nil {
		n.storeComment(d, o, r.OfComment(d))
	} else {
		n.storeTarget(d, o, r)
	}
}

func (n *node) storeTarget(d schema.Delivery, o schema.Outcome, r schema.Result) {
	taken := n.store.finish(r, n.now)
	n.check.finished(d, o, r, taken)
	if taken && r.State == schema.TargetPending && r.NextIn == 0 {
		n.again(message{target: d.Ref})
	}
}

func (n *node) storeComment(d schema.Delivery, o schema.Outcome, r schema.CommentResult) {
	taken := n.store.finishComment(r, n.now)
	n.check.finishedComment(d, o, r, taken)
	if taken && r.State == schema.CommentPending && r.NextIn == 0 {
		n.again(message{comment: d.Comment.ID})
	}
}

// again continues with the next step at once.
func (n *node) again(m message) {
	if !n.dies("before the next step") {
		n.then(n.between(0, 5*time.Millisecond), func() { n.claim(m) })
	}
}
