package operation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"crier/schema"
	"crier/schema/lists"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// KeyUse is how many values of a column a key has sealed.
type KeyUse struct {
	Column string
	Key    schema.SealingKey
	Rows   int64
}

// KeyUses returns which keys have sealed what is stored.
func (a *Admin) KeyUses(ctx context.Context) ([]KeyUse, error) {
	uses, err := keyUses(ctx, a.Pool)
	return uses, db.Wrap(err, "counting what is sealed")
}

func keyUses(ctx context.Context, q db.Querier) ([]KeyUse, error) {
	var all []KeyUse
	for _, c := range tables.SealedColumns() {
		rows, err := q.Query(ctx, sql.Text(`
			select substring({column} for 5), count(*) from {table}
			where length({column}) >= 5 group by 1 order by 1`, "column", c.Column, "table", c.Table))
		uses, err := db.Collect(rows, err, func(row pgx.Row, u *KeyUse) error {
			var prefix []byte
			u.Column = c.Name()
			err := row.Scan(&prefix, &u.Rows)
			u.Key, _ = schema.SealedBy(prefix)
			return err
		})
		if err != nil {
			return nil, err
		}
		all = append(all, uses...)
	}
	return all, nil
}

// KeyHolders is how many processes run, and how many of them have a key.
type KeyHolders struct {
	Processes int
	Opening   int // with the key among their own
	Sealing   int // with the key as the primary one
}

// KeyHolders returns which running processes have a key. They tell by locks of the session
// that holds their identity.
func (a *Admin) KeyHolders(ctx context.Context, key schema.SealingKey) (h KeyHolders, err error) {
	err = a.Pool.QueryRow(ctx, `
		select count(distinct pid) filter (where classid = @seals::int4::oid),
			count(distinct pid) filter (where classid = @opens::int4::oid and objid = @key::int8::oid),
			count(distinct pid) filter (where classid = @seals::int4::oid and objid = @key::int8::oid)
		from pg_locks
		where locktype = 'advisory' and granted and objsubid = 2
		  and database = (select oid from pg_database where datname = current_database())`,
		pgx.StrictNamedArgs{"seals": tables.SealsLock, "opens": tables.OpensLock, "key": int64(key)},
	).Scan(&h.Processes, &h.Opening, &h.Sealing)
	return h, db.Wrap(err, "asking which processes have a key")
}

// Rotation is a rotation of the keyset: the only one, for as long as its session lives.
type Rotation struct {
	*Admin
	session *pgxpool.Conn
}

// ErrRotating refuses a rotation beside another.
var ErrRotating = errors.New("another process rotates the keyset")

// BeginRotation begins a rotation; it is ErrRotating where there is one.
func (a *Admin) BeginRotation(ctx context.Context) (*Rotation, error) {
	session, err := a.Pool.Acquire(ctx)
	if err != nil {
		return nil, db.Wrap(err, "beginning a rotation")
	}
	r := &Rotation{a, session}
	var mine bool
	err = session.QueryRow(ctx, `select pg_try_advisory_lock(hashtext('crier keyset rotation'))`).Scan(&mine)
	if err == nil && !mine {
		err = ErrRotating
	}
	if err != nil {
		r.End()
		return nil, db.Wrap(err, "beginning a rotation")
	}
	return r, nil
}

// End ends a rotation, finished or not, with the session that makes it the only one.
func (r *Rotation) End() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = r.session.Conn().Close(ctx) // the server ends the session by itself, too
	r.session.Release()
}

// Alone returns an error where another rotation may have begun since.
func (r *Rotation) Alone(ctx context.Context) error {
	_, err := r.session.Exec(ctx, `select 1`)
	return db.Wrap(err, "holding the rotation")
}

// Know adds keys to those that the installation is bound to, before they seal.
func (r *Rotation) Know(ctx context.Context, keys []schema.SealingKey) error {
	_, err := r.Pool.Exec(ctx, `
		update installation_keyset set keys = array(select distinct key from unnest(keys || $1::bigint[]) key order by 1)`, tables.KeyIDs(keys))
	return db.Wrap(err, "noting the keys of the rotation")
}

// resealed is how many values are sealed again in one transaction: some milliseconds.
const resealed = 200

// Reseal seals again what keys have sealed, column by column in the order of their keys, each
// chunk committed; progress is told how many values a chunk came to. What is written meanwhile
// is left to its writer and a later call. failed are the first values that do not open, for
// whoever looks at them.
func (r *Rotation) Reseal(ctx context.Context, by tables.Resealer, keys []schema.SealingKey, progress func(values int)) (failed []error, err error) {
	const maxFailed = 10
	for _, c := range tables.SealedColumns() {
		for after, more := c.FirstKey(), true; more; {
			chunk := resealing{column: c, by: by, keys: keys, after: after}
			err := pgx.BeginFunc(ctx, r.Pool, func(tx pgx.Tx) error { return chunk.run(ctx, tx) })
			if err != nil {
				return failed, db.Wrap(err, fmt.Sprintf("sealing %s again", c.Name()))
			}
			failed = append(failed, chunk.failed[:min(len(chunk.failed), maxFailed-len(failed))]...)
			progress(chunk.done)
			after, more = chunk.after, chunk.more
		}
	}
	return failed, nil
}

// resealing is one chunk of a column.
type resealing struct {
	column tables.SealedColumn
	by     tables.Resealer
	keys   []schema.SealingKey
	after  string // key of the last row that was looked at

	more   bool
	done   int
	failed []error
}

// run skips rows that somebody has locked: it holds many, and whoever waited for one of them
// while it waited for theirs would end in a deadlock.
func (c *resealing) run(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, sql.Text(`
		select {columns} from {table}
		where {key} > $1::text::{type} and substring({column} for 5) = any($2)
		order by {table}.{key} limit $3 for no key update skip locked`, c.names()...), c.after, lists.Map(c.keys, schema.SealingKey.Prefix), resealed)
	values, err := db.Collect(rows, err, c.column.Read)
	if err != nil {
		return err
	}
	b := &pgx.Batch{}
	for _, v := range values {
		again, err := v.Reseal(c.by)
		if err != nil {
			c.failed = append(c.failed, fmt.Errorf("%s of %s: %w", c.column.Name(), v.Key, err))
			continue
		}
		c.done++
		b.Queue(sql.Text(`update {table} set {column} = $1 where {key} = $2::text::{type}`, c.names()...), again, v.Key)
	}
	if len(values) > 0 {
		c.after = values[len(values)-1].Key
	}
	c.more = len(values) == resealed
	return tx.SendBatch(ctx, b).Close()
}

// names are those of the column in statements.
func (c *resealing) names() []string {
	return []string{
		"table", c.column.Table, "column", c.column.Column, "columns", c.column.Columns(), "key", c.column.Key, "type", c.column.KeyType,
	}
}

// Drop ends keys: from now on nothing is stored that they have sealed, and drop, which deletes
// them, is called. It does neither, and returns what needs them, where something does; and is
// ErrBackingUp while a backup is made, which is to hold the keys of all that it holds.
func (r *Rotation) Drop(ctx context.Context, keys []schema.SealingKey, drop func() error) (needed []KeyUse, err error) {
	var mine bool
	if err := r.session.QueryRow(ctx, `select pg_try_advisory_lock(hashtext('crier keyset drop'))`).Scan(&mine); err != nil {
		return nil, db.Wrap(err, "dropping keys")
	}
	if !mine {
		return nil, ErrBackingUp
	}
	defer func() {
		_, unlocking := r.session.Exec(context.WithoutCancel(ctx), `select pg_advisory_unlock(hashtext('crier keyset drop'))`)
		err = errors.Join(err, unlocking)
	}()
	err = pgx.BeginFunc(ctx, r.session, func(tx pgx.Tx) error {
		needed, err = endKeys(ctx, tx, keys)
		if err == nil && len(needed) > 0 {
			return errNeeded
		}
		return err
	})
	switch {
	case len(needed) > 0:
		return needed, nil
	case err != nil:
		return nil, db.Wrap(err, "dropping keys")
	}
	return nil, drop()
}

// ErrBackingUp refuses to drop keys while a backup is made.
var ErrBackingUp = errors.New("a backup is being made")

var errNeeded = errors.New("keys are needed")

// endKeys refuses what keys have sealed from now on, once those who store it have ended, and
// returns what is stored of it.
func endKeys(ctx context.Context, tx pgx.Tx, keys []schema.SealingKey) ([]KeyUse, error) {
	_, err := tx.Exec(ctx, `
		select pg_advisory_xact_lock(hashtextextended('crier key ' || encode(prefix, 'hex'), 0))
		from (select unnest($1::bytea[]) prefix order by 1) keys`, lists.Map(keys, schema.SealingKey.Prefix))
	if err != nil {
		return nil, err
	}
	uses, err := keyUses(ctx, tx)
	if err != nil {
		return nil, err
	}
	var needed []KeyUse
	for _, use := range uses {
		for _, key := range keys {
			if use.Key == key {
				needed = append(needed, use)
			}
		}
	}
	if len(needed) > 0 {
		return needed, nil
	}
	b := &pgx.Batch{}
	b.Queue(`insert into dropped_keys (prefix) select unnest($1::bytea[]) on conflict do nothing`, lists.Map(keys, schema.SealingKey.Prefix))
	b.Queue(`update installation_keyset set keys = array(select key from unnest(keys) key where key <> all($1::bigint[]))`, tables.KeyIDs(keys))
	return nil, tx.SendBatch(ctx, b).Close()
}
