package machine

import (
	"time"

	"crier/schema"
)

// fired moves a job whose messages are in the log on by the visibility timeout
// (Delay.Fired). One that was moved, replaced or deleted meanwhile stays as it is.
func (s *store) fired(old job, now time.Time) {
	j := s.jobs[old.id]
	if j == nil {
		return
	}
	moved := !j.due.Equal(old.due) && s.rules.firedChecksTime
	replaced := j.version != old.version && s.rules.firedChecksVersion
	if moved || replaced {
		return
	}
	s.moveJob(j, now.Add(schema.VisibilityTimeout))
}

const promoteEvery = 5 * time.Minute

// promote moves far jobs that are due within a day near, and drops those that an edit or
// a cancel has left behind (Delay.Promote).
func (s *store) promote(now time.Time) {
	horizon := now.Add(nearHorizon + 3*promoteEvery)
	far := s.far[:0]
	for _, j := range s.far {
		if !j.due.Before(horizon) {
			far = append(far, j)
			continue
		}
		p := s.byID[schema.PostID(j.id)]
		if p.version == j.version && p.status == schema.Scheduled && s.jobs[j.id] == nil { // on conflict do nothing
			s.jobs[j.id] = j
			s.moved(*j)
		}
	}
	s.far = far
}

// recover brings forward what a node's earlier life left open (Store.Recover).
func (s *store) recover(node int, now time.Time) {
	for _, p := range s.posts {
		open := false
		for _, t := range p.targets {
			if t.state == schema.TargetClaimed && s.isOf(t.node, node) {
				open = true
				t.leaseUntil = earlier(t.leaseUntil, now)
			}
		}
		if open {
			s.bringForward(schema.JobID(p.id), now)
		}
		for _, c := range p.comments {
			if c.state == schema.CommentClaimed && s.isOf(c.node, node) {
				c.leaseUntil = earlier(c.leaseUntil, now)
				s.bringForward(schema.JobID(c.id), now)
			}
		}
	}
}

func (s *store) isOf(claimed, node int) bool { return claimed == node || !s.rules.recoverChecksNode }

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func (s *store) bringForward(id schema.JobID, now time.Time) {
	if j := s.jobs[id]; j != nil && j.due.After(now.Add(s.rules.settle)) {
		s.moveJob(j, now.Add(s.rules.settle+200*time.Millisecond))
	}
}
