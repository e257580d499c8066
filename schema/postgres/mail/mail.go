// Package mail keeps what is to be sent by mail: which mails are due, what each of them says, and what somebody
// wants to get.
package mail

import (
	"io"

	"crier/schema/postgres/internal/db"
)

// Store keeps mail.
type Store struct {
	*db.DB
	random io.Reader // of the tokens in mails
}

// New returns the store of mail.
func New(d *db.DB, random io.Reader) *Store { return &Store{d, random} }
