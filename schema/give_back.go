package schema

import (
	"encoding/json"
	"time"
)

// A claim whose step a stop kept from beginning, or cut off, is given back: what it is of
// waits in the same step, due now, and no try is counted.

// GiveBack returns how the target stands once its claim is given back. progress is what a
// step that was cut has come to, nil if nothing.
func (d Delivery) GiveBack(progress json.RawMessage) Result {
	r := d.waiting(d.Step, 0)
	if progress != nil {
		r.Progress = progress
	}
	return r
}

// GiveBackComment returns how the first comment stands once its claim is given back.
func (d Delivery) GiveBackComment() CommentResult {
	return d.commentResult(d.alone().GiveBack(nil))
}

// GiveBack returns how the account stands once the claim of its renewal is given back. A
// trade that was claimed and not made is not open.
func (r Renewal) GiveBack(now time.Time) RenewalResult {
	result := RenewalResult{Account: r.Account, Claim: r.Claim, Attempts: r.Attempts, NextAt: now}
	if r.Open {
		result.Step = RenewalTrade
	}
	return result
}
