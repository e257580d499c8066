package postgres

import (
	"context"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/accounts"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/groupcommit"
)

// Store is what the stages share: the connections, group commits and counters.
type Store struct {
	*db.DB
	*accounts.Health // of accounts with their platforms, which the stages note
	arrivals         arrivals
	turns            *groupcommit.Group[turnLease]
	looks            *groupcommit.Group[looking]
	keys             atomic.Pointer[func(context.Context) NodeKeys] // see TellKeys
	restored         atomic.Pointer[schema.Restore]                 // see NoteRestore
}

// Open connects; it fails when the server does not answer.
func Open(ctx context.Context, c Config) (*Store, error) {
	d, err := db.Open(ctx, c)
	if err != nil {
		return nil, err
	}
	s := &Store{DB: d, Health: accounts.NewHealth(d), arrivals: newArrivals(c.Registerer)}
	s.startLeases()
	s.startLooks()
	return s, nil
}

// Hosts returns where the calls for accounts go, of those that there are.
func (s *Store) Hosts(ctx context.Context, accounts []schema.AccountID) (map[schema.AccountID]schema.Host, error) {
	rows, err := s.Pool.Query(ctx, `
		select id, platform, server from accounts where id = any(@accounts::uuid[])`,
		pgx.StrictNamedArgs{"accounts": accounts})
	hosts, err := db.CollectMap(rows, err, func(row pgx.Row, id *schema.AccountID, h *schema.Host) error {
		return row.Scan((*[16]byte)(id), &h.Platform, &h.Server)
	})
	return hosts, db.Wrap(err, "reading the servers of accounts")
}
