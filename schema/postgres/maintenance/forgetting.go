package maintenance

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// aged are rows that are forgotten once they are old enough: by an indexed column that is in
// the order of time, the oldest first.
type aged struct {
	table, column, kind string
	min                 string // what no row's column is less than
	where               string // which of them; empty: all
	after               *string
}

const (
	// counterRetention is how many days counters are kept: this month and the last.
	counterRetention = 62
	// maxUnreadable bounds what a producer of rubbish can fill the database with.
	maxUnreadable = 1000
)

// forget is one chunk of deleting rows whose column is below end. It goes on where the last
// one has ended, so that it does not read again what that has deleted, and begins again once
// it has come to the end.
func (s *Store) forget(ctx context.Context, a *aged, end any) (rows int, more bool, err error) {
	var last *string
	err = s.Alone(ctx, "forget "+a.table, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, sql.Text(`
			with old as (
				select ctid, {column} as age from {table}
				where {column} >= coalesce($1::text::{kind}, {least}) and {column} < $2::{kind} {where}
				order by {column} limit $3
			), gone as (
				delete from {table} t using old where t.ctid = old.ctid returning old.age
			)
			select (select count(*) from gone), (select age::text from old order by age desc limit 1)`,
			"table", a.table, "column", a.column, "kind", a.kind, "least", a.min, "where", a.where),
			a.after, end, tables.HistoryChunk).Scan(&rows, &last)
	})
	if err != nil {
		return 0, false, db.Wrap(err, "forgetting rows of "+a.table)
	}
	if more = rows == tables.HistoryChunk; !more {
		last = nil
	}
	a.after = last
	return rows, more, nil
}

// ForgetKeys deletes the answers of requests that are older than a day.
func (s *Store) ForgetKeys(ctx context.Context) (rows int, more bool, err error) {
	return s.forget(ctx, s.keys, s.Now().Add(-schema.IdempotencyRetention-time.Hour))
}

// ForgetReceipts deletes receipts that nobody looks back to any more.
func (s *Store) ForgetReceipts(ctx context.Context) (rows int, more bool, err error) {
	return s.forget(ctx, s.receipts, s.Now().Add(-schema.ReceiptRetention-time.Hour))
}

// ForgetDeliveries deletes old deliveries. One that is still pending stays until it has ended.
func (s *Store) ForgetDeliveries(ctx context.Context) (rows int, more bool, err error) {
	return s.forget(ctx, s.deliveries, schema.FirstID[schema.DeliveryID](s.Now().Add(-s.Keep.Deliveries)))
}

// ForgetAttempts deletes attempts of long ago.
func (s *Store) ForgetAttempts(ctx context.Context) (rows int, more bool, err error) {
	return s.forget(ctx, s.attempts, s.Now().Add(-s.Keep.Attempts))
}

// ForgetReplies deletes replies that ended longer ago than posts are kept: first comments are
// among them for as long as their post is open.
func (s *Store) ForgetReplies(ctx context.Context) (rows int, more bool, err error) {
	return s.forget(ctx, s.replies, schema.FirstID[schema.DeliveryID](s.Now().Add(-s.Keep.Posts)))
}

// ForgetInbox deletes what is known of comments and mentions of long ago.
func (s *Store) ForgetInbox(ctx context.Context) (rows int, more bool, err error) {
	return s.forget(ctx, s.inbox, s.Now().Add(-s.Keep.Inbox))
}

// ForgetConsents deletes consents that have expired.
func (s *Store) ForgetConsents(ctx context.Context) (rows int, more bool, err error) {
	return s.forget(ctx, s.consents, s.Now())
}

// ForgetCounters deletes what was counted in days and months that are over: a unit of a day
// that is gone is given back to nobody.
func (s *Store) ForgetCounters(ctx context.Context) (rows int, more bool, err error) {
	end := s.Now().AddDate(0, 0, -counterRetention)
	days, more, err := s.forget(ctx, s.counters, end)
	if err != nil || more {
		return days, more, err
	}
	months, more, err := s.forget(ctx, s.usage, end)
	return days + months, more, err
}

// ForgetTurns deletes turns that nobody has taken for a day. They have no index of their
// time, which changes with each turn; there is one row an account at most.
func (s *Store) ForgetTurns(ctx context.Context) (rows int, more bool, err error) {
	err = s.Alone(ctx, "forget app_turns", func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `
			delete from app_turns where ctid = any(array(select ctid from app_turns where next_at < now() - interval '1 day' limit $1))
			  and next_at < now() - interval '1 day'`, tables.HistoryChunk)
		rows = int(tag.RowsAffected())
		return err
	})
	return rows, rows == tables.HistoryChunk, db.Wrap(err, "forgetting turns")
}

// ForgetFound deletes what monitors have found and cannot find again.
func (s *Store) ForgetFound(ctx context.Context) (rows int, more bool, err error) {
	err = s.Alone(ctx, "forget found_items", func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `
			delete from found_items where (monitor_id, item) in (
				select monitor_id, item from found_items where forget_at < now() order by forget_at limit $1)`, tables.HistoryChunk)
		rows = int(tag.RowsAffected())
		return err
	})
	return rows, rows == tables.HistoryChunk, db.Wrap(err, "forgetting what was found")
}

// ForgetWebhooks deletes the deliveries of a webhook that was deleted, with their jobs, and forgets
// the webhook after the last.
func (s *Store) ForgetWebhooks(ctx context.Context) (rows int, more bool, err error) {
	err = s.Alone(ctx, "forget deleted_webhooks", func(tx pgx.Tx) error {
		var id schema.WebhookID
		err := tx.QueryRow(ctx, `select id from deleted_webhooks order by id limit 1`).Scan((*[16]byte)(&id))
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, tables.DeleteDeliveries, []schema.WebhookID{id}, tables.HistoryChunk).Scan(&rows); err != nil {
			return err
		}
		more = true
		_, err = tx.Exec(ctx, `delete from deleted_webhooks where id = $1 and not exists (select from deliveries where webhook_id = $1)`, id)
		return err
	})
	return rows, more, db.Wrap(err, "deleting what is left of webhooks")
}

// ForgetDeadLetters deletes faults that were overcome, dead letters of more than 90 days ago, and all but
// the newest that nobody can read.
func (s *Store) ForgetDeadLetters(ctx context.Context) (rows int, more bool, err error) {
	err = s.Alone(ctx, "forget dead_letters", func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		for _, old := range []string{
			`dead_at is null and failed_at < now() - interval '1 day' order by failed_at`,
			`failed_at < now() - interval '90 days' order by failed_at`,
			fmt.Sprintf(`unreadable order by failed_at desc offset %d`, maxUnreadable),
		} {
			b.Queue(sql.Text(`delete from dead_letters where id in (select id from dead_letters where {old} limit $1)`, "old", old), tables.HistoryChunk).
				Exec(func(tag pgconn.CommandTag) error {
					rows += int(tag.RowsAffected())
					more = more || tag.RowsAffected() == tables.HistoryChunk
					return nil
				})
		}
		return tx.SendBatch(ctx, b).Close()
	})
	return rows, more, db.Wrap(err, "forgetting dead letters")
}
