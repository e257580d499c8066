package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"crier/schema"
)

// sealedSample is how many accounts tell whether a keyset is the right one: some may be
// damaged.
const sealedSample = 16

// SealedAccounts returns some accounts that have credentials, with what seals them alone;
// none where nothing is sealed.
func (s *Store) SealedAccounts(ctx context.Context) ([]schema.Account, error) {
	rows, err := s.pool.Query(ctx, `select id, workspace_id, platform, sealed from accounts where sealed <> '' limit $1`, sealedSample)
	accounts, err := collect(rows, err, func(rows pgx.Rows, a *schema.Account) error {
		return rows.Scan((*[16]byte)(&a.ID), (*[16]byte)(&a.Workspace), &a.Platform, &a.Sealed)
	})
	if err != nil {
		return nil, fmt.Errorf("reading sealed accounts: %w", unavailable(err))
	}
	return accounts, nil
}
