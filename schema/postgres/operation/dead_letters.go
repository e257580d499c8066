package operation

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// DeadLetters returns what stages have given up on, oldest first, after an id.
func (a *Admin) DeadLetters(ctx context.Context, after schema.DeadLetterID, limit int) ([]schema.DeadLetter, error) {
	rows, err := a.Pool.Query(ctx, sql.Text(`
		select {dead_letter_columns} from dead_letters l
		where l.dead_at is not null and l.id > coalesce($1::uuid, {no_id}) order by l.id limit $2`), after, limit)
	letters, err := db.Collect(rows, err, tables.ScanDeadLetter)
	return letters, db.Wrap(err, "reading dead letters")
}

// replayBatch is how many dead letters are put back in one transaction: it holds their
// posts locked.
const replayBatch = 100

// Replay puts dead letters back and returns how many of ids were dead. Each is done once:
// what has ended or was done since is left as it is.
func (a *Admin) Replay(ctx context.Context, ids []schema.DeadLetterID) (replayed int, err error) {
	for batch := range slices.Chunk(ids, replayBatch) {
		letters, err := a.replayWhere(ctx, `l.id = any($1)`, batch)
		if err != nil {
			return replayed, err
		}
		replayed += len(letters)
	}
	return replayed, nil
}

// ReplayAll puts every dead letter back, oldest first, each once, in one transaction a
// batch, and returns how many. After each batch progress gets how many there are so far:
// whoever ends here has those replayed, and the next call continues with the rest.
func (a *Admin) ReplayAll(ctx context.Context, progress func(replayed int)) (replayed int, err error) {
	var last schema.DeadLetterID
	for {
		letters, err := a.replayWhere(ctx, `l.id > coalesce($1::uuid, {no_id})`, last)
		if err != nil || len(letters) == 0 {
			return replayed, err
		}
		replayed += len(letters)
		last = letters[len(letters)-1].ID
		progress(replayed)
	}
}

// replayWhere puts the oldest dead letters of a condition back, at most replayBatch.
func (a *Admin) replayWhere(ctx context.Context, condition string, of any) (letters []schema.DeadLetter, err error) {
	err = a.InTx(ctx, "replaying dead letters", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, sql.Text(`
			select {dead_letter_columns} from dead_letters l
			where l.dead_at is not null and l.replay_at is null and {condition}
			order by l.id limit $2 for update`, "condition", condition), of, replayBatch)
		if letters, err = db.Collect(rows, err, tables.ScanDeadLetter); err != nil {
			return err
		}
		for _, l := range inLockOrder(letters) {
			if err := a.replay(ctx, tx, l); err != nil {
				return fmt.Errorf("%s: %w", l.ID, err)
			}
		}
		return a.tellNumber(ctx, tx, "dead letters", len(letters))
	})
	return letters, err
}

// inLockOrder returns letters in the order in which everybody locks what they are about.
func inLockOrder(letters []schema.DeadLetter) []schema.DeadLetter {
	return slices.SortedFunc(slices.Values(letters), func(a, b schema.DeadLetter) int {
		return bytes.Compare(a.Subject.ID[:], b.Subject.ID[:])
	})
}

func (a *Admin) replay(ctx context.Context, tx pgx.Tx, l schema.DeadLetter) error {
	if l.Unreadable {
		_, err := tx.Exec(ctx, `update dead_letters set replay_at = now() where id = $1`, l.ID)
		return err
	}
	if _, err := tx.Exec(ctx, `delete from dead_letters where id = $1`, l.ID); err != nil {
		return err
	}
	b := &pgx.Batch{}
	id := db.IDValue(l.Subject.ID)
	switch l.Stage {
	case schema.TopicPublish:
		b.Queue(tables.LockPost, id)
		b.Queue(sql.Text(`update targets set next_at = now() where post_id = $1 and n = $2 and state = {target_pending}`), id, l.Subject.N)
		_, err := tables.MoveJobsOf(ctx, tx, b, []schema.PostID{l.Subject.ID}, a.Now()) // delay finds the job by itself
		return err
	case schema.TopicComment:
		b.Queue(sql.Text(`update comments set next_at = now() where id = $1 and state = {comment_pending}`), id)
		b.Queue(`update jobs set due_at = now() where id = $1`, id)
	case schema.TopicNotify:
		b.Queue(sql.Text(`update deliveries set state = {delivery_pending}, attempts = 0, error = '', next_at = now() where id = $1 and state = {delivery_failed}`), id)
		b.Queue(sql.Text(`
			insert into jobs (id, kind, shard, due_at, payload)
			select $1, $2, $3, now(), $4::text::json from deliveries where id = $1 and state = {delivery_pending} on conflict (id) do nothing`),
			id, int16(schema.JobNotify), schema.ShardOf([16]byte(l.Message.Key)), string(l.Message.Value))
	case schema.TopicRefresh:
		b.Queue(`update accounts set renew_at = now() where id = $1 and renew_at is not null and renew_lease is null`, id)
		b.Queue(`update jobs set due_at = now() where id = $1`, id)
	case schema.TopicCollect:
		b.Queue(`update collections set due_at = now() where id = $1 and due_at is not null and lease_until is null`, id)
		b.Queue(`update jobs set due_at = now() where id = $1`, id)
	case schema.TopicDelay:
		return nil // the sweep has made a job that can be read
	case schema.StageAnalytics:
		id, value := a.ownBatch(l)
		b.Queue(oweAgain, id, int16(schema.OwedAnalytics), value)
	default:
		b.Queue(oweAgain, id, int16(tables.MarkOf(l.Stage)), l.Message.Value)
	}
	return tx.SendBatch(ctx, b).Close()
}

const oweAgain = `
	insert into outbox as o (id, owed, sent_at, payload) values ($1, $2, now() - interval '1 hour', $3)
	on conflict (id) do update set owed = o.owed | excluded.owed, sent_at = excluded.sent_at`

// ownBatch makes events that ClickHouse refused a batch of their own: what was stored of
// the batch they came in keeps its place, and they get one that no reader has passed.
func (a *Admin) ownBatch(l schema.DeadLetter) (id db.IDValue, value []byte) {
	var batch schema.EventBatch
	if json.Unmarshal(l.Message.Value, &batch) != nil { // it dies again, in sight
		return db.IDValue(l.Subject.ID), l.Message.Value
	}
	batch.ID = schema.NewID[schema.BatchID](a.Now())
	return db.IDValue(batch.ID), db.Encode(batch)
}
