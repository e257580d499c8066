package clickhouse

import (
	"context"
	"time"

	"crier/schema"
)

// Settled returns r with another time between counting and closing.
func (r *Rollups) Settled(d time.Duration) *Rollups { return &Rollups{r.conn, d} }

// Find returns the open buckets of a kind.
func (r *Rollups) Find(ctx context.Context, kind schema.RollupKind) ([]openBucket, error) {
	return r.find(ctx, kind, 0, 1000)
}

// Finish counts and closes buckets that were found before.
func (r *Rollups) Finish(ctx context.Context, kind schema.RollupKind, buckets []openBucket) error {
	return r.finish(ctx, kind, buckets)
}

// CountOnly counts the open buckets of a kind, and leaves them open.
func (r *Rollups) CountOnly(ctx context.Context, kind schema.RollupKind) error {
	open, err := r.find(ctx, kind, 0, 1000)
	if err != nil {
		return err
	}
	return r.count(ctx, kind, open)
}
