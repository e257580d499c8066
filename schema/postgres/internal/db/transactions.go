package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"crier/schema"
)

// InTx runs work in a transaction; its error says what was being done.
func (s *DB) InTx(ctx context.Context, doing string, work func(pgx.Tx) error) error {
	return Wrap(pgx.BeginFunc(ctx, s.Pool, work), doing)
}

// Announcing is InTx for work that returns what is to be announced once it is committed.
func (s *DB) Announcing(ctx context.Context, doing string, work func(pgx.Tx) (schema.Announcement, error)) error {
	var a schema.Announcement
	err := s.InTx(ctx, doing, func(tx pgx.Tx) (err error) {
		a, err = work(tx)
		return err
	})
	if err == nil {
		s.Announce(a)
	}
	return err
}

// Alone runs work in a transaction under an advisory lock; if another process holds that,
// it does nothing.
func (s *DB) Alone(ctx context.Context, name string, work func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		var mine bool
		if err := tx.QueryRow(ctx, `select pg_try_advisory_xact_lock(hashtext('crier ' || $1))`, name).Scan(&mine); err != nil || !mine {
			return err
		}
		if _, err := tx.Exec(ctx, `set local enable_seqscan = on`); err != nil {
			return err
		}
		return work(tx)
	})
}

// AloneOutside runs work on a connection that is in no transaction, and that no other process
// runs at the same time; where one does, it does nothing. A process that stands still keeps the
// others from it for a minute.
func (s *DB) AloneOutside(ctx context.Context, name string, work func(*pgx.Conn) error) error {
	return s.Pool.AcquireFunc(ctx, func(held *pgxpool.Conn) error {
		conn := held.Conn()
		var mine bool
		if err := conn.QueryRow(ctx, `select pg_try_advisory_lock(hashtext('crier ' || $1))`, name).Scan(&mine); err != nil || !mine {
			return err
		}
		defer func() { // a lock that stays with the session ends with it
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			if _, err := conn.Exec(ctx, `select pg_advisory_unlock(hashtext('crier ' || $1)), set_config('idle_session_timeout', '0', false)`, name); err != nil {
				_ = conn.Close(ctx)
			}
		}()
		// Longer than a chunk of work, which may be on another connection meanwhile.
		if _, err := conn.Exec(ctx, `set idle_session_timeout = '60s'`); err != nil {
			return err
		}
		return work(conn)
	})
}

// Abandon ends a transaction that failed, so that the connection can be used again.
func (s *DB) Abandon(ctx context.Context, conn *pgx.Conn, err error) error {
	if conn.IsClosed() || conn.PgConn().TxStatus() == 'I' {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if _, rollback := conn.Exec(ctx, "rollback"); rollback != nil {
		_ = conn.Close(ctx)
	}
	return err
}

// OnConnection runs work on one connection. Work begins and ends a transaction by its statements; after
// an error it is rolled back.
func (s *DB) OnConnection(ctx context.Context, work func(*pgx.Conn) error) error {
	return s.Pool.AcquireFunc(ctx, func(held *pgxpool.Conn) error {
		if err := work(held.Conn()); err != nil {
			return s.Abandon(ctx, held.Conn(), err)
		}
		return nil
	})
}

// Querier is a pool, a connection or a transaction.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Execer is a pool, a connection or a transaction.
type Execer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// ExecOr runs a statement; the error is none where it has changed no row, or locked none.
func ExecOr(ctx context.Context, q Execer, none error, statement string, args ...any) error {
	tag, err := q.Exec(ctx, statement, args...)
	if err == nil && tag.RowsAffected() == 0 {
		return none
	}
	return err
}

// Later runs work in a transaction that does not wait for the disk, with generic plans. If it is
// lost, the work is done once more, since the outbox sends again what is still marked.
func (s *DB) Later(ctx context.Context, work func(pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, s.Pool, pgx.TxOptions{BeginQuery: beginAsync}, work)
}

// Collect reads the rows of a query, each with scan.
func Collect[T any](rows pgx.Rows, err error, scan func(pgx.Row, *T) error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	return pgx.AppendRows([]T(nil), rows, func(row pgx.CollectableRow) (value T, err error) {
		err = scan(row, &value)
		return value, err
	})
}

// CollectInto returns what reads the rows of a queued statement, each with scan.
func CollectInto[T any](into *[]T, scan func(pgx.Row, *T) error) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*into, err = Collect(rows, nil, scan)
		return err
	}
}

// CollectMap reads the rows of a query, each with scan, which gives a value its key.
func CollectMap[K comparable, V any](rows pgx.Rows, err error, scan func(pgx.Row, *K, *V) error) (map[K]V, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := map[K]V{}
	for rows.Next() {
		var key K
		var value V
		if err := scan(rows, &key, &value); err != nil {
			return nil, err
		}
		all[key] = value
	}
	return all, rows.Err()
}
