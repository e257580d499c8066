package clickhouse

import (
	"context"
	"errors"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/uuid"

	"crier/schema"
)

// Sink is the store of the sink that brings events to ClickHouse.
type Sink struct{ conn driver.Conn }

// Insert stores events in one block, all of them or none; after an error either may be. They
// can be queried once it has returned. Storing an event again changes nothing.
func (s *Sink) Insert(ctx context.Context, events []schema.Event) error {
	if len(events) == 0 {
		return nil
	}
	if err := s.insert(ctx, events); err != nil {
		return fmt.Errorf("inserting %d events: %w", len(events), unlessRefused(err))
	}
	return nil
}

func (s *Sink) insert(ctx context.Context, events []schema.Event) (err error) {
	block, err := s.conn.PrepareBatch(ctx, `
		insert into events (id, type, workspace, post, account, platform, at, lateness, code, data, position)`)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, block.Close()) }()
	for i := range events {
		if err := appendEvent(block, &events[i]); err != nil {
			return fmt.Errorf("%w: %w", errMalformed, err)
		}
	}
	return block.Send()
}

func appendEvent(block driver.Batch, e *schema.Event) error {
	return block.Append(uuid.UUID(e.ID), string(e.Type), uuid.UUID(e.Workspace), uuid.UUID(e.Post), uuid.UUID(e.Account),
		platformName(e.Platform), e.At, e.Lateness, e.Code, string(e.Data), e.Position)
}
