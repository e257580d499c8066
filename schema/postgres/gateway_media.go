package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
)

// usedByUnfinished tells whether such a post uses the media m.
const usedByUnfinished = `exists (
	select from media_uses u join posts p on p.id = u.post_id
	where u.media_id = m.id and p.workspace_id = m.workspace_id and p.status in ` + unfinishedPosts + `)`

const uploadColumns = `m.id, m.workspace_id, m.state, m.secret, m.facts, m.alt_text, m.file_name, m.created_at,
	case when exists (select from media_uses u where u.media_id = m.id) then null else m.expires_at end`

func scanUpload(row pgx.Row, u *schema.Upload) error {
	var facts []byte
	var expires *time.Time
	err := row.Scan((*[16]byte)(&u.ID), (*[16]byte)(&u.Workspace), &u.State, &u.Secret, &facts, &u.AltText, &u.FileName,
		&u.CreatedAt, &expires)
	if err != nil {
		return err
	}
	u.CreatedAt, u.ExpiresAt = u.CreatedAt.UTC(), fromNull(expires)
	return decode("facts of media", facts, &u.Facts)
}

// CreateMedia stores the row of an upload, whose content is kept or awaited.
func (g *Gateway) CreateMedia(ctx context.Context, u schema.Upload) error {
	_, err := g.pool.Exec(ctx, `
		insert into media (id, workspace_id, state, secret, facts, alt_text, file_name, created_at, expires_at)
		values (@id, @workspace, @state, @secret, @facts, @alt, @file, @created, @expires)`, pgx.StrictNamedArgs{
		"id": u.ID, "workspace": u.Workspace, "state": int16(u.State), "secret": u.Secret, "facts": encode(u.Facts),
		"alt": u.AltText, "file": u.FileName, "created": u.CreatedAt, "expires": u.ExpiresAt,
	})
	if err != nil {
		return fmt.Errorf("storing media: %w", unavailable(err))
	}
	return nil
}

// CompleteMedia notes what has come for an awaited upload. It is InvalidState where
// something has come before.
func (g *Gateway) CompleteMedia(ctx context.Context, id schema.MediaID, facts schema.MediaFacts) (schema.Upload, error) {
	tag, err := g.pool.Exec(ctx, `
		update media set state = $2, facts = $3, expires_at = now() + $4::interval where id = $1 and state = $5`,
		id, int16(schema.UploadKept), encode(facts), schema.UnusedUploadLife.String(), int16(schema.UploadAwaited))
	if err != nil {
		return schema.Upload{}, fmt.Errorf("completing media: %w", unavailable(err))
	}
	u, err := g.anyMedia(ctx, id)
	if err == nil && tag.RowsAffected() == 0 {
		err = invalidState("this upload was completed before")
	}
	return u, err
}

func (g *Gateway) anyMedia(ctx context.Context, id schema.MediaID) (schema.Upload, error) {
	var u schema.Upload
	row := g.pool.QueryRow(ctx, `select `+uploadColumns+` from media m where m.id = $1 and m.state in `+presentUploads, id)
	return u, orNotFound(scanUpload(row, &u), "media")
}

// PublicMedia returns the upload that a url names, whoever asks; NotFound where the
// secret is not its own.
func (g *Gateway) PublicMedia(ctx context.Context, id schema.MediaID, secret string) (schema.Upload, error) {
	u, err := g.anyMedia(ctx, id)
	if err == nil && u.Secret != secret {
		err = notFound("media")
	}
	return u, err
}

// useMargin is how long media that a request has read stays at least: longer than the
// request, so that what it makes of it is committed by then.
const useMargin = time.Hour

// Media returns those of the uploads that a workspace has.
func (g *Gateway) Media(ctx context.Context, workspace schema.WorkspaceID, ids []schema.MediaID) ([]schema.Upload, error) {
	rows, err := g.pool.Query(ctx, `select `+uploadColumns+` from media m
		where m.workspace_id = $1 and m.id = any($2) and m.state in `+presentUploads, workspace, ids)
	uploads, err := collect(rows, err, func(rows pgx.Rows, u *schema.Upload) error { return scanUpload(rows, u) })
	if err != nil {
		return nil, fmt.Errorf("reading media: %w", unavailable(err))
	}
	for _, u := range uploads {
		if u.State == schema.UploadKept && !u.ExpiresAt.IsZero() && u.ExpiresAt.Before(g.Now().Add(useMargin)) {
			return uploads, g.prolong(ctx, workspace, ids)
		}
	}
	return uploads, nil
}

func (g *Gateway) prolong(ctx context.Context, workspace schema.WorkspaceID, ids []schema.MediaID) error {
	_, err := g.pool.Exec(ctx, `
		update media set expires_at = greatest(expires_at, now() + $3::interval)
		where workspace_id = $1 and id = any($2) and state = $4`, workspace, ids, useMargin.String(), int16(schema.UploadKept))
	if err != nil {
		return fmt.Errorf("prolonging media: %w", unavailable(err))
	}
	return nil
}

// ListMedia returns a page of what a workspace has, newest first, and how many there are
// in all, counted up to MaxTotal.
func (g *Gateway) ListMedia(ctx context.Context, workspace schema.WorkspaceID, limit, offset int) ([]schema.Upload, int, error) {
	const where = ` from media m where m.workspace_id = $1 and m.state = ` + uploadKept
	var total int
	err := g.pool.QueryRow(ctx, `select count(*) from (select`+where+` limit $2) counted`, workspace, MaxTotal).Scan(&total)
	if err != nil {
		return nil, 0, fmt.Errorf("counting media: %w", unavailable(err))
	}
	rows, err := g.pool.Query(ctx, `select `+uploadColumns+where+` order by m.id desc limit $2 offset $3`, workspace, limit, offset)
	uploads, err := collect(rows, err, func(rows pgx.Rows, u *schema.Upload) error { return scanUpload(rows, u) })
	if err != nil {
		return nil, 0, fmt.Errorf("reading media: %w", unavailable(err))
	}
	return uploads, total, nil
}

// DeleteMedia marks an upload, whose content then goes. It is InvalidState while a post
// that uses it is still to be published.
func (g *Gateway) DeleteMedia(ctx context.Context, workspace schema.WorkspaceID, id schema.MediaID) error {
	var there, used bool
	err := g.pool.QueryRow(ctx, `
		with found as (
			select m.id, `+usedByUnfinished+` as used from media m where m.id = $1 and m.workspace_id = $2 and m.state < $3
		), marked as (
			update media m set state = $3, deleted_at = now() from found where m.id = found.id and not found.used
		)
		select count(*) > 0, coalesce(bool_or(used), false) from found`,
		id, workspace, int16(schema.UploadDeleted)).Scan(&there, &used)
	switch {
	case err != nil:
		return fmt.Errorf("deleting media: %w", unavailable(err))
	case !there:
		return notFound("media")
	case used:
		return invalidState("a post that is still to be published uses this media; cancel it or replace its media first")
	}
	return nil
}

// mediaUses are the columns of media_uses to be made.
type mediaUses struct {
	media []schema.MediaID
	posts []schema.PostID
}

func (r *mediaUses) add(p *schema.Post) {
	for _, entry := range p.Content.Entries {
		for _, m := range entry.Media {
			if !m.MediaID.IsZero() {
				r.media, r.posts = append(r.media, m.MediaID), append(r.posts, p.ID)
			}
		}
	}
}

// queue costs posts without uploads nothing.
func (r *mediaUses) queue(batch *pgx.Batch) {
	if len(r.media) == 0 {
		return
	}
	batch.Queue(`
		insert into media_uses (media_id, post_id) select * from unnest($1::uuid[], $2::uuid[])
		on conflict do nothing`, idColumn(r.media), idColumn(r.posts))
}

// queueUnused ends what a post uses; from now on it may expire like a fresh upload.
func queueUnused(batch *pgx.Batch, post schema.PostID) {
	batch.Queue(`
		with gone as (delete from media_uses where post_id = $1 returning media_id)
		update media m set expires_at = greatest(m.expires_at, now() + $2::interval) from gone where m.id = gone.media_id`,
		post, schema.UnusedUploadLife.String())
}
