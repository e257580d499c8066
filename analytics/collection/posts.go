package collection

import (
	"context"
	"errors"
	"fmt"
	"time"

	"crier/connectors"
	"crier/schema"
)

// collectMetrics looks at the posts that are due. One that its platform refuses among others is
// found by ever smaller calls, and skipped.
func collectMetrics(ctx context.Context, s Step) (schema.CollectionResult, error) {
	r := s.result()
	source, ok := connectors.Able[connectors.MetricsSource](s.Connector)
	if !ok {
		r.Gone = s.Due
		return r, unsupported()
	}
	batch, due := max(1, source.MetricsBatch()>>s.Attempts), s.Due
	var wait time.Duration
	for calls := 0; calls < callsAtOnce && len(due) > 0; calls++ {
		if wait = s.turn(ctx, calls); wait > 0 {
			break
		}
		looked := make([]schema.Snapshot, min(batch, len(due)))
		for i := range looked {
			looked[i] = due[i].At(s.Now)
		}
		if err := s.look(ctx, source, looked, &r); errors.Is(err, connectors.ErrNotReported) {
			r.Gone = s.Due
			return r, unsupported()
		} else if err != nil {
			if schema.KindOf(err) == schema.Refused && len(looked) == 1 {
				r.Read = append(r.Read, looked...)
			}
			return r, err
		}
		due = due[len(looked):]
	}
	if r.Attempts = max(0, s.Attempts-1); len(due) > 0 {
		r.NextAt = s.Now.Add(wait)
	} else {
		r.NextAt = s.Now.Add(schema.SnapshotEarly)
	}
	return r, nil
}

// look reads the metrics of some posts with one call.
func (s Step) look(ctx context.Context, source connectors.MetricsSource, snapshots []schema.Snapshot, r *schema.CollectionResult) error {
	posts := make([]schema.PublishedPost, len(snapshots))
	for i, snapshot := range snapshots {
		posts[i] = snapshot.PublishedPost
	}
	metrics, err := source.PostMetrics(ctx, s.Reading, posts)
	if err != nil {
		return err
	}
	if len(metrics) != len(posts) {
		return fmt.Errorf("%s told of %d posts, asked for %d", s.Account.Platform, len(metrics), len(posts))
	}
	for i, m := range metrics {
		snapshot := snapshots[i]
		m.Target, m.NativeID, m.PostedAt, m.Slot = snapshot.Target, snapshot.NativeID, snapshot.PostedAt, snapshot.Slot
		fact, err := s.fact(schema.FactPostMetrics, snapshot.Post, m)
		if err != nil {
			return err
		}
		if r.Facts = append(r.Facts, fact); m.Gone {
			r.Gone = append(r.Gone, snapshot)
		} else {
			r.Read = append(r.Read, snapshot)
		}
	}
	return nil
}
