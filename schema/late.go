package schema

import (
	"slices"
	"time"
)

// Standing is how a target stands when a receipt comes in whose claim another has
// followed meanwhile: the lease ran out, a look began, a retry, a cancel.
type Standing struct {
	Delivery // as the target would be claimed now
	State    TargetState
	Wait     time.Duration // until a pending target may be claimed
	Error    *TargetError
	Charged  bool // it holds a unit of its account's daily cap
}

// Arrival is what a late receipt tells.
type Arrival int

// The arrivals.
const (
	// ReceiptKnown: somebody found the same before.
	ReceiptKnown Arrival = iota
	// ReceiptKept: nobody knew.
	ReceiptKept
	// ReceiptSecond: the entry has another receipt, so it was published twice.
	ReceiptSecond
)

// Keep returns how the target stands once it has a late receipt: that an entry is
// published is true whatever was claimed, retried or given up since. A result is returned
// with ReceiptKept only.
func (s Standing) Keep(late Receipt, at time.Time) (Result, Arrival) {
	if late.PostedAt.IsZero() {
		late.PostedAt = at
	}
	if known := s.Receipt(late.Entry); known != nil && (!known.Open || late.Open) {
		if known.NativeID != late.NativeID {
			return Result{}, ReceiptSecond
		}
		return Result{}, ReceiptKnown
	} // an open one may have come to nothing
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

// filled fills a hole of a thread that has gone on. A call in hand for a later entry is
// looked for once it can be over, since its claim no longer holds.
func (s Standing) filled(late Receipt) Result {
	r := s.waiting(s.Step, s.Wait)
	r.Receipts, r.Error = append(withoutEntry(r.Receipts, late.Entry), late), s.Error
	r.Unsettled = r.Unsettled.Without(late.Entry)
	if s.calls() {
		r.Step, r.NextIn = StepFind, Lease+SettleTime
	}
	return r
}

// calls tells whether a visible call may be in hand.
func (s Standing) calls() bool { return s.State == TargetClaimed && s.Step == StepPublish }

// amended corrects a target that has ended: one that was taken for failed is posted with
// its last receipt, and a cancelled one shows what went out before.
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

// KeepComment returns how a first comment stands once it has a late receipt, by the rules
// of Keep; native is the id it has already, empty for none.
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
