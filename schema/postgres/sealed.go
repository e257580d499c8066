package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
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
	return accounts, db.Wrap(err, "reading sealed accounts")
}

// KeysetKeys returns the keys of the keyset that the installation is bound to; none where it is
// not bound yet.
func (s *Store) KeysetKeys(ctx context.Context) ([]schema.SealingKey, error) {
	rows, err := s.Pool.Query(ctx, `select unnest(keys) from installation_keyset`)
	keys, err := db.Collect(rows, err, func(row pgx.Row, key *schema.SealingKey) error { return row.Scan((*uint32)(key)) })
	return keys, db.Wrap(err, "reading which keyset seals")
}

// BindKeyset binds the installation to the keys of a keyset, and returns those that it is bound
// to: others, where another keyset came first. Whoever seals calls it before.
func (s *Store) BindKeyset(ctx context.Context, keys []schema.SealingKey) (bound []schema.SealingKey, err error) {
	_, err = s.Pool.Exec(ctx, `insert into installation_keyset (keys) values ($1) on conflict do nothing`, tables.KeyIDs(keys))
	if err != nil {
		return nil, db.Wrap(err, "binding the keyset")
	}
	return s.KeysetKeys(ctx)
}
