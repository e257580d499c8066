package maintenance

import (
	"context"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// clearing is how far what hangs on the posts of a month is deleted.
type clearing struct {
	month string // the table that was its partition
	post  schema.PostID
}

// ForgetPosts drops a month of posts that ended longer ago than they are kept, the oldest
// first, with their targets and first comments. A month whose backup is being made stays until
// that is over.
func (s *Store) ForgetPosts(ctx context.Context) (rows int, more bool, err error) {
	before := s.Now().Add(-s.Keep.Posts)
	for _, p := range histories {
		if p.table == "posts_history" {
			p.clear = s.clearPosts
		}
		n, further, err := s.dropPartition(ctx, p, before)
		if err != nil {
			return rows, false, err
		}
		rows, more = rows+n, more || further
	}
	return rows, more, nil
}

// ForgetAudit drops a month of the audit log that is older than it is kept.
func (s *Store) ForgetAudit(ctx context.Context) (rows int, more bool, err error) {
	return s.dropPartition(ctx, auditMonths, s.Now().Add(-s.Keep.Audit))
}

// clearPosts ends what the posts of a table use, which from then on expires, and forgets what
// was published of them a second time. It goes on where the last chunk has ended; in another
// process it starts from the beginning, and finds less.
func (s *Store) clearPosts(ctx context.Context, conn *pgx.Conn, month string) (rows int, more bool, err error) {
	if s.cleared.month != month {
		s.cleared = clearing{month: month}
	}
	found, err := conn.Query(ctx, sql.Text(`select id from {month} where id > coalesce($1::uuid, {no_id}) order by id limit $2`, "month", quoted(month)),
		s.cleared.post, tables.HistoryChunk)
	posts, err := db.Collect(found, err, db.ScanID[schema.PostID])
	if err != nil || len(posts) == 0 {
		return 0, false, err
	}
	b := &pgx.Batch{}
	tables.QueueUnused(b, posts...)
	b.Queue(`delete from duplicates where post_id = any($1)`, posts)
	if err := conn.SendBatch(ctx, b).Close(); err != nil {
		return 0, false, err
	}
	s.cleared.post = posts[len(posts)-1]
	return len(posts), len(posts) == tables.HistoryChunk, nil
}
