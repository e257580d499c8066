// Package maintenance is what goes on beside the work: far jobs come near, events that nobody
// handled are sent again, what is old is forgotten, and what should not be is found and
// repaired.
package maintenance

import (
	"crier/schema"
	"crier/schema/postgres/internal/db"
)

// Store is the store of delay's chores.
type Store struct {
	*db.DB
	round schema.PostID // how far the sweep's round over all posts is
}

// New returns the store of maintenance.
func New(d *db.DB) *Store { return &Store{DB: d} }
