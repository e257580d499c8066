// Package migrations holds the statements that make the tables, forward only.
package migrations

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib" // goose migrates through database/sql
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"crier/schema/postgres/internal/db"
	"crier/schema/sleep"
)

//go:embed sql/*.sql
var files embed.FS

// Up brings the tables to this version of crier, forward only. Processes that
// migrate at once wait for each other. Tables of a newer version are refused.
func Up(ctx context.Context, url string) error {
	return onTables(ctx, url, func(provider *goose.Provider, pool *sql.DB) error {
		if err := refuseNewer(ctx, provider); err != nil {
			return err
		}
		if err := catchUp(ctx, pool); err != nil {
			return err
		}
		if err := upPatiently(ctx, provider); err != nil {
			return fmt.Errorf("migrating PostgreSQL: %w", err)
		}
		return nil
	})
}

const (
	// lockPatience is how long a migration tries for a table that others read or write.
	lockPatience = 10 * time.Minute
	lockRetry    = time.Second
)

// upPatiently migrates. A migration that needs a table alone asks for it for a fraction of a
// second (lock_timeout), since all others wait behind it meanwhile; it is tried again where it
// did not get it.
func upPatiently(ctx context.Context, provider *goose.Provider) error {
	for until := time.Now().Add(lockPatience); ; {
		_, err := provider.Up(ctx)
		pg, ok := errors.AsType[*pgconn.PgError](err)
		if !ok || pg.Code != lockNotAvailable || time.Now().After(until) {
			return err
		}
		if sleep.For(ctx, lockRetry) != nil {
			return err
		}
	}
}

const lockNotAvailable = "55P03"

// catchUp brings the sequence of goose's table to its rows. With wal_level minimal the
// sequence of a table that is made in the same transaction is not logged: where PostgreSQL
// is killed before its first checkpoint it falls behind, and no migration could be noted.
func catchUp(ctx context.Context, pool *sql.DB) error {
	_, err := pool.ExecContext(ctx, `
		select setval('goose_db_version_id_seq', max(id)) from goose_db_version
		having max(id) > (select last_value from goose_db_version_id_seq)`)
	return db.Wrap(err, "reading which migrations there were")
}

// Check returns an error that says what to run where the tables are of an older
// version of crier, or a newer one.
func Check(ctx context.Context, url string) error {
	return onTables(ctx, url, func(provider *goose.Provider, _ *sql.DB) error {
		if err := refuseNewer(ctx, provider); err != nil {
			return err
		}
		pending, err := provider.HasPending(ctx)
		if err != nil {
			return fmt.Errorf("looking at the tables of PostgreSQL: %w", err)
		}
		if pending {
			return errors.New("the tables of PostgreSQL are not of this version: run crier migrate with the same --postgres")
		}
		return nil
	})
}

// refuseNewer is an error where the tables are of a newer version of crier: what this one
// does not know of, such as who holds a claim, it would not keep to.
func refuseNewer(ctx context.Context, provider *goose.Provider) error {
	there, known, err := provider.GetVersions(ctx)
	if err != nil {
		return db.Wrap(db.Explain(err), "looking at the tables of PostgreSQL")
	}
	if there > known {
		return fmt.Errorf("the tables of PostgreSQL are of a newer version of crier (migration %d, this one knows %d): start that version, or restore a backup that is older into an empty PostgreSQL", there, known)
	}
	return nil
}

// onTables runs work once the server has answered.
func onTables(ctx context.Context, url string, work func(*goose.Provider, *sql.DB) error) error {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("opening PostgreSQL: %w", db.WithoutPassword(err))
	}
	db.WithoutLimits(config)
	pool := stdlib.OpenDB(*config)
	defer pool.Close()
	first, cancel := context.WithTimeout(ctx, db.FirstAnswer(config))
	defer cancel()
	if err := pool.PingContext(first); err != nil {
		return fmt.Errorf("connecting to PostgreSQL: %w", db.Explain(err))
	}
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return err
	}
	statements, err := fs.Sub(files, "sql")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, pool, statements, goose.WithSessionLocker(locker))
	if err != nil {
		return err
	}
	return work(provider, pool)
}

// To brings the tables of a new database to the version that a backup was made at.
func To(ctx context.Context, url string, version int64) error {
	return onTables(ctx, url, func(provider *goose.Provider, _ *sql.DB) error {
		current, known, err := provider.GetVersions(ctx)
		switch {
		case err != nil:
			return fmt.Errorf("looking at the tables of PostgreSQL: %w", err)
		case version > known:
			return errors.New("the backup is of a newer version of crier")
		case current > version:
			return errors.New("the tables of PostgreSQL are newer than the backup's: restore into a database that was not migrated")
		}
		if _, err := provider.UpTo(ctx, version); err != nil {
			return fmt.Errorf("migrating PostgreSQL: %w", err)
		}
		return nil
	})
}
