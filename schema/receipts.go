package schema

import (
	"errors"
	"time"
)

// ReceiptRetention is how long it is known of what was published which entry or first
// comment it is: longer than anybody looks for a lost one.
const ReceiptRetention = 8 * 24 * time.Hour

// ErrReceiptTaken refuses a result whose look found what another entry or first comment has
// made: see LookAgain.
var ErrReceiptTaken = errors.New("what was found is another entry's")

// ErrReceiptsForgotten tells that a look goes back further than ReceiptRetention: nobody
// can tell any more which of the profile's posts are whose.
var ErrReceiptsForgotten = errors.New("what was published to the profile since then is forgotten")

// LookAgain returns how the target stands after a look that found what is another's. It
// costs no try, and the next look knows of it.
func (d Delivery) LookAgain(at time.Time) Result {
	r := d.waiting(StepFind, SettleTime)
	r.Looked, r.Error = max(d.Looked, 0), stillOpen("what was found is another post's", at)
	r.Attempt = d.attempt(Outcome{Verdict: NotThere}, r, at)
	return r
}

// LookAgainForComment returns how the first comment stands after such a look.
func (d Delivery) LookAgainForComment(at time.Time) CommentResult {
	return d.commentResult(d.alone().LookAgain(at))
}
