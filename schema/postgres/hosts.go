package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
)

// Hosts returns where the calls for accounts go, of those that there are.
func (s *Store) Hosts(ctx context.Context, accounts []schema.AccountID) (map[schema.AccountID]schema.Host, error) {
	rows, err := s.Pool.Query(ctx, `
		select id, platform, server from accounts where id = any(@accounts::uuid[])`,
		pgx.StrictNamedArgs{"accounts": accounts})
	if err != nil {
		return nil, fmt.Errorf("reading the servers of accounts: %w", db.Unavailable(err))
	}
	hosts := make(map[schema.AccountID]schema.Host, len(accounts))
	var account schema.AccountID
	var host schema.Host
	_, err = pgx.ForEachRow(rows, []any{(*[16]byte)(&account), &host.Platform, &host.Server}, func() error {
		hosts[account] = host
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the servers of accounts: %w", db.Unavailable(err))
	}
	return hosts, nil
}
