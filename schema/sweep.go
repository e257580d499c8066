package schema

// Sweep is one of the periodic repairs of what no job would wake, and of counters that
// disagree: each goes over a table of its own.
type Sweep string

// The sweeps.
const (
	SweepPosts       Sweep = "posts"        // all that are due
	SweepRecentPosts Sweep = "recent_posts" // those that became due some minutes ago: found soon, however many there are of the others
	SweepJobs        Sweep = "jobs"
	SweepComments    Sweep = "comments"
	SweepDeliveries  Sweep = "deliveries"
	SweepRenewals    Sweep = "renewals"
)

// Sweeps returns all of them.
func Sweeps() []Sweep {
	return []Sweep{SweepPosts, SweepRecentPosts, SweepJobs, SweepComments, SweepDeliveries, SweepRenewals}
}
