package schema

import "time"

// PostCountsFilter selects the targets to count.
type PostCountsFilter struct {
	From, To time.Time // UTC days, both included
	Platform Platform  // zero: any
	Account  AccountID // zero: any
}

// PostCount is how many targets of a platform ended in a status on a day.
type PostCount struct {
	Day      time.Time // UTC midnight
	Platform Platform
	Status   string // posted or failed
	Count    int
}
