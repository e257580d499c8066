package tables

import (
	"bytes"
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"crier/schema"
	"crier/schema/postgres/internal/db"
)

// TakeKey keeps the answer of a request under its idempotency key, in the transaction of its
// effect. If the key was used in the last 24 hours it returns the answer of that request, or
// IdempotencyConflict if that one had another body. Without a key nothing is kept.
func TakeKey(ctx context.Context, tx pgx.Tx, key *schema.Idempotency, response []byte) (first []byte, known bool, err error) {
	if key == nil {
		return nil, false, nil
	}
	taken := false
	b := &pgx.Batch{}
	InsertKeys.Queue(b, pgx.StrictNamedArgs{
		"lineages": db.IDColumn([]schema.KeyID{key.Lineage}), "keys": []string{key.Key}, "fingerprints": [][]byte{key.Fingerprint[:]},
		"responses": [][]byte{response},
	}).Exec(func(tag pgconn.CommandTag) error { taken = tag.RowsAffected() > 0; return nil })
	if err := tx.SendBatch(ctx, b).Close(); err != nil || taken {
		return nil, false, err
	}
	var fingerprint []byte
	err = tx.QueryRow(ctx, `select fingerprint, response from idempotency where lineage = $1 and key = $2`, key.Lineage, key.Key).Scan(&fingerprint, &first)
	switch {
	case errors.Is(err, pgx.ErrNoRows): // it was forgotten meanwhile
		return nil, false, ErrKeyConflict()
	case err != nil:
		return nil, false, err
	case !bytes.Equal(fingerprint, key.Fingerprint[:]):
		return nil, false, ErrKeyConflict()
	}
	return first, true, nil
}

// InsertKeys takes idempotency keys that nobody has used in the last 24 hours and returns
// them. A key whose first request is not committed yet is waited for.
var InsertKeys = db.NewStatement(`
	insert into idempotency as i (lineage, key, fingerprint, response)
	select * from unnest(@lineages::uuid[], @keys::text[], @fingerprints::bytea[], @responses::bytea[])
	on conflict (lineage, key) do update
		set fingerprint = excluded.fingerprint, response = excluded.response, created_at = now()
		where i.created_at < now() - interval '24 hours'
	returning lineage, key`)

// ErrKeyConflict refuses a key that was used with another request.
func ErrKeyConflict() error {
	return &schema.Error{
		Kind:    schema.IdempotencyConflict,
		Message: "this Idempotency-Key was used with another request in the last 24 hours",
	}
}
