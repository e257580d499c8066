package machine

import (
	"encoding/binary"
	"fmt"
	"time"

	"crier/schema"
)

// spot is where something becomes visible: an entry of a target, or a first comment.
type spot struct {
	post    int
	target  int16 // -1: the whole post
	at      int   // the entry, or the comment's position; -1: the whole target
	comment bool
}

func numberOf(id schema.PostID) int { return int(binary.BigEndian.Uint64(id[8:])) }

func spotOf(d schema.Delivery) spot {
	s := spot{post: numberOf(d.Ref.Post), target: d.Ref.N, at: d.Entry}
	if d.Comment != nil {
		s.at, s.comment = d.Comment.Position, true
	}
	return s
}

func commentSpot(c *comment) spot {
	return spot{post: c.post.number, target: c.target.n, at: c.position, comment: true}
}

func (s spot) String() string {
	switch {
	case s.target < 0:
		return fmt.Sprintf("p%d", s.post)
	case s.at < 0:
		return fmt.Sprintf("p%d target %d", s.post, s.target)
	case s.comment:
		return fmt.Sprintf("p%d target %d comment %d", s.post, s.target, s.at)
	default:
		return fmt.Sprintf("p%d target %d entry %d", s.post, s.target, s.at)
	}
}

func clockOf(at time.Time) string {
	if at.IsZero() {
		return "no time"
	}
	in := at.Sub(began())
	return fmt.Sprintf("%02d:%02d:%06.3f", int(in.Hours()), int(in.Minutes())%60, (in % time.Minute).Seconds())
}

func stepName(s schema.Step) string {
	return [...]string{"prepare", "publish", "find"}[s]
}

func outcomeName(d schema.Delivery, o schema.Outcome) string {
	switch {
	case o.Err != nil:
		return o.Err.Message
	case d.Step == schema.StepPrepare:
		return fmt.Sprintf("ready %t, again in %s", o.Progress.Ready, o.Progress.RetryIn)
	case d.Step == schema.StepFind:
		return [...]string{"cannot tell", "found ", "not there", "safe to repeat", "not made"}[o.Verdict] + receiptName(o.Receipt)
	default:
		return receiptName(o.Receipt)
	}
}

func receiptName(r schema.Receipt) string {
	if r.Open {
		return r.NativeID + ", which the platform is still at"
	}
	return r.NativeID
}

func reasonName(e *schema.TargetError) string {
	if e == nil {
		return "no reason"
	}
	return e.Code
}
