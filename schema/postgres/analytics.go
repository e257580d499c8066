package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"crier/schema"
)

// Analytics is the store of the sink that brings events to ClickHouse.
type Analytics struct{ *Store }

// NewAnalytics returns the store of the sink.
func NewAnalytics(s *Store) *Analytics { return &Analytics{Store: s} }

// Stored takes the sink's mark off batches of events that ClickHouse has.
func (a *Analytics) Stored(ctx context.Context, batches []schema.BatchID) error {
	err := a.later(ctx, func(tx pgx.Tx) error {
		_, err := takeMark(ctx, tx, batches, schema.OwedAnalytics)
		return err
	})
	if err != nil {
		return fmt.Errorf("marking events stored: %w", unavailable(err))
	}
	return nil
}
