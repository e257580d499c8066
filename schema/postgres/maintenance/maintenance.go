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
	promoted place
	cleared  clearing      // how far what hangs on posts that go is deleted
	archived ending        // how far the pass over what has ended is
	unnoted  schema.PostID // how far the round over posts is that nobody may have noted
	outbox   db.LowWater

	keys, receipts, deliveries, attempts, counters, usage, consents, replies, inbox *aged
}

// New returns the store of maintenance.
func New(d *db.DB) *Store {
	const moment, never = "timestamptz", "timestamptz '-infinity'"
	return &Store{
		DB:         d,
		keys:       &aged{table: "idempotency", column: "created_at", kind: moment, min: never},
		receipts:   &aged{table: "receipts", column: "seen_at", kind: moment, min: never},
		deliveries: &aged{table: "deliveries", column: "id", kind: "uuid", min: "{no_id}", where: "and state in {ended_deliveries}"},
		attempts:   &aged{table: "attempts", column: "at", kind: moment, min: never},
		consents:   &aged{table: "consents", column: "expires_at", kind: moment, min: never},
		counters:   &aged{table: "counters", column: "period", kind: "date", min: "date '-infinity'"},
		usage:      &aged{table: "plan_usage", column: "month", kind: "date", min: "date '-infinity'"},
		replies:    &aged{table: "comments", column: "id", kind: "uuid", min: "{no_id}", where: "and post_id is null and state not in {open_comments}"},
		inbox:      &aged{table: "inbox", column: "seen_at", kind: moment, min: never},
	}
}
