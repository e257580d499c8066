package schema

import "time"

// Retry asks for the failed targets of a post to go on.
type Retry struct {
	Platforms       []Platform // whose targets; empty: all
	Delay           time.Duration
	AcceptDuplicate bool // a second post is accepted where nobody can tell whether the first was published
}

// Retried is the result of a retry.
type Retried struct {
	Post      Post
	Platforms []Platform // that go on
	LeftOut   []Detail   // targets that may be published already, where nobody can look
}

// Resumption is where a failed target goes on.
type Resumption struct {
	Step      Step
	Entry     int
	Receipts  []Receipt
	Unsettled EntrySet // is looked for before it is called
	LeftOut   bool     // it does not go on: it may be published, nobody can look, and no second post is accepted
}

// Resume returns where a failed target goes on: after its last receipt, so that a skipped
// entry is published only if no other followed it, and with a look wherever nobody knows
// what is published. ok is false if nothing is left to publish.
func (t *Target) Resume(entries int, blind, acceptDuplicate bool) (r Resumption, ok bool) {
	for _, receipt := range t.Receipts {
		if !receipt.Open {
			r.Receipts = append(r.Receipts, receipt)
			r.Entry = max(r.Entry, receipt.Entry+1)
		}
	}
	if t.State != TargetFailed || r.Entry >= entries {
		return r, false
	}
	r.Unsettled = t.Unsettled
	if t.Error != nil && t.Error.Code == CodeOutcomeUnknown { // of a dead letter only the code says it
		r.Unsettled = r.Unsettled.With(t.Entry)
	}
	r.Unsettled = r.Unsettled.From(r.Entry)
	switch {
	case len(r.Receipts) < len(t.Receipts): // an open receipt: the platform may still be working on it
		r.Step, r.Receipts = StepFind, t.Receipts
	case blind && r.Unsettled != 0 && acceptDuplicate:
		r.Unsettled = 0
	case blind && r.Unsettled != 0:
		r.LeftOut = true
	case r.Unsettled.Has(r.Entry):
		r.Step = StepFind
	}
	return r, true
}
