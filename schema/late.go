package schema

import (
	"slices"
	"time"
)

// Standing is the state of a target when a late receipt arrives: one under a claim that
// is no longer the target's, since its lease ran out, or a look, a retry or a cancel came
// in between.
type Standing struct {
	Delivery // as the target would be claimed now
	State    TargetState
	Wait     time.Duration // until a pending target may be claimed
	Error    *TargetError
	Charged  bool // it holds a unit of its account's daily cap
}

// Arrival is what a late receipt changes.
type Arrival int

// The arrivals.
const (
	// ReceiptKnown: the entry has this receipt already.
	ReceiptKnown Arrival = iota
	// ReceiptKept: it is new, and is stored.
	ReceiptKept
	// ReceiptSecond: the entry has another receipt, so it was published twice.
	ReceiptSecond
)

// Keep returns the result of a late receipt: the entry is published, whatever was
// claimed, retried or given up since. The result is set with ReceiptKept only.
func (s Standing) Keep(late Receipt, at time.Time) (Result, Arrival) {
	if late.PostedAt.IsZero() {
		late.PostedAt = at
	}
	if known := s.Receipt(late.Entry); known != nil && (!known.Open || late.Open) {
		if known.NativeID != late.NativeID {
			return Result{}, ReceiptSecond
		}
		return Result{}, ReceiptKnown
	} // the platform may have given an open one up
	var r Result
	switch {
	case s.State != TargetPending && s.State != TargetClaimed:
		r = s.amended(late, at)
	case late.Entry < s.Entry:
		r = s.filled(late)
	default:
		d := s.Delivery
		d.Entry = late.Entry
		r = d.published(late, at)
		if late.Open && s.calls() {
			r.NextIn = Lease + SettleTime
		}
	}
	slices.SortFunc(r.Receipts, func(a, b Receipt) int { return a.Entry - b.Entry })
	return r, ReceiptKept
}

// filled adds the receipt of a skipped entry to a thread that has gone on. If a call for
// a later entry may be running, it is looked for once it must be over, since its claim no
// longer holds.
func (s Standing) filled(late Receipt) Result {
	r := s.waiting(s.Step, s.Wait)
	r.Receipts, r.Error = append(withoutEntry(r.Receipts, late.Entry), late), s.Error
	r.Unsettled = r.Unsettled.Without(late.Entry)
	if s.calls() {
		r.Step, r.NextIn = StepFind, Lease+SettleTime
	}
	return r
}

// calls reports whether a visible call may be running.
func (s Standing) calls() bool { return s.State == TargetClaimed && s.Step == StepPublish }

// amended corrects a target that has ended: one that had failed becomes posted with its
// last receipt, and a cancelled one shows what was published before.
func (s Standing) amended(late Receipt, at time.Time) Result {
	r := s.base()
	r.State, r.Error = s.State, s.Error
	r.Receipts = append(withoutEntry(r.Receipts, late.Entry), late)
	if !late.Open {
		r.Unsettled = r.Unsettled.Without(late.Entry)
	}
	if s.State != TargetFailed || late.Open {
		return r
	}
	r.Comments = s.FirstComments
	if len(r.Receipts) == s.Entries && !slices.ContainsFunc(r.Receipts, func(x Receipt) bool { return x.Open }) {
		r.State, r.PostedAt, r.Error = TargetPosted, at, nil
		return r
	}
	if s.Entry == late.Entry {
		r.Error = threadIncomplete(at)
	}
	return r
}

// KeepComment is Keep for a first comment.
func (c Comment) KeepComment(late CommentResult) (CommentResult, Arrival) {
	switch c.NativeID {
	case "":
		late.State, late.Error = CommentPosted, nil
		return late, ReceiptKept
	case late.NativeID:
		return CommentResult{}, ReceiptKnown
	default:
		return CommentResult{}, ReceiptSecond
	}
}

// Publication is an entry that was published, as its receipt has it.
type Publication struct {
	Ref      TargetRef // without a version
	Entry    int
	NativeID string
}

// ReviewAge is for how long crier looks, after a publication, whether its platform has taken it
// down, where platforms do so.
const ReviewAge = 25 * time.Hour

// TakeDown returns the result of a target whose platform no longer shows an entry; ok is false
// where the target is no longer what was published. What is retried from then on is published
// anew.
func (s Standing) TakeDown(of Publication, why *Error, at time.Time) (r Result, ok bool) {
	known := s.Receipt(of.Entry)
	if s.State != TargetPosted || known == nil || known.NativeID != of.NativeID {
		return r, false
	}
	r = s.base()
	r.State, r.Step, r.Entry, r.Attempts, r.Looked, r.Progress, r.Fresh = TargetFailed, StepPrepare, of.Entry, 0, 0, nil, true
	r.Receipts, r.Error = withoutEntry(r.Receipts, of.Entry), targetError(why, at)
	r.Attempt = &Attempt{
		At: at, Kind: AttemptFailed, N: s.Ref.N, Comment: NoComment, Entry: of.Entry, Code: r.Error.Code, Message: r.Error.Message,
	}
	return r, true
}
