package analytics

import (
	"context"
	"time"

	"crier/schema"
)

// queriesStore answers questions about the events of one workspace.
type queriesStore interface {
	PostCounts(ctx context.Context, workspace schema.WorkspaceID, filter schema.AnalyticsFilter) ([]schema.PostCount, error)
	Events(ctx context.Context, workspace schema.WorkspaceID, filter schema.EventFilter) ([]schema.Event, error)
	InboxItems(ctx context.Context, workspace schema.WorkspaceID, names []schema.ItemName) (map[schema.ItemName]schema.InboxItem, error)
	FeedItems(ctx context.Context, workspace schema.WorkspaceID, query schema.FeedItemQuery) ([]schema.MatchedItem, error)
	// Position returns the position of an event, and whether it is stored.
	Position(ctx context.Context, workspace schema.WorkspaceID, event schema.EventID) (position int64, stored bool, err error)
	figuresStore
}

// horizon tells up to which position all events are stored.
type horizon interface {
	Horizon(ctx context.Context) (schema.Horizon, error)
}

const (
	// queryTimeout bounds a query; ClickHouse gets it too, and ends the query by then.
	queryTimeout = 10 * time.Second
	maxEvents    = 100 // of one page
	// overlap is how far before its own time reading starts after an event that is not stored
	// yet: positions are given later than times, by clocks that may differ.
	overlap = time.Minute
)

// Queries answers questions about what happened, in bounded time and size.
type Queries struct {
	store   queriesStore
	horizon horizon
}

// NewQueries makes Queries.
func NewQueries(store queriesStore, horizon horizon) *Queries { return &Queries{store, horizon} }

// PostCounts returns how many targets ended as posted or failed, by day, platform and
// status, in this order; the error is Unavailable when ClickHouse does not answer.
func (q *Queries) PostCounts(ctx context.Context, workspace schema.WorkspaceID, filter schema.AnalyticsFilter) ([]schema.PostCount, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	return q.store.PostCounts(ctx, workspace, filter)
}

// InboxItems returns what people wrote to a workspace's accounts, by name; the error is
// Unavailable when ClickHouse does not answer.
func (q *Queries) InboxItems(ctx context.Context, workspace schema.WorkspaceID, names []schema.ItemName) (map[schema.ItemName]schema.InboxItem, error) {
	if len(names) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	return q.store.InboxItems(ctx, workspace, names)
}

// FeedItems returns what a monitor has found, the newest first.
func (q *Queries) FeedItems(ctx context.Context, workspace schema.WorkspaceID, query schema.FeedItemQuery) ([]schema.MatchedItem, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	return q.store.FeedItems(ctx, workspace, query)
}

// Events returns a page of a workspace's events, at most 100, in the order of their
// positions. A client that asks for what follows the last event of each page gets every
// event once: no page goes beyond the position up to which ClickHouse is complete, which is
// read first. The error is Unavailable when PostgreSQL or ClickHouse does not answer.
func (q *Queries) Events(ctx context.Context, workspace schema.WorkspaceID, query schema.EventQuery) (schema.EventPage, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	complete, err := q.horizon.Horizon(ctx)
	if err != nil {
		return schema.EventPage{}, err
	}
	after, err := q.positionOf(ctx, workspace, query.After)
	if err != nil {
		return schema.EventPage{}, err
	}
	limit := min(query.Limit, maxEvents)
	events, err := q.store.Events(ctx, workspace, schema.EventFilter{
		After: after, UpTo: complete.Position, Types: query.Types, Limit: limit + 1,
	})
	if err != nil {
		return schema.EventPage{}, err
	}
	more := len(events) > limit
	return schema.EventPage{Events: events[:min(limit, len(events))], More: more, CompleteUntil: complete.At}, nil
}

// positionOf returns where to go on after an event. For one that is not stored yet, such as
// one that a webhook has just delivered, it is estimated by its time.
func (q *Queries) positionOf(ctx context.Context, workspace schema.WorkspaceID, event schema.EventID) (schema.EventPlace, error) {
	if event.IsZero() {
		return schema.EventPlace{}, nil
	}
	position, stored, err := q.store.Position(ctx, workspace, event)
	if err != nil {
		return schema.EventPlace{}, err
	}
	if !stored {
		return schema.EventPlace{Position: event.Time().Add(-overlap).UnixMicro()}, nil
	}
	return schema.EventPlace{Position: position, ID: event}, nil
}
