package schema

import "time"

// Observation is what is looked at from time to time, for metrics.
type Observation struct {
	OldestEvents time.Duration // age of the oldest events that webhooks or analytics have not got; 0: none
	Accounts     map[Platform]AccountCounts
}

// AccountCounts are the connected accounts of a platform, in live workspaces.
type AccountCounts struct {
	Connected     int
	NeedReconnect int // of Connected
}
