package analytics

import (
	"context"
	"time"

	"crier/schema"
)

// queriesStore answers questions about the events of one workspace.
type queriesStore interface {
	PostCounts(ctx context.Context, workspace schema.WorkspaceID, filter schema.PostCountsFilter) ([]schema.PostCount, error)
	Events(ctx context.Context, workspace schema.WorkspaceID, after schema.EventID, limit int) ([]schema.Event, error)
}

const (
	// queryTimeout is when a caller is told that analytics do not answer. The server gets
	// it too, and ends the query by then.
	queryTimeout = 10 * time.Second
	maxEvents    = 100 // of one page
)

// Queries answers questions about what happened, in bounded time and size.
type Queries struct{ store queriesStore }

// NewQueries makes Queries.
func NewQueries(store queriesStore) *Queries { return &Queries{store} }

// PostCounts returns how many targets ended as posted or failed, by day, platform and
// status, in this order; the error is Unavailable when ClickHouse does not answer.
func (q *Queries) PostCounts(ctx context.Context, workspace schema.WorkspaceID, filter schema.PostCountsFilter) ([]schema.PostCount, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	return q.store.PostCounts(ctx, workspace, filter)
}

// Events returns a page of at most limit and 100 of a workspace's events whose ids follow
// after, oldest first; the zero id is before all. The error is Unavailable when ClickHouse
// does not answer.
func (q *Queries) Events(ctx context.Context, workspace schema.WorkspaceID, after schema.EventID, limit int) ([]schema.Event, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	return q.store.Events(ctx, workspace, after, min(limit, maxEvents))
}
