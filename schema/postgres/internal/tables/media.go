package tables

import (
	"slices"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
)

// MediaUses are the columns of media_uses to be made.
type MediaUses struct {
	media []schema.MediaID
	posts []schema.PostID
}

// Add adds the uploads that a post uses.
func (r *MediaUses) Add(p *schema.Post) {
	ids := slices.Clone(p.Content.SettingUploads)
	for _, entry := range p.Content.Entries {
		for _, m := range entry.Media {
			if !m.MediaID.IsZero() {
				ids = append(ids, m.MediaID)
			}
		}
	}
	for _, id := range ids {
		r.media, r.posts = append(r.media, id), append(r.posts, p.ID)
	}
}

// Queue adds no statement for posts without uploads.
func (r *MediaUses) Queue(batch *pgx.Batch) {
	if len(r.media) == 0 {
		return
	}
	batch.Queue(`
		insert into media_uses (media_id, post_id) select * from unnest($1::uuid[], $2::uuid[])
		on conflict do nothing`, db.IDColumn(r.media), db.IDColumn(r.posts))
}

// QueueUnused removes the uses of posts; from now on their uploads expire like new ones.
func QueueUnused(batch *pgx.Batch, posts ...schema.PostID) {
	batch.Queue(`
		with gone as (delete from media_uses where post_id = any($1) returning media_id)
		update media m set expires_at = greatest(m.expires_at, now() + $2::interval) from gone where m.id = gone.media_id`,
		posts, schema.UnusedUploadLife.String())
}
