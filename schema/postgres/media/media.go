// Package media keeps what is known of uploads, and removes what nothing uses.
package media

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"crier/schema"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// Store keeps what is known of uploads.
type Store struct{ *db.DB }

func scanUpload(row pgx.Row, u *schema.Upload) error {
	return row.Scan((*[16]byte)(&u.ID), (*[16]byte)(&u.Workspace), &u.State, &u.Secret, db.Document("what was announced of media", &u.Announced),
		db.Document("facts of media", &u.Facts), &u.AltText, &u.FileName, &u.CreatedAt, db.OrZero(&u.ExpiresAt))
}

// CreateMedia stores the row of an upload, whose content is kept or awaited.
func (s *Store) CreateMedia(ctx context.Context, u schema.Upload) error {
	b := &pgx.Batch{}
	var tag pgconn.CommandTag
	b.Queue(`
		insert into media (id, workspace_id, state, secret, announced, facts, alt_text, file_name, created_at, expires_at)
		select @id, w.id, @state, @secret, @announced, @facts, @alt, @file, @created, @expires from workspaces w
		where w.id = @workspace and w.deleting_at is null for key share`, pgx.StrictNamedArgs{
		"id": u.ID, "workspace": u.Workspace, "state": int16(u.State), "secret": u.Secret, "announced": db.Encode(u.Announced), "facts": db.Encode(u.Facts),
		"alt": u.AltText, "file": u.FileName, "created": u.CreatedAt, "expires": u.ExpiresAt,
	}).Exec(func(done pgconn.CommandTag) error { tag = done; return nil })
	audit.Queue(ctx, b, s.Now(), audit.Entry{Workspace: u.Workspace, Subject: audit.Of("media", u.ID, u.FileName)})
	err := s.Pool.SendBatch(ctx, b).Close()
	if err != nil {
		return db.Wrap(err, "storing media")
	}
	if tag.RowsAffected() == 0 { // what has come of it is removed as content without a row
		return db.NotFound("workspace")
	}
	return nil
}

// CompleteMedia notes what has come for an awaited upload. It is InvalidState where
// something has come before.
func (s *Store) CompleteMedia(ctx context.Context, id schema.MediaID, facts schema.MediaFacts) (schema.Upload, error) {
	tag, err := s.Pool.Exec(ctx, `
		update media set state = $2, facts = $3, expires_at = now() + $4::interval where id = $1 and state = $5`,
		id, int16(schema.UploadStored), db.Encode(facts), schema.UnusedUploadLife.String(), int16(schema.UploadAwaited))
	if err != nil {
		return schema.Upload{}, db.Wrap(err, "completing media")
	}
	u, err := s.anyMedia(ctx, id)
	if err == nil && tag.RowsAffected() == 0 {
		err = tables.InvalidState("this upload was completed before")
	}
	return u, err
}

func (s *Store) anyMedia(ctx context.Context, id schema.MediaID) (schema.Upload, error) {
	var u schema.Upload
	row := s.Pool.QueryRow(ctx, sql.Text(`select {upload_columns} from media m where m.id = $1 and m.state in {present_uploads}`), id)
	return u, db.OrNotFound(scanUpload(row, &u), "media")
}

// PublicMedia returns the upload that a url names, whoever asks; NotFound where the
// secret is not its own.
func (s *Store) PublicMedia(ctx context.Context, id schema.MediaID, secret string) (schema.Upload, error) {
	u, err := s.anyMedia(ctx, id)
	if err == nil && u.Secret != secret {
		err = db.NotFound("media")
	}
	return u, err
}

// useMargin is how long media that a request has read stays at least: longer than the
// request, so that what it makes of it is committed by then.
const useMargin = time.Hour

// Media returns those of the uploads that a workspace has.
func (s *Store) Media(ctx context.Context, workspace schema.WorkspaceID, ids []schema.MediaID) ([]schema.Upload, error) {
	rows, err := s.Pool.Query(ctx, sql.Text(`select {upload_columns} from media m
		where m.workspace_id = $1 and m.id = any($2) and m.state in {present_uploads}`), workspace, ids)
	uploads, err := db.Collect(rows, err, scanUpload)
	if err != nil {
		return nil, db.Wrap(err, "reading media")
	}
	for _, u := range uploads {
		if u.State == schema.UploadStored && !u.ExpiresAt.IsZero() && u.ExpiresAt.Before(s.Now().Add(useMargin)) {
			return uploads, s.prolong(ctx, workspace, ids)
		}
	}
	return uploads, nil
}

func (s *Store) prolong(ctx context.Context, workspace schema.WorkspaceID, ids []schema.MediaID) error {
	_, err := s.Pool.Exec(ctx, `
		update media set expires_at = greatest(expires_at, now() + $3::interval)
		where workspace_id = $1 and id = any($2) and state = $4`, workspace, ids, useMargin.String(), int16(schema.UploadStored))
	return db.Wrap(err, "prolonging media")
}

// MediaUses returns the ids of posts that an upload is kept for, newest first, at most so many.
func (s *Store) MediaUses(ctx context.Context, id schema.MediaID, limit int) ([]schema.PostID, error) {
	rows, _ := s.Pool.Query(ctx, `select post_id from media_uses where media_id = $1 order by post_id desc limit $2`, id, limit)
	posts, err := pgx.CollectRows(rows, pgx.RowTo[schema.PostID])
	return posts, db.Wrap(err, "reading uses of media")
}

// DescribeMedia gives an upload another alternative text. Posts that use it keep theirs.
func (s *Store) DescribeMedia(ctx context.Context, workspace schema.WorkspaceID, id schema.MediaID, altText string) (schema.Upload, error) {
	var u schema.Upload
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		row := tx.QueryRow(ctx, sql.Text(`
			update media m set alt_text = $3 where m.id = $1 and m.workspace_id = $2 and m.state in {present_uploads} returning {upload_columns}`),
			id, workspace, altText)
		if err := scanUpload(row, &u); err != nil {
			return err
		}
		return audit.Write(ctx, tx, s.Now(), audit.Entry{Workspace: workspace, Subject: audit.Of("media", id, u.FileName)})
	})
	return u, db.OrNotFound(err, "media")
}

// ListMedia returns a page of what a workspace has, newest first, and how many there are
// in all, counted up to MaxTotal.
func (s *Store) ListMedia(ctx context.Context, workspace schema.WorkspaceID, f schema.UploadFilter) ([]schema.Upload, int, error) {
	var total int
	err := s.Pool.QueryRow(ctx, sql.Text(`select count(*) from (select from media m where m.workspace_id = $1 and m.state = {upload_kept} limit $2) counted`), workspace, tables.MaxTotal).Scan(&total)
	if err != nil {
		return nil, 0, db.Wrap(err, "counting media")
	}
	rows, err := s.Pool.Query(ctx, sql.Text(`select {upload_columns} from media m where m.workspace_id = $1 and m.state = {upload_kept}
		and ($4::uuid is null or m.id < $4) order by m.id desc limit $2 offset $3`), workspace, f.Limit, f.Offset, f.Below)
	uploads, err := db.Collect(rows, err, scanUpload)
	return uploads, total, db.Wrap(err, "reading media")
}

// DeleteMedia marks an upload, whose content then goes. It is InvalidState while a post
// that uses it is still to be published.
func (s *Store) DeleteMedia(ctx context.Context, workspace schema.WorkspaceID, id schema.MediaID) error {
	var there, used bool
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		var name string
		err := tx.QueryRow(ctx, sql.Text(`
		with found as (
			select m.id, m.file_name as name, {used_by_unfinished} as used from media m where m.id = $1 and m.workspace_id = $2 and m.state < $3
		), marked as (
			update media m set state = $3, deleted_at = now() from found where m.id = found.id and not found.used
		)
		select count(*) > 0, coalesce(bool_or(used), false), coalesce(max(name), '') from found`),
			id, workspace, int16(schema.UploadDeleted)).Scan(&there, &used, &name)
		if err != nil || !there || used {
			return err
		}
		return audit.Write(ctx, tx, s.Now(), audit.Entry{Workspace: workspace, Subject: audit.Of("media", id, name)})
	})
	switch {
	case err != nil:
		return db.Wrap(err, "deleting media")
	case !there:
		return db.NotFound("media")
	case used:
		return tables.InvalidState("a post that is still to be published uses this media; cancel it or replace its media first")
	}
	return nil
}
