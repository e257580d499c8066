package schema

import "time"

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
