package clickhouse

import (
	"context"
	"errors"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"crier/schema"
)

// Sink is the store of the sink that brings events to ClickHouse.
type Sink struct{ conn driver.Conn }

// Insert stores events, each in the table of its type, in one block a table. A block is
// stored whole or not at all; after an error any of them may be. They can be queried once it
// has returned. Storing an event again changes nothing.
func (s *Sink) Insert(ctx context.Context, events []schema.Event) error {
	for _, part := range byTable(events) {
		if err := s.insert(ctx, part); err != nil {
			return fmt.Errorf("inserting %d rows into %s: %w", len(part.events), part.table.name, unlessRefused(err))
		}
	}
	return nil
}

// anyMonths lets a block be of any number of months: tables of what people wrote are partitioned by
// when they did, and the first look at an account reads what is years old. ClickHouse refuses more
// than a hundred otherwise, as if it were busy.
var anyMonths = clickhouse.Settings{"max_partitions_per_insert_block": 0}

func (s *Sink) insert(ctx context.Context, part tablePart) (err error) {
	block, err := s.conn.PrepareBatch(clickhouse.Context(ctx, clickhouse.WithSettings(anyMonths)), part.table.insert)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, block.Close()) }()
	for _, e := range part.events {
		if err := part.table.append(block, e); err != nil {
			return fmt.Errorf("%w: %w", errMalformed, err)
		}
	}
	return block.Send()
}
