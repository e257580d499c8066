package connectors

import (
	"context"
	"errors"

	"crier/schema"
)

// ErrNotTold is of what a platform tells of no post or account of this kind.
var ErrNotTold = errors.New("the platform does not tell")

// MetricsSource is a connector whose platform tells how posts do.
type MetricsSource interface {
	// MetricsBatch is how many posts one call of PostMetrics takes, which is one call of the
	// platform's.
	MetricsBatch() int
	// PostMetrics returns the metrics of posts of one account, in their order. A post that the
	// platform no longer has is marked as gone.
	PostMetrics(ctx context.Context, r Reading, posts []schema.PublishedPost) ([]schema.PostMetrics, error)
}

// FollowersSource is a connector whose platform tells how an account does.
type FollowersSource interface {
	// Followers returns the counts of now; Day is left empty.
	Followers(ctx context.Context, r Reading) (schema.Followers, error)
}

// Reading is on whose behalf something is read, and with which turn.
type Reading struct {
	Account     schema.Account
	Credentials schema.Credentials
	Turn        schema.Turn // of the first call; nil: it takes one by itself
}

// Sum adds counts; what is not known of one is not known of the sum.
func Sum(counts ...*int64) *int64 {
	var sum int64
	for _, n := range counts {
		if n == nil {
			return nil
		}
		sum += *n
	}
	return &sum
}
