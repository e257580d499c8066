package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// maxReviewed bounds how many of an account's latest publications are looked at together: more than it may publish in a
// day.
const maxReviewed = 60

// Published returns what was published to an account's profile lately, by whichever account.
func (p *Publish) Published(ctx context.Context, a schema.Account) ([]schema.Publication, error) {
	rows, err := p.Pool.Query(ctx, sql.Text(`
		select r.owner, r.n, r.entry, r.native_id from accounts a
		join workspaces w on w.id = a.workspace_id
		join receipts r on r.profile = {profile} and r.seen_at > now() - $2::interval
		where a.id = $1 order by r.seen_at desc limit $3`), a.ID, schema.ReviewAge.String(), maxReviewed)
	published, err := db.Collect(rows, err, func(row pgx.Row, of *schema.Publication) error {
		return row.Scan((*[16]byte)(&of.Ref.Post), &of.Ref.N, &of.Entry, &of.NativeID)
	})
	return published, db.Wrap(err, "reading what was published")
}

// TakeDown fails what was published and is shown no more, with the event post.failed. It does
// nothing to what another account has published, or what was published again since.
func (p *Publish) TakeDown(ctx context.Context, a schema.Account, of schema.Publication, why *schema.Error) error {
	var encoded []schema.EncodedEvents
	err := p.OnConnection(ctx, func(conn *pgx.Conn) (err error) {
		encoded, err = p.takeDown(ctx, conn, a, of, why)
		return err
	})
	if err != nil {
		return db.Wrap(err, "taking a post down")
	}
	p.Announce(schema.Announcement{Events: encoded})
	return nil
}

func (p *Publish) takeDown(ctx context.Context, conn *pgx.Conn, a schema.Account, of schema.Publication, why *schema.Error) ([]schema.EncodedEvents, error) {
	if _, err := conn.Exec(ctx, "begin"); err != nil {
		return nil, err
	}
	if err := tables.BringBack(ctx, conn, a.Workspace, of.Ref.Post); err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, tables.LockPost, of.Ref.Post); err != nil {
		return nil, err
	}
	s, err := p.standing(ctx, conn, of.Ref)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && s.Account.ID != a.ID {
		_, err = conn.Exec(ctx, "rollback")
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	failed, ok := s.TakeDown(of, why, p.Now())
	if !ok {
		_, err = conn.Exec(ctx, "rollback")
		return nil, err
	}
	p.Log.WarnContext(ctx, "a platform has taken down what it had published", "post", of.Ref.Post, "n", of.Ref.N,
		"platform", failed.Platform.String(), "id", of.NativeID)
	if err := writeLateTarget(ctx, conn, &failed, schema.DayOf(p.Now())); err != nil {
		return nil, err
	}
	return p.tellTakenDown(ctx, conn, &failed)
}

// tellTakenDown counts the post again, writes what follows and commits.
func (p *Publish) tellTakenDown(ctx context.Context, conn *pgx.Conn, failed *schema.Result) ([]schema.EncodedEvents, error) {
	posts, now := []schema.PostID{failed.Ref.Post}, p.Now()
	done := applied{posts: map[schema.PostID]*schema.Post{}}
	b := &pgx.Batch{}
	b.Queue(tables.RecountPosts, posts)
	b.Queue(selectDonePosts, posts).Query(done.readPosts)
	b.Queue(selectDoneTargets, posts).Query(done.readTargets)
	if err := conn.SendBatch(ctx, b).Close(); err != nil {
		return nil, err
	}
	events := []schema.Event{tables.TargetFact(failed, now)}
	if post := done.posts[failed.Ref.Post]; post != nil {
		events = append(events, tables.PostEvent(schema.PostFailed, post, now))
	}
	b = &pgx.Batch{}
	done.attempts.Add(failed.Ref.Post, failed.Attempt)
	done.attempts.Queue(b)
	encoded := tables.QueueEvents(b, events, now)
	b.Queue("commit")
	return encoded, conn.SendBatch(ctx, b).Close()
}
