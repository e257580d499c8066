package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	_ "github.com/jackc/pgx/v5/stdlib" // goose migrates through database/sql
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate brings the tables to this version of crier, forward only. Processes that
// migrate at once wait for each other. Tables of a newer version are refused.
func Migrate(ctx context.Context, url string) error {
	provider, db, err := newProvider(url)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := refuseNewer(ctx, provider); err != nil {
		return err
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrating PostgreSQL: %w", err)
	}
	return nil
}

// CheckMigrated returns an error that says what to run where the tables are of an older
// version of crier, or a newer one.
func CheckMigrated(ctx context.Context, url string) error {
	provider, db, err := newProvider(url)
	if err != nil {
		return err
	}
	defer db.Close()
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
}

// refuseNewer is an error where the tables are of a newer version of crier: what this one
// does not know of, such as who holds a claim, it would not keep to.
func refuseNewer(ctx context.Context, provider *goose.Provider) error {
	there, known, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("looking at the tables of PostgreSQL: %w", unavailable(err))
	}
	if there > known {
		return fmt.Errorf("the tables of PostgreSQL are of a newer version of crier (migration %d, this one knows %d): start that version, or restore a backup that is older into an empty PostgreSQL", there, known)
	}
	return nil
}

func newProvider(url string) (*goose.Provider, *sql.DB, error) {
	db, err := sql.Open("pgx", url)
	if err != nil {
		return nil, nil, fmt.Errorf("opening PostgreSQL: %w", withoutPassword(err))
	}
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithSessionLocker(locker))
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return provider, db, nil
}
