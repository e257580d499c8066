package restored

import (
	"context"
	"log/slog"
	"time"

	"crier/schema"
	"crier/schema/sleep"
)

// eventSource is ClickHouse.
type eventSource interface {
	// Beyond returns the highest position above one of events up to a time, and the newest of these times.
	Beyond(ctx context.Context, position int64, upto time.Time) (highest int64, at time.Time, err error)
	// Events returns events of all workspaces after a place, of some types and times.
	Events(ctx context.Context, after schema.EventPlace, from, to time.Time, types []schema.EventType, limit int) ([]schema.Event, error)
}

// eventStore keeps what events tell.
type eventStore interface {
	Held(ctx context.Context) (*schema.Restore, error)
	AddEvents(ctx context.Context, r *schema.Restore, events []schema.Event) error
	EventsRead(ctx context.Context, r *schema.Restore, until time.Time) error
}

// EventsConfig is what reading events needs.
type EventsConfig struct {
	Source eventSource
	Store  eventStore
	Logger *slog.Logger
}

// Events reads what ClickHouse has from after a restored moment, where it outlived the restore.
type Events struct{ EventsConfig }

// NewEvents makes the reader.
func NewEvents(c EventsConfig) *Events { return &Events{c} }

const (
	eventPage  = 5000
	eventRetry = 10 * time.Second
	// placedBefore is how much before its event a position may be, by two readings of one clock.
	placedBefore = time.Minute
)

// Run reads once, and returns when ctx ends.
func (e *Events) Run(ctx context.Context) error {
	for pause := time.Duration(0); sleep.For(ctx, pause) == nil; pause = eventRetry {
		err := e.read(ctx)
		if err == nil {
			<-ctx.Done()
			break
		}
		if ctx.Err() == nil {
			e.Logger.WarnContext(ctx, "reading what became of held posts from ClickHouse failed", "err", err)
		}
	}
	return nil
}

func (e *Events) read(ctx context.Context) error {
	r, err := e.Store.Held(ctx)
	if err != nil || r == nil || !r.EventsUntil.IsZero() {
		return err
	}
	after := schema.EventPlace{Position: r.To.Add(-placedBefore).UnixMicro()}
	_, newest, err := e.Source.Beyond(ctx, after.Position, r.MarkedAt)
	if err != nil || !newest.After(r.To) {
		return err
	}
	types := []schema.EventType{
		schema.PostCancelled, schema.PostUpdated, schema.TargetWasPosted, schema.TargetHasFailed, schema.AccountDisconnected, schema.AccountConnected,
	}
	for n := eventPage; n == eventPage; {
		events, err := e.Source.Events(ctx, after, r.To, r.MarkedAt, types, eventPage)
		if err != nil {
			return err
		}
		if n = len(events); n == 0 {
			break
		}
		if err := e.Store.AddEvents(ctx, r, events); err != nil {
			return err
		}
		after = schema.EventPlace{Position: events[n-1].Position, ID: events[n-1].ID}
	}
	return e.Store.EventsRead(ctx, r, newest)
}
