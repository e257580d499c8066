package machine

import (
	"time"

	"crier/schema"
)

// postpone puts off what has to wait for its platform before it is claimed, with its job
// (Publish.Postpone, Comment.Postpone). It refuses what a claim would leave out, what is
// open, and what is looked for.
func (s *store) postpone(m message, wait time.Duration, now time.Time) bool {
	if m.comment != (schema.CommentID{}) {
		return s.postponeComment(m.comment, wait, now)
	}
	p := s.byID[m.target.Post]
	t := p.targets[m.target.N]
	current := p.version == m.target.Version || !s.rules.postponeChecksVersion
	begun := p.status == schema.Scheduled || p.status == schema.Processing
	until := p.dueAt().Add(s.lateness)
	if !current || !begun || t.state != schema.TargetPending || t.step == schema.StepFind || t.next.After(now.Add(earlyBy)) || !now.Before(until) {
		return false
	}
	t.next = earlier(now.Add(wait), until.Add(time.Second))
	s.movePostJob(p, now)
	return true
}

func (s *store) postponeComment(id schema.CommentID, wait time.Duration, now time.Time) bool {
	c := s.comments[id]
	if c == nil || c.state != schema.CommentPending || c.step == schema.StepFind || c.next.After(now.Add(earlyBy)) {
		return false
	}
	until := c.createdAt.Add(schema.FirstCommentDelay + s.lateness)
	if !now.Before(until) {
		return false
	}
	c.next = earlier(now.Add(wait), until.Add(time.Second))
	if j := s.jobs[schema.JobID(id)]; j != nil {
		s.moveJob(j, c.next)
	}
	return true
}
