package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
)

// attemptRows are the columns of attempts to be stored, one array each.
type attemptRows struct {
	posts    []schema.PostID
	ats      []time.Time
	kinds    []int16
	ns       []int16
	comments []int16
	entries  []int16
	tries    []int16
	codes    []string
	messages []string
	next     []*time.Time
}

func (r *attemptRows) add(post schema.PostID, a *schema.Attempt) {
	if a == nil {
		return
	}
	r.posts, r.ats, r.kinds = append(r.posts, post), append(r.ats, a.At), append(r.kinds, int16(a.Kind))
	r.ns, r.comments, r.entries = append(r.ns, a.N), append(r.comments, a.Comment), append(r.entries, int16(a.Entry))
	r.tries, r.codes, r.messages = append(r.tries, int16(a.Tries)), append(r.codes, a.Code), append(r.messages, a.Message)
	r.next = append(r.next, orNull(a.NextAt))
}

// addSkipped tells of the comments of a target whose entries were not published.
func (r *attemptRows) addSkipped(result *schema.Result, now time.Time) {
	for _, c := range result.Comments {
		if !published(result.Receipts, c.Target) {
			r.add(result.Ref.Post, &schema.Attempt{
				At: now, Kind: schema.AttemptSkipped, N: result.Ref.N, Comment: int16(c.Position), Entry: c.Target,
			})
		}
	}
}

// queue adds the statements that store the attempts and keep the newest of each post.
// Of a platform that is still processing only the first look is told.
func (r *attemptRows) queue(b *pgx.Batch) {
	if len(r.posts) == 0 {
		return
	}
	storeAttempts.queue(b, r.columns())
	r.queueTrim(b)
}

// insertAttempts takes what columns returns. A condition may follow.
const insertAttempts = `
	insert into attempts (post_id, at, kind, n, comment, entry, attempts, code, message, next_at)
	select u.* from unnest(@attempt_posts::uuid[], @attempt_ats::timestamptz[], @attempt_kinds::int2[], @attempt_ns::int2[], @attempt_comments::int2[],
			@attempt_entries::int2[], @attempt_tries::int2[], @attempt_codes::text[], @attempt_messages::text[], @attempt_next::timestamptz[])
		u (post, at, kind, n, comment, entry, attempts, code, message, next)
	where (u.kind <> @processing or not exists (
		select from attempts a
		where a.post_id = u.post and a.kind = u.kind and a.n = u.n and a.comment = u.comment and a.entry = u.entry))`

var storeAttempts = newStatement(insertAttempts)

func (r *attemptRows) columns() pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{
		"attempt_posts": idColumn(r.posts), "attempt_ats": r.ats, "attempt_kinds": r.kinds, "attempt_ns": r.ns,
		"attempt_comments": r.comments, "attempt_entries": r.entries, "attempt_tries": r.tries, "attempt_codes": r.codes,
		"attempt_messages": r.messages, "attempt_next": r.next, "processing": int16(schema.AttemptProcessing),
	}
}

// queueTrim adds the statement that keeps the newest attempts of each post.
func (r *attemptRows) queueTrim(b *pgx.Batch) {
	if len(r.posts) == 0 {
		return
	}
	b.Queue(`
		delete from attempts where ctid in (
			select ctid from (
				select ctid, row_number() over (partition by post_id order by at desc) place
				from attempts where post_id = any($1)
			) ranked where place > $2)`, r.posts, schema.MaxAttempts)
}

// queueAttempt adds what a user did to a post.
func queueAttempt(b *pgx.Batch, post schema.PostID, kind schema.AttemptKind, at, next time.Time) {
	var rows attemptRows
	rows.add(post, &schema.Attempt{At: at, Kind: kind, N: schema.WholePost, Comment: schema.NoComment, NextAt: next})
	rows.queue(b)
}

// Attempts returns a post of a workspace with what was stored of its attempts, oldest
// first.
func (g *Gateway) Attempts(ctx context.Context, workspace schema.WorkspaceID, id schema.PostID) (schema.Post, []schema.Attempt, error) {
	post, err := g.Post(ctx, workspace, id)
	if err != nil {
		return post, nil, err
	}
	rows, err := g.pool.Query(ctx, `
		select a.at, a.kind, a.n, a.comment, a.entry, a.attempts, a.code, a.message, a.next_at
		from posts p join attempts a on a.post_id = p.id
		where p.id = $1 and p.workspace_id = $2 order by a.at limit $3`, id, workspace, 2*schema.MaxAttempts)
	attempts, err := collect(rows, err, func(rows pgx.Rows, a *schema.Attempt) error {
		var next *time.Time
		err := rows.Scan(&a.At, &a.Kind, &a.N, &a.Comment, &a.Entry, &a.Tries, &a.Code, &a.Message, &next)
		a.NextAt = fromNull(next)
		return err
	})
	if err != nil {
		return post, nil, fmt.Errorf("reading attempts: %w", unavailable(err))
	}
	return post, attempts, nil
}
