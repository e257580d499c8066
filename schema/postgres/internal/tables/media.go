package tables

import (
	"slices"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
)

// QueueUses adds the statement that notes the uploads which posts use; none where they use none.
func QueueUses(batch *pgx.Batch, users ...*schema.Post) {
	var media []schema.MediaID
	var posts []schema.PostID
	for _, p := range users {
		ids := slices.Clone(p.Content.SettingUploads)
		for _, entry := range p.Content.Entries {
			for _, m := range entry.Media {
				if !m.MediaID.IsZero() {
					ids = append(ids, m.MediaID)
				}
			}
		}
		media, posts = append(media, ids...), append(posts, slices.Repeat([]schema.PostID{p.ID}, len(ids))...)
	}
	if len(media) == 0 {
		return
	}
	batch.Queue(`
		insert into media_uses (media_id, post_id) select * from unnest($1::uuid[], $2::uuid[])
		on conflict do nothing`, db.IDColumn(media), db.IDColumn(posts))
}

// QueueUnused removes the uses of posts; from now on their uploads expire like new ones.
func QueueUnused(batch *pgx.Batch, posts ...schema.PostID) {
	batch.Queue(`
		with gone as (delete from media_uses where post_id = any($1) returning media_id)
		update media m set expires_at = greatest(m.expires_at, now() + $2::interval) from gone where m.id = gone.media_id`,
		posts, schema.UnusedUploadLife.String())
}
