package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
)

// sealedSample is how many accounts are tried to tell whether a keyset is the right one:
// some may be damaged.
const sealedSample = 16

// SealedAccounts returns some accounts that have credentials, with only the fields that
// opening them needs.
func (s *Store) SealedAccounts(ctx context.Context) ([]schema.Account, error) {
	rows, err := s.Pool.Query(ctx, `select id, workspace_id, platform, sealed from accounts where sealed <> '' limit $1`, sealedSample)
	accounts, err := db.Collect(rows, err, func(row pgx.Row, a *schema.Account) error {
		return row.Scan((*[16]byte)(&a.ID), (*[16]byte)(&a.Workspace), &a.Platform, &a.Sealed)
	})
	if err != nil {
		return nil, fmt.Errorf("reading sealed accounts: %w", db.Unavailable(err))
	}
	return accounts, nil
}
