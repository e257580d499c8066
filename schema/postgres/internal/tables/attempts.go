package tables

import (
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
)

// AttemptRows are the columns of attempts to be stored, one array each.
type AttemptRows struct {
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

// Add adds an attempt of a post; nil adds none.
func (r *AttemptRows) Add(post schema.PostID, a *schema.Attempt) {
	if a == nil {
		return
	}
	r.posts, r.ats, r.kinds = append(r.posts, post), append(r.ats, a.At), append(r.kinds, int16(a.Kind))
	r.ns, r.comments, r.entries = append(r.ns, a.N), append(r.comments, a.Comment), append(r.entries, int16(a.Entry))
	r.tries, r.codes, r.messages = append(r.tries, int16(a.Tries)), append(r.codes, a.Code), append(r.messages, a.Message)
	r.next = append(r.next, db.OrNull(a.NextAt))
}

// AddSkipped tells of the comments of a target whose entries were not published.
func (r *AttemptRows) AddSkipped(result *schema.Result, now time.Time) {
	for _, c := range result.Comments {
		if !Published(result.Receipts, c.Target) {
			r.Add(result.Ref.Post, &schema.Attempt{
				At: now, Kind: schema.AttemptSkipped, N: result.Ref.N, Comment: int16(c.Position), Entry: c.Target,
			})
		}
	}
}

// Queue adds the statements that store the attempts and keep the newest of each post.
// Of a platform that is still processing only the first look is told.
func (r *AttemptRows) Queue(b *pgx.Batch) {
	if len(r.posts) == 0 {
		return
	}
	storeAttempts.Queue(b, r.Columns())
	r.QueueTrim(b)
}

// InsertAttempts takes what columns returns. A condition may follow.
const InsertAttempts = `
	insert into attempts (post_id, at, kind, n, comment, entry, attempts, code, message, next_at)
	select u.* from unnest(@attempt_posts::uuid[], @attempt_ats::timestamptz[], @attempt_kinds::int2[], @attempt_ns::int2[], @attempt_comments::int2[],
			@attempt_entries::int2[], @attempt_tries::int2[], @attempt_codes::text[], @attempt_messages::text[], @attempt_next::timestamptz[])
		u (post, at, kind, n, comment, entry, attempts, code, message, next)
	where (u.kind <> @processing or not exists (
		select from attempts a
		where a.post_id = u.post and a.kind = u.kind and a.n = u.n and a.comment = u.comment and a.entry = u.entry))`

var storeAttempts = db.NewStatement(InsertAttempts)

// Columns are the parameters of InsertAttempts.
func (r *AttemptRows) Columns() pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{
		"attempt_posts": db.IDColumn(r.posts), "attempt_ats": r.ats, "attempt_kinds": r.kinds, "attempt_ns": r.ns,
		"attempt_comments": r.comments, "attempt_entries": r.entries, "attempt_tries": r.tries, "attempt_codes": r.codes,
		"attempt_messages": r.messages, "attempt_next": r.next, "processing": int16(schema.AttemptProcessing),
	}
}

// QueueTrim adds the statement that keeps the newest attempts of each post.
func (r *AttemptRows) QueueTrim(b *pgx.Batch) {
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

// QueueAttempt adds what a user did to a post.
func QueueAttempt(b *pgx.Batch, post schema.PostID, kind schema.AttemptKind, at, next time.Time) {
	var rows AttemptRows
	rows.Add(post, &schema.Attempt{At: at, Kind: kind, N: schema.WholePost, Comment: schema.NoComment, NextAt: next})
	rows.Queue(b)
}

// Published reports whether an entry has a receipt.
func Published(receipts []schema.Receipt, entry int) bool {
	return slices.ContainsFunc(receipts, func(r schema.Receipt) bool { return r.Entry == entry && r.NativeID != "" })
}
