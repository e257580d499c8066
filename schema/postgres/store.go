package postgres

import (
	"context"
	"sync/atomic"

	"crier/schema"
	"crier/schema/postgres/accounts"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/groupcommit"
)

// Store is what the stages share: the connections, group commits and counters.
type Store struct {
	*db.DB
	*accountHealth
	arrivals arrivals
	turns    *groupcommit.Group[turnsAsked]
	looks    *groupcommit.Group[looking]
	keys     atomic.Pointer[func(context.Context) NodeKeys] // see TellKeys
	restored atomic.Pointer[schema.Restore]                 // see NoteRestore
}

// Open connects; it fails when the server does not answer.
func Open(ctx context.Context, c Config) (*Store, error) {
	d, err := db.Open(ctx, c)
	if err != nil {
		return nil, err
	}
	s := &Store{DB: d, accountHealth: accounts.NewHealth(d), arrivals: newArrivals(c.Registerer)}
	s.startLeases()
	s.startLooks()
	return s, nil
}
