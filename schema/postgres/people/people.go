// Package people keeps users, their memberships and their sessions.
package people

import "crier/schema/postgres/internal/db"

// Store keeps people.
type Store struct{ *db.DB }
