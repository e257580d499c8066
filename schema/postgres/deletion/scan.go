package deletion

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/lists"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// scanBlocks is how many blocks of a table, of 8 KiB, are read at a time.
const scanBlocks = 2000

// scanned are tables without an index by which a workspace or an account is found in them. They
// are read whole, block by block. @workspaces are what is deleted or where it is, @names the ids of
// what is deleted as they stand in documents, @none the zero id.
type scanned struct {
	table   string // with its partitions
	matches string
	// instead is what becomes of a row where an account goes and its row stays; empty: it goes.
	instead string
	jobs    bool // of its rows go, too
}

func (w *work) scanned() []scanned {
	const inPayload = `exists (select from unnest(@names::text[]) u (id) where strpos(payload::text, u.id) > 0)`
	const inBody = `exists (select from unnest(@names::text[]) u (id) where position(convert_to(u.id, 'UTF8') in body) > 0)`
	const inValue = `exists (select from unnest(@names::text[]) u (id) where position(convert_to(u.id, 'UTF8') in value) > 0)`
	ofWorkspace := `workspace_id = any(@workspaces)`
	if !w.whole {
		return []scanned{
			{table: "jobs", matches: inPayload, instead: `payload = replace(payload::text, (@names::text[])[1], @none)::json`},
			{table: "jobs_far", matches: inPayload, instead: `payload = replace(payload::text, (@names::text[])[1], @none)::json`},
			{table: "deliveries", matches: ofWorkspace + ` and ` + inBody, jobs: true},
			{table: "dead_letters", matches: inValue},
		}
	}
	return []scanned{
		{table: "jobs", matches: inPayload}, {table: "jobs_far", matches: inPayload}, {table: "deliveries", matches: ofWorkspace},
		{table: "duplicates", matches: ofWorkspace}, {table: "dead_letters", matches: inValue},
	}
}

// names are the ids of what is deleted as documents hold them.
func (w *work) names() []string {
	if w.whole {
		return lists.Map(w.workspaces, schema.WorkspaceID.String)
	}
	return []string{w.account.String()}
}

// scan is one stretch of the tables that are read whole.
func (w *work) scan(ctx context.Context, tx pgx.Tx) (gone removed, more bool, err error) {
	relations, err := w.relations(ctx, tx)
	if err != nil {
		return removed{}, false, err
	}
	for left := int64(scanBlocks); left > 0 && w.cursor.relation < len(relations); {
		at := relations[w.cursor.relation]
		stretch := min(left, max(at.blocks-w.cursor.block, 0))
		left -= stretch + 1
		n, err := w.scanStretch(ctx, tx, at, w.cursor.block+stretch)
		if err != nil {
			return gone, false, err
		}
		gone.rows += n
		if w.cursor.block += stretch; w.cursor.block >= at.blocks {
			w.cursor.relation, w.cursor.block = w.cursor.relation+1, 0
		}
	}
	return gone, w.cursor.relation < len(relations), nil
}

// scanStretch removes what is found between the cursor and a block.
func (w *work) scanStretch(ctx context.Context, tx pgx.Tx, at relation, end int64) (rows int, err error) {
	statement := deleteStretch
	switch {
	case at.instead != "":
		statement = updateStretch
	case at.jobs:
		statement = deleteStretchWithJobs
	}
	err = tx.QueryRow(ctx, sql.Text(statement, "table", at.name, "matches", at.matches, "instead", at.instead,
		"begin", strconv.FormatInt(w.cursor.block, 10), "end", strconv.FormatInt(end, 10)),
		pgx.StrictNamedArgs{"workspaces": w.workspaces, "names": w.names(), "none": schema.AccountID{}.String()}).Scan(&rows)
	return rows, err
}

// What becomes of the rows that a deletion finds from one block of a table to another.
const (
	deleteStretch = `
	with given as (select @workspaces::uuid[] workspaces, @names::text[] names, @none::text none), gone as (
		delete from {table} where ctid >= '({begin},0)'::tid and ctid < '({end},0)'::tid and {matches} returning 1
	)
	select count(*) from gone, given`

	updateStretch = `
	with given as (select @workspaces::uuid[] workspaces, @names::text[] names, @none::text none), gone as (
		update {table} set {instead} where ctid >= '({begin},0)'::tid and ctid < '({end},0)'::tid and {matches} returning 1
	)
	select count(*) from gone, given`

	deleteStretchWithJobs = `
	with given as (select @workspaces::uuid[] workspaces, @names::text[] names, @none::text none), gone as (
		delete from {table} where ctid >= '({begin},0)'::tid and ctid < '({end},0)'::tid and {matches} returning id
	), jobs as (
		delete from jobs j using gone where j.id = gone.id
	)
	select count(*) from gone, given`
)

// relation is a table or a partition that is read whole.
type relation struct {
	scanned
	name   string
	blocks int64
}

// relations are the tables to be read, each partition by itself.
func (w *work) relations(ctx context.Context, tx pgx.Tx) (all []relation, err error) {
	for _, s := range w.scanned() {
		rows, err := tx.Query(ctx, `
			select c.oid::regclass::text, pg_relation_size(c.oid) / current_setting('block_size')::int from pg_class c
			where c.relkind = 'r' and (c.oid = to_regclass($1) or exists (select from pg_inherits i where i.inhrelid = c.oid and i.inhparent = to_regclass($1)))
			order by 1`, s.table)
		found, err := db.Collect(rows, err, func(row pgx.Row, r *relation) error { return row.Scan(&r.name, &r.blocks) })
		if err != nil {
			return nil, err
		}
		for _, r := range found {
			r.scanned = s
			all = append(all, r)
		}
	}
	return all, nil
}

// outboxChunk is how many batches of events are looked at in one transaction.
const outboxChunk = 200

// outbox takes the events out of batches that nobody has handled yet. What is left of a batch
// becomes another one of its time and place: a message of the old one is owed nothing.
func (w *work) outbox(ctx context.Context, tx pgx.Tx) (gone removed, more bool, err error) {
	type batch struct {
		id      schema.BatchID
		payload []byte
	}
	rows, err := tx.Query(ctx, sql.Text(`
		select id from outbox o
		where id > coalesce($1::uuid, {no_id}) and exists (select from unnest($2::text[]) u (name) where position(convert_to(u.name, 'UTF8') in o.payload) > 0)
		order by id limit $3`), schema.BatchID(w.cursor.id), w.names(), outboxChunk)
	ids, err := db.Collect(rows, err, db.ScanID[schema.BatchID])
	if err != nil || len(ids) == 0 {
		return removed{}, false, err
	}
	// The batches leave with a position passed, as all do: see restores.Store.Unknown. It is passed before
	// they are locked, in the order of the sink.
	if _, err := tables.NextPosition(ctx, tx); err != nil {
		return removed{}, false, err
	}
	rows, err = tx.Query(ctx, `select id, payload from outbox where id = any($1) order by id for update`, ids)
	found, err := db.Collect(rows, err, func(row pgx.Row, b *batch) error { return row.Scan((*[16]byte)(&b.id), &b.payload) })
	if err != nil {
		return removed{}, false, err
	}
	b := &pgx.Batch{}
	for _, stored := range found {
		var events schema.EventBatch
		if err := json.Unmarshal(stored.payload, &events); err != nil {
			return removed{}, false, err
		}
		before := len(events.Events)
		events.Events = slices.DeleteFunc(events.Events, w.isIts)
		gone.rows += before - len(events.Events)
		if events.ID = schema.NewID[schema.BatchID](stored.id.Time()); len(events.Events) > 0 {
			b.Queue(`
				insert into outbox (id, owed, sent_at, payload, position) select $2, owed, sent_at, $3, position from outbox where id = $1`,
				stored.id, events.ID, db.Encode(events))
		}
		b.Queue(`delete from outbox where id = $1`, stored.id)
		b.Queue(`delete from dead_letters where stage = any($1) and subject = $2`, []string{schema.StageExpand, schema.StageAnalytics}, stored.id)
	}
	w.cursor.id = ids[len(ids)-1]
	return gone, len(ids) == outboxChunk, tx.SendBatch(ctx, b).Close()
}

// isIts reports whether an event is of what is deleted, or names it.
func (w *work) isIts(e schema.Event) bool {
	if w.whole {
		return slices.Contains(w.workspaces, e.Workspace)
	}
	return slices.Contains(w.workspaces, e.Workspace) && (e.Account == w.account || bytes.Contains(e.Data, []byte(w.account.String())))
}
