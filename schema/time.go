package schema

import "time"

// clockError is how far a platform's clock may be ahead.
const clockError = 24 * time.Hour

// ValidTime returns a time that a platform gives, in UTC; the zero time, as if it gave none, for one
// that neither JSON nor the databases can hold: its year is none of 1 to 9999.
func ValidTime(t time.Time) time.Time {
	t = t.UTC()
	if t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}
	}
	return t
}

// PastTime returns a time at which something has happened by a platform, in UTC; the zero time, as
// if it gave none, where it is not valid, or more than a day ahead.
func PastTime(t, now time.Time) time.Time {
	t = ValidTime(t)
	if t.After(now.Add(clockError)) {
		return time.Time{}
	}
	return t
}
