package maintenance

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
)

const (
	deadLetterRetention = "90 days"
	// unreadableKept bounds what a producer of rubbish can fill the database with.
	unreadableKept = 1000
)

// forgetDeadLetters drops faults that were overcome, and dead letters of long ago.
func forgetDeadLetters(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `
		delete from dead_letters where failed_at < now() - case when dead_at is null then interval '1 day' else interval '`+deadLetterRetention+`' end
		   or id in (select id from dead_letters where unreadable order by failed_at desc offset $1)`, unreadableKept)
	return err
}

// Forget deletes the answers of requests that are older than a day, old attempts,
// deliveries to webhooks and receipts that are older than their retention, and what was counted in days
// and months that are over: a unit of a day that is gone is given back to nobody.
func (s *Store) Forget(ctx context.Context) (rows int, more bool, err error) {
	err = s.Alone(ctx, "forget", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `delete from idempotency where created_at < now() - $1::interval`,
			(schema.IdempotencyRetention + time.Hour).String())
		if err != nil {
			return err
		}
		if err := forgetDeadLetters(ctx, tx); err != nil {
			return err
		}
		if _, err = tx.Exec(ctx, `delete from attempts where at < now() - $1::interval`, schema.AttemptRetention.String()); err != nil {
			return err
		}
		if _, err = tx.Exec(ctx, `delete from app_turns where next_at < now() - interval '1 day'`); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `delete from counters where period < current_date - $1::int`, countersKept)
		return err
	})
	if err != nil {
		return 0, false, fmt.Errorf("forgetting what is old: %w", db.Unavailable(err))
	}
	if err := s.forgetDeliveries(ctx); err != nil {
		return 0, false, fmt.Errorf("forgetting old deliveries: %w", db.Unavailable(err))
	}
	if err := s.forgetReceipts(ctx); err != nil {
		return 0, false, fmt.Errorf("forgetting old receipts: %w", db.Unavailable(err))
	}
	return 0, false, nil
}

// forgetDeliveries goes by ids, which are in the order of time, a chunk at a time. One
// that is still pending stays until it has ended.
func (s *Store) forgetDeliveries(ctx context.Context) error {
	oldest := schema.FirstDeliveryID(s.Now().Add(-schema.DeliveryRetention))
	for deleted := int64(tables.HistoryChunk); deleted == tables.HistoryChunk; {
		deleted = 0 // another process may be at it
		err := s.Alone(ctx, "forget", func(tx pgx.Tx) error {
			tag, err := tx.Exec(ctx, `
				delete from deliveries where id in (
					select id from deliveries where id < $1 and state in `+tables.EndedDeliveries+` order by id limit $2)`, oldest, tables.HistoryChunk)
			deleted = tag.RowsAffected()
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// countersKept is how many days counters are kept: this month and the last.
const countersKept = 62

// forgetReceipts deletes what nobody looks back to any more, the oldest first, a chunk at a
// time; each goes on where the last has ended.
func (s *Store) forgetReceipts(ctx context.Context) error {
	end := s.Now().Add(-schema.ReceiptRetention - time.Hour)
	for from := (time.Time{}); ; {
		var deleted int
		var last *time.Time // none: another process may be at it
		err := s.Alone(ctx, "forget", func(tx pgx.Tx) error {
			return tx.QueryRow(ctx, forgetReceipts, from, end, tables.HistoryChunk).Scan(&deleted, &last)
		})
		if err != nil || deleted < tables.HistoryChunk {
			return err
		}
		from = *last
	}
}

const forgetReceipts = `
	with old as (
		select ctid from receipts where seen_at >= $1 and seen_at < $2 order by seen_at limit $3
	), gone as (
		delete from receipts r using old where r.ctid = old.ctid returning r.seen_at
	)
	select count(*), max(seen_at) from gone`
