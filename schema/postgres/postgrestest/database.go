package postgrestest

import (
	"fmt"

	"github.com/jackc/pgx/v5"

	"crier/schema"
)

// Exec runs a statement, as one that makes time pass.
func (f *Fixture) Exec(sql string) {
	f.Helper()
	_, err := f.Store.Pool.Exec(f.Context(), sql)
	f.Must(err)
}

// Count returns the number that a query answers with.
func (f *Fixture) Count(sql string) (n int) {
	f.Helper()
	f.Must(f.Store.Pool.QueryRow(f.Context(), sql).Scan(&n))
	return n
}

// Texts returns the texts that a query answers with.
func (f *Fixture) Texts(sql string) []string {
	f.Helper()
	rows, err := f.Store.Pool.Query(f.Context(), sql)
	f.Must(err)
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	f.Must(err)
	return texts
}

// UUIDText writes an id as PostgreSQL does.
func UUIDText(id schema.PostID) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// AccountUUIDText is UUIDText of an account.
func AccountUUIDText(id schema.AccountID) string { return UUIDText(schema.PostID(id)) }
