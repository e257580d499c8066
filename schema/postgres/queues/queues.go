// Package queues keeps queues and gives out their slots, each once.
package queues

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/slots"
	"crier/schema/postgres/internal/sql"
)

// Store keeps queues and their slots.
type Store struct{ *db.DB }

// maxQueues bounds the queues of a workspace: their list is not paged.
const maxQueues = 100

// Queues returns the queues of a workspace, oldest first.
func (s *Store) Queues(ctx context.Context, workspace schema.WorkspaceID) ([]schema.Queue, error) {
	rows, err := s.Pool.Query(ctx, sql.Text(`select {queue_columns} from queues q where q.workspace_id = $1 order by q.id`), workspace)
	queues, err := db.Collect(rows, err, slots.ScanQueue)
	return queues, db.Wrap(err, "reading queues")
}

// Queue returns a queue of a workspace.
func (s *Store) Queue(ctx context.Context, workspace schema.WorkspaceID, id schema.QueueID) (schema.Queue, error) {
	var q schema.Queue
	row := s.Pool.QueryRow(ctx, sql.Text(`select {queue_columns} from queues q where q.id = $1 and q.workspace_id = $2`), id, workspace)
	return q, db.OrNotFound(slots.ScanQueue(row, &q), "queue")
}

// CreateQueue makes a queue. The first of a brand, or of the workspace, is its default;
// a new default takes the place of the old one.
func (s *Store) CreateQueue(ctx context.Context, q schema.Queue) (schema.Queue, error) {
	err := s.InTx(ctx, "creating a queue", func(tx pgx.Tx) error {
		if err := lockQueues(ctx, tx, q.Workspace); err != nil {
			return err
		}
		var all int
		var another bool
		err := tx.QueryRow(ctx, `
			select count(*), coalesce(bool_or(is_default and brand_id is not distinct from $2), false)
			from queues where workspace_id = $1`, q.Workspace, q.Brand).Scan(&all, &another)
		if err != nil {
			return err
		}
		if all >= maxQueues {
			return &schema.Error{Kind: schema.InvalidState, Message: fmt.Sprintf("the workspace has %d queues, as many as it may; delete one first", maxQueues)}
		}
		q.Default = q.Default || !another
		if err := yieldDefault(ctx, tx, q); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `
			insert into queues (id, workspace_id, brand_id, name, timezone, slots, is_default, created_at, updated_at)
			values (@id, @workspace, @brand, @name, @timezone, @slots, @default, @created, @updated)`, pgx.StrictNamedArgs{
			"id": q.ID, "workspace": q.Workspace, "brand": q.Brand, "name": q.Name, "timezone": q.Timezone, "slots": db.Encode(q.Slots),
			"default": q.Default, "created": q.CreatedAt, "updated": q.UpdatedAt,
		})
		if err != nil {
			return err
		}
		return audit.Write(ctx, tx, s.Now(), entry(q, schema.Queue{}))
	})
	return q, err
}

// UpdateQueue runs change on the locked queue and stores what it made of it. Posts that
// are placed already stay where they are.
func (s *Store) UpdateQueue(ctx context.Context, workspace schema.WorkspaceID, id schema.QueueID, change func(*schema.Queue) error) (schema.Queue, error) {
	var q schema.Queue
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		if err := lockQueues(ctx, tx, workspace); err != nil {
			return err
		}
		row := tx.QueryRow(ctx, sql.Text(`select {queue_columns} from queues q where q.id = $1 and q.workspace_id = $2 for no key update`), id, workspace)
		if err := slots.ScanQueue(row, &q); err != nil {
			return err
		}
		before := q
		if err := change(&q); err != nil {
			return err
		}
		q.UpdatedAt = s.Now()
		if err := yieldDefault(ctx, tx, q); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `
			update queues set name = @name, timezone = @timezone, slots = @slots, is_default = @default, updated_at = @updated
			where id = @id`, pgx.StrictNamedArgs{
			"id": q.ID, "name": q.Name, "timezone": q.Timezone, "slots": db.Encode(q.Slots), "default": q.Default, "updated": q.UpdatedAt,
		})
		if err != nil {
			return err
		}
		return audit.Write(ctx, tx, s.Now(), entry(q, before))
	})
	return q, db.OrNotFound(err, "queue")
}

// lockQueues lets one change at a time decide which queue is the default.
func lockQueues(ctx context.Context, tx pgx.Tx, workspace schema.WorkspaceID) error {
	_, err := tx.Exec(ctx, `select from workspaces where id = $1 for no key update`, workspace)
	return err
}

// yieldDefault makes room for a default.
func yieldDefault(ctx context.Context, tx pgx.Tx, q schema.Queue) error {
	if !q.Default {
		return nil
	}
	_, err := tx.Exec(ctx, `
		update queues set is_default = false
		where workspace_id = $1 and brand_id is not distinct from $2 and id <> $3 and is_default`, q.Workspace, q.Brand, q.ID)
	return err
}

// DeleteQueue removes a queue. Posts that are placed in it keep their times.
func (s *Store) DeleteQueue(ctx context.Context, workspace schema.WorkspaceID, id schema.QueueID) error {
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		var name string
		err := tx.QueryRow(ctx, `delete from queues where id = $1 and workspace_id = $2 returning name`, id, workspace).Scan(&name)
		if err != nil {
			return db.OrNotFound(err, "queue")
		}
		b := &pgx.Batch{}
		b.Queue(`delete from queue_slots where queue_id = $1`, id)
		audit.Queue(ctx, b, s.Now(), audit.Entry{Workspace: workspace, Subject: audit.Of("queue", id, name)})
		return tx.SendBatch(ctx, b).Close()
	})
	return db.Unavailable(err)
}

// entry is what the audit log says of a queue that is made, or changed.
func entry(q, before schema.Queue) audit.Entry {
	return audit.Entry{Workspace: q.Workspace, Subject: audit.Of("queue", q.ID, q.Name), Changes: audit.Differences(
		people.Change{Field: "name", Before: before.Name, After: q.Name},
		people.Change{Field: "timezone", Before: before.Timezone, After: q.Timezone},
		people.Change{Field: "slots", Before: strconv.Itoa(len(before.Slots)), After: strconv.Itoa(len(q.Slots))},
		people.Change{Field: "default", Before: strconv.FormatBool(before.Default), After: strconv.FormatBool(q.Default)},
	)}
}
