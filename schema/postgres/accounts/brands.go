package accounts

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
)

func scanBrand(row pgx.Row, b *schema.Brand) error {
	return row.Scan((*[16]byte)(&b.ID), (*[16]byte)(&b.Workspace), &b.Name, &b.CreatedAt, &b.UpdatedAt)
}

// Brands returns the brands of a workspace, oldest first.
func (s *Store) Brands(ctx context.Context, workspace schema.WorkspaceID) ([]schema.Brand, error) {
	rows, err := s.Pool.Query(ctx, `select id, workspace_id, name, created_at, updated_at from brands where workspace_id = $1 order by id`, workspace)
	brands, err := db.Collect(rows, err, scanBrand)
	return brands, db.Wrap(err, "reading brands")
}

// Brand returns a brand of a workspace.
func (s *Store) Brand(ctx context.Context, workspace schema.WorkspaceID, id schema.BrandID) (schema.Brand, error) {
	var b schema.Brand
	row := s.Pool.QueryRow(ctx, `select id, workspace_id, name, created_at, updated_at from brands where id = $1 and workspace_id = $2`, id, workspace)
	return b, db.OrNotFound(scanBrand(row, &b), "brand")
}

// maxBrands bounds the brands of a workspace: they are read, listed and cached all at once.
const maxBrands = 1000

// CreateBrand stores a new brand, unless the workspace has as many as it may; its name is the
// workspace's only one.
func (s *Store) CreateBrand(ctx context.Context, b schema.Brand) error {
	return brandError(pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		if err := tables.Admit(ctx, tx, b.Workspace, tables.Bound{Table: "brands", Max: maxBrands}); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `
			insert into brands (id, workspace_id, name, created_at, updated_at) values ($1, $2, $3, $4, $5)`,
			b.ID, b.Workspace, b.Name, b.CreatedAt, b.UpdatedAt)
		if err != nil {
			return err
		}
		return audit.Write(ctx, tx, s.Now(), audit.Entry{Workspace: b.Workspace, Subject: audit.Of("brand", b.ID, b.Name)})
	}))
}

// RenameBrand gives a brand another name.
func (s *Store) RenameBrand(ctx context.Context, workspace schema.WorkspaceID, id schema.BrandID, name string) (schema.Brand, error) {
	var b schema.Brand
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		var before string
		err := tx.QueryRow(ctx, `select name from brands where id = $1 and workspace_id = $2 for no key update`, id, workspace).Scan(&before)
		if err != nil {
			return err
		}
		row := tx.QueryRow(ctx, `
			update brands set name = $3, updated_at = $4 where id = $1 and workspace_id = $2 returning id, workspace_id, name, created_at, updated_at`, id, workspace, name, s.Now())
		if err := scanBrand(row, &b); err != nil {
			return err
		}
		return audit.Write(ctx, tx, s.Now(), audit.Entry{Workspace: workspace, Subject: audit.Of("brand", id, name), Changes: audit.Differences(
			people.Change{Field: "name", Before: before, After: name},
		)})
	})
	return b, brandError(err)
}

// DeleteBrand removes a brand; its accounts stay, in no brand. Posts keep naming it.
func (s *Store) DeleteBrand(ctx context.Context, workspace schema.WorkspaceID, id schema.BrandID) error {
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		// Whoever changes an account locks it before the brand: so does this.
		_, err := tx.Exec(ctx, `select from accounts where brand_id = $1 and workspace_id = $2 order by id for update`, id, workspace)
		if err != nil {
			return err
		}
		var name string
		err = tx.QueryRow(ctx, `delete from brands where id = $1 and workspace_id = $2 returning name`, id, workspace).Scan(&name)
		if err != nil {
			return db.OrNotFound(err, "brand")
		}
		b := &pgx.Batch{}
		b.Queue(`update accounts set brand_id = null where brand_id = $1 and workspace_id = $2`, id, workspace)
		audit.Queue(ctx, b, s.Now(), audit.Entry{Workspace: workspace, Subject: audit.Of("brand", id, name)})
		return tx.SendBatch(ctx, b).Close()
	})
	return db.Unavailable(err)
}

// brandError turns the violation of the unique name into an error for the caller.
func brandError(err error) error {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.ConstraintName == "brands_name" {
		return schema.InvalidField("name", "conflict", "another brand has this name")
	}
	return db.OrNotFound(err, "brand")
}
