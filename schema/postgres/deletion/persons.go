package deletion

import (
	"context"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/accounts"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// EndPerson ends the accounts of a person who has taken the consent back, and returns how many
// are connected.
func (s *Store) EndPerson(ctx context.Context, p schema.Person) (n int, err error) {
	rows, err := s.Pool.Query(ctx, sql.Text(`select {account_columns} {accounts_of_person} and a.disconnected_at is null order by a.id`), p.Hash(), p.Platform, p.ID)
	found, err := db.Collect(rows, err, func(row pgx.Row, a *schema.Account) error { return tables.ScanAccount(row, a) })
	if err != nil {
		return 0, db.Wrap(err, "finding a person's accounts")
	}
	health := accounts.NewHealth(s.DB)
	takenBack := schema.ProblemOf(&schema.Error{Kind: schema.TokenDead, Message: "the person has taken the consent back"})
	for _, a := range found {
		if err := health.EndAccount(ctx, a, takenBack); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// DeletePerson deletes the accounts of a person with their data; the platform has confirmed it.
// They are found by the request, also where there are none.
func (s *Store) DeletePerson(ctx context.Context, request schema.DeletionID, p schema.Person) error {
	return s.InTx(ctx, "deleting a person's accounts", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, sql.Text(`select a.id, a.workspace_id {accounts_of_person} order by a.id for update of a`), p.Hash(), p.Platform, p.ID)
		found, err := db.Collect(rows, err, func(row pgx.Row, d *schema.Deletion) error {
			return row.Scan((*[16]byte)(&d.Account), (*[16]byte)(&d.Workspace))
		})
		if err != nil {
			return err
		}
		for _, d := range found {
			d.ID, d.AskedAt = schema.NewID[schema.DeletionID](s.Now()), s.Now()
			if err := insert(ctx, tx, d, row{request: request, workspaces: []schema.WorkspaceID{d.Workspace}}); err != nil {
				return err
			}
			if err := s.stop(ctx, tx, d); err != nil {
				return err
			}
		}
		if len(found) > 0 {
			return nil
		}
		_, err = tx.Exec(ctx, sql.Text(`
			insert into deletions (id, request, status, of_workspace, workspaces, asked_at, confirmed_at, stopped_at, ended_at)
			values ($1, $1, {deletion_done}, false, '{}', $2, $2, $2, $2)`), request, s.Now())
		return err
	})
}
