package db

import (
	"github.com/jackc/pgx/v5"

	"crier/schema/postgres/internal/sql"
)

// QueueGenericPlans has the statements that follow in a transaction planned once by a connection
// and not at each call: planning is more than half of what short statements cost. Such a plan may
// be made while the tables are empty, and stays until they are analyzed. So it is for statements
// that look up each row by a key: without joins that read a whole table once their plan is the same at any size.
func QueueGenericPlans(b *pgx.Batch) {
	b.Queue(sql.Text(`select {generic_plans}`))
}

// QueueAsync is QueueGenericPlans for a transaction that does not wait for the disk either: what a
// crash of the server loses of it is done once more, and may be.
func QueueAsync(b *pgx.Batch) {
	b.Queue(sql.Text(`select set_config('synchronous_commit', 'off', true), {generic_plans}`))
}

// beginAsync begins a transaction as QueueAsync sets it, in one trip.
var beginAsync = sql.Text(`begin; select set_config('synchronous_commit', 'off', true), {generic_plans}`)
