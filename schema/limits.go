package schema

import "time"

// DayOf returns the UTC day of a time, at its midnight: the period of daily caps.
func DayOf(t time.Time) time.Time {
	year, month, day := t.UTC().Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// MonthOf returns the first of the UTC month of a time: the period of plans.
func MonthOf(t time.Time) time.Time {
	year, month, _ := t.UTC().Date()
	return time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
}

// Usage is what a workspace has used of its plan in a calendar month (UTC).
type Usage struct {
	Plan     Plan      // of a sandbox twin: its workspace's, without a limit of accounts
	Month    time.Time // its first day
	Posts    int       // created in the month, an entry of a thread counts one; only counted where the plan limits them
	Accounts int       // connected now
}

// CodeOutcomeUnknown is the code of a TargetError that says that nobody knows whether
// the platform published.
const CodeOutcomeUnknown = "outcome_unknown"

const codeMissedDeadline = "missed_deadline"

// Releases tells whether a result gives the target's unit of the daily cap back: it has
// failed, and nothing of it is on the platform or may be.
func (r Result) Releases() bool {
	return r.State == TargetFailed && r.Entry == 0 && len(r.Receipts) == 0 && r.Unsettled == 0 &&
		(r.Error == nil || r.Error.Code != CodeOutcomeUnknown)
}

// Releases tells whether a target that is cancelled gives its unit of the daily cap back:
// nothing of it is on the platform or may be.
func (t Target) Releases() bool {
	return t.State == TargetPending && len(t.Receipts) == 0 && t.Unsettled == 0 &&
		(t.Error == nil || t.Error.Code != CodeOutcomeUnknown)
}

// RequestLease is what a gateway may let through of a key's window of a minute, which all
// gateways share.
type RequestLease struct {
	Window time.Time // its beginning
	N      int       // requests; 0: the window is full
	Used   int       // of the window, by all gateways, these included
}
