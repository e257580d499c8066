package schema

import "time"

// QuotaCost is what a call takes of a quota that a platform gives an app by the day.
type QuotaCost struct {
	Name string    // of the quota, among processes
	Day  time.Time // midnight, as the platform counts days; its date alone matters
	Cost int
	Most int // that may be used of the day by then
}
