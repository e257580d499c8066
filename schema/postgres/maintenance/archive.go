package maintenance

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/lists"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

var monthly = period{suffix: "200601", months: 1}

// histories hold what has ended, by the month of the end.
var histories = []partitioned{
	{table: "posts_history", by: monthly, ahead: 2},
	{table: "targets_history", by: monthly, ahead: 2},
	{table: "comments_history", by: monthly, ahead: 2},
}

// auditMonths hold the audit log.
var auditMonths = partitioned{table: "audit", by: monthly, ahead: 2}

const (
	// archiveAfter is how long what has ended stays among what is open: most of what comes
	// late, such as a retry or a receipt, finds it there.
	archiveAfter = 10 * time.Minute
	// archiveChunk is how many posts are moved at a time, with their targets and comments.
	archiveChunk = 1000
	// unnotedStretch is how many open posts are looked at for some that nobody has noted.
	unnotedStretch = 500
)

// ending is a place in the order in which posts have ended.
type ending struct {
	at   time.Time
	post schema.PostID
}

// Archive is one chunk of a pass that moves posts which have ended to history, those that
// ended first before others. What something still waits for is left to the next pass.
func (s *Store) Archive(ctx context.Context) (rows int, more bool, err error) {
	err = s.Alone(ctx, "archive", func(tx pgx.Tx) error {
		found, err := s.noted(ctx, tx)
		if err != nil {
			return err
		}
		posts := lists.Map(found, func(x ending) schema.PostID { return x.post })
		moved, created, err := s.archive(ctx, tx, posts)
		if err != nil {
			return err
		}
		rows = moved
		if more = created || len(found) == archiveChunk; created {
			return nil // the same again, now that there are partitions for them
		}
		s.archived = ending{}
		if more {
			s.archived = found[len(found)-1]
		}
		return nil
	})
	return rows, more, db.Wrap(err, "archiving posts")
}

// noted returns the next posts that have ended long enough ago.
func (s *Store) noted(ctx context.Context, tx pgx.Tx) ([]ending, error) {
	rows, err := tx.Query(ctx, sql.Text(`
		select ended_at, post_id from ended_posts
		where (ended_at, post_id) > ($1, coalesce($2::uuid, {no_id})) and ended_at < now() - $3::interval
		order by ended_at, post_id limit $4`), s.archived.at, s.archived.post, archiveAfter.String(), archiveChunk)
	return db.Collect(rows, err, func(row pgx.Row, x *ending) error { return row.Scan(&x.at, (*[16]byte)(&x.post)) })
}

// ArchiveUnnoted is one chunk of a round over all open posts, for those that have ended and
// nobody has noted: they were ended by a process of the version before there was a history.
func (s *Store) ArchiveUnnoted(ctx context.Context) (rows int, more bool, err error) {
	err = s.Alone(ctx, "archive unnoted", func(tx pgx.Tx) error {
		seen, found, err := s.nextUnnoted(ctx, tx)
		if err != nil {
			return err
		}
		moved, created, err := s.archive(ctx, tx, found)
		if err != nil {
			return err
		}
		rows, more = moved, len(found) > 0
		switch {
		case created:
		case len(found) == archiveChunk:
			s.unnoted = found[len(found)-1]
		default:
			s.unnoted = seen
		}
		return nil
	})
	return rows, more, db.Wrap(err, "archiving posts that nobody has noted")
}

// nextUnnoted looks at the next open posts, and returns the last of them, zero where the round
// has come to its end, and those that nobody has noted.
func (s *Store) nextUnnoted(ctx context.Context, tx pgx.Tx) (seen schema.PostID, found []schema.PostID, err error) {
	var last *[16]byte
	err = tx.QueryRow(ctx, sql.Text(`
		with stretch as materialized (
			select id, status, left_n, updated_at from posts where id > coalesce($1::uuid, {no_id}) order by id limit $2
		)
		select (select id from stretch order by id desc offset 0 limit case when (select count(*) from stretch) = $2 then 1 else 0 end),
			array(
				select s.id from stretch s
				where s.status in {ended_posts} and s.left_n = 0 and s.updated_at < now() - 2 * $3::interval
				  and not exists (select from ended_posts e where e.post_id = s.id)
				order by s.id limit $4
			)`), s.unnoted, unnotedStretch, archiveAfter.String(), archiveChunk).Scan(&last, &found)
	if last != nil {
		seen = *last
	}
	return seen, found, err
}

// archive moves those of some posts to history that have ended and that nothing waits for.
// Where a month has no partition, all that it does is to make it.
func (s *Store) archive(ctx context.Context, tx pgx.Tx, posts []schema.PostID) (moved int, created bool, err error) {
	if len(posts) == 0 {
		return 0, false, nil
	}
	if _, err := tx.Exec(ctx, `set local enable_seqscan = off`); err != nil {
		return 0, false, err
	}
	// Locked first and chosen by a statement of its own, which sees all that was committed before.
	if _, err := tx.Exec(ctx, `select from posts where id = any($1) order by id for update skip locked`, posts); err != nil {
		return 0, false, err
	}
	free, err := lockEnded(ctx, tx, posts)
	if err != nil {
		return 0, false, err
	}
	free, created, err = makeMonths(ctx, tx, free)
	if created || err != nil {
		return 0, created, err
	}
	ids := lists.Map(free, func(x ending) schema.PostID { return x.post })
	b := &pgx.Batch{}
	b.Queue(tables.Archive, ids)
	b.Queue(sql.Text(`
		delete from ended_posts e where e.post_id = any($1)
		  and not exists (select from posts p where p.id = e.post_id and p.status in {ended_posts})`), posts)
	return len(ids), false, tx.SendBatch(ctx, b).Close()
}

// lockEnded locks those of some posts that can be moved. A post that somebody else has locked
// is one that somebody changes.
func lockEnded(ctx context.Context, tx pgx.Tx, posts []schema.PostID) ([]ending, error) {
	rows, err := tx.Query(ctx, sql.Text(`
		select greatest(p.updated_at, p.created_at), p.id from posts p
		where p.id = any($1) and p.status in {ended_posts} and p.left_n = 0
		  and not exists (select from targets t where t.post_id = p.id and t.state in {open_targets})
		  and not exists (select from comments c where c.post_id = p.id and c.state in {open_comments})
		  and not exists (select from jobs j where j.id = p.id)
		  and not exists (select from holds h where h.subject = p.id)
		order by p.id for update of p skip locked`), posts)
	return db.Collect(rows, err, func(row pgx.Row, x *ending) error { return row.Scan(&x.at, (*[16]byte)(&x.post)) })
}

// makeMonths makes the partitions that are missing for posts of long ago. It leaves out posts of a
// month that is being dropped: it can be made again once it is gone.
func makeMonths(ctx context.Context, tx pgx.Tx, of []ending) (ready []ending, created bool, err error) {
	for _, p := range histories {
		there, err := partitionsOf(ctx, tx, p)
		if err != nil {
			return nil, false, err
		}
		var missing []partition
		of = slices.DeleteFunc(of, func(x ending) bool {
			month := p.named(p.by.start(x.at))
			is := func(t partition) bool { return t.name == month.name }
			if n := slices.IndexFunc(there, is); n >= 0 {
				return !there[n].attached || there[n].pending
			}
			if !slices.ContainsFunc(missing, is) {
				missing = append(missing, month)
			}
			return false
		})
		if len(missing) == 0 {
			continue
		}
		created = true
		if err := p.attach(ctx, tx, missing); err != nil {
			return nil, false, err
		}
	}
	return of, created, nil
}
