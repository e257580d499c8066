package tables

import (
	"time"

	"crier/schema"
)

// A target holds a unit of its account's daily cap, noted with its UTC day in ChargedOn, from its creation on
// until nothing of it can be on its platform any more. Every change of the counter is by one of these two.
//
//	ChargeDay  a post is created, edited, or retried on another day; what a review held is released today;
//	           a late receipt shows that something of it was published after all
//	RefundDay  a post is edited or cancelled; a target failed, as a dead letter too; what a review held
//	           goes out on another day

// ChargeDay takes a unit of an account's daily cap.
func ChargeDay(account schema.AccountID, day time.Time, dailyCap int) Charge {
	return Charge{Key: dayKey(account, day), N: 1, Limit: dailyCap}
}

// RefundDay gives back the unit that is held of a day; of the zero day none is.
func RefundDay(account schema.AccountID, chargedOn time.Time) Charge {
	if chargedOn.IsZero() {
		return Charge{}
	}
	return Charge{Key: dayKey(account, chargedOn), N: -1}
}

// dayKey names the counter of an account's day.
func dayKey(account schema.AccountID, day time.Time) CounterKey {
	return CounterKey{account, day, false}
}
