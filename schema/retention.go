package schema

import (
	"cmp"
	"time"
)

// Retention is how long what has ended is kept. What is open is kept whatever its age.
type Retention struct {
	Posts      time.Duration // from the end, to the end of its month; zero: PostRetention
	Deliveries time.Duration // to webhooks; zero: DeliveryRetention
	Attempts   time.Duration // of the timeline; zero: AttemptRetention
}

// PostRetention is how long posts are kept once they have ended.
const PostRetention = 730 * 24 * time.Hour

// OrDefaults fills in what is not set.
func (r Retention) OrDefaults() Retention {
	return Retention{
		Posts: cmp.Or(r.Posts, PostRetention), Deliveries: cmp.Or(r.Deliveries, DeliveryRetention), Attempts: cmp.Or(r.Attempts, AttemptRetention),
	}
}
