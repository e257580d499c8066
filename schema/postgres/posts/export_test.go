package posts

import (
	"context"
	"io"

	"github.com/jackc/pgx/v5"

	"crier/schema"
)

// CreateTogether makes the posts of requests in one batch, as the committer of a group
// does, and returns how each is answered.
func (s *Store) CreateTogether(ctx context.Context, requests ...schema.Creation) []error {
	batch := make([]*creation, len(requests))
	for i, c := range requests {
		batch[i] = &creation{Creation: c, demands: s.demandsOf(c)}
	}
	errs := s.creations.Settle(ctx, batch)
	for i, err := range errs {
		_, errs[i] = batch[i].answer(err)
	}
	return errs
}

// Confirm finds out whether a transaction took place whose connection was lost at COMMIT.
func (s *Store) Confirm(ctx context.Context, conn *pgx.Conn, post schema.Post) error {
	return s.confirm(ctx, conn, []schema.Post{post}, io.ErrUnexpectedEOF)
}
