package media

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
)

// doomedAfter is how long marked media keeps its content: longer than a request that read
// it before may take to make a post of it.
const doomedAfter = time.Minute

const (
	expiryChunk = 1000
	// lookAgain is when media that a post still needs is looked at again.
	lookAgain = 24 * time.Hour
)

// ExpireMedia marks what has expired and is not used, and unmarks what a post has come to
// use while it was being deleted. Posts that have ended need their media no longer: from then
// on it expires like new uploads. It looks at so many at a time, and reports whether there are
// more.
func (s *Store) ExpireMedia(ctx context.Context) (more bool, err error) {
	err = s.Alone(ctx, "media", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, sql.Text(`
			update media m set state = $1, deleted_at = null
			where m.state = $2 and m.facts ->> 'kind' <> '' and {used_by_unfinished}`),
			int16(schema.UploadStored), int16(schema.UploadDeleted))
		if err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, sql.Text(`
			with due as (
				select m.id, {used_by_unfinished} as needed, exists (select from media_uses u where u.media_id = m.id) as used
				from media m where m.state < @deleted and m.expires_at < now() order by m.expires_at limit @chunk
			), ended as (
				delete from media_uses u using due where u.media_id = due.id and not due.needed
			)
			update media m set
				state = case when due.used then m.state else @deleted end,
				deleted_at = case when due.used then m.deleted_at else now() end,
				expires_at = case when due.needed then now() + @again when due.used then now() + @kept else m.expires_at end
			from due where m.id = due.id`), pgx.StrictNamedArgs{
			"deleted": int16(schema.UploadDeleted), "chunk": expiryChunk, "again": lookAgain, "kept": s.Keep.Media,
		})
		more = tag.RowsAffected() == expiryChunk
		return err
	})
	return more, db.Wrap(err, "expiring media")
}

// RemovableMedia returns marked media whose content may go now.
func (s *Store) RemovableMedia(ctx context.Context, limit int) ([]schema.MediaID, error) {
	rows, _ := s.Pool.Query(ctx, sql.Text(`
		select m.id from media m
		where m.state = $1 and m.deleted_at < now() - $2::interval and not {used_by_unfinished}
		order by m.deleted_at limit $3`),
		int16(schema.UploadDeleted), doomedAfter.String(), limit)
	removable, err := pgx.CollectRows(rows, pgx.RowTo[schema.MediaID])
	return removable, db.Wrap(err, "reading removable media")
}

// ForgetMedia removes the rows of media whose content is gone.
func (s *Store) ForgetMedia(ctx context.Context, gone []schema.MediaID) error {
	batch := &pgx.Batch{}
	batch.Queue(`delete from media_uses where media_id = any($1)`, gone)
	batch.Queue(`delete from media where id = any($1) and state = $2`, gone, int16(schema.UploadDeleted))
	return db.Wrap(s.Pool.SendBatch(ctx, batch).Close(), "forgetting media")
}

// OrphanedMedia returns those of the ids that have no row: content whose row was never
// committed.
func (s *Store) OrphanedMedia(ctx context.Context, ids []schema.MediaID) ([]schema.MediaID, error) {
	rows, _ := s.Pool.Query(ctx, `
		select i.id from unnest($1::uuid[]) i (id) where not exists (select from media m where m.id = i.id)`, db.IDColumn(ids))
	orphaned, err := pgx.CollectRows(rows, pgx.RowTo[schema.MediaID])
	return orphaned, db.Wrap(err, "reading orphaned media")
}
