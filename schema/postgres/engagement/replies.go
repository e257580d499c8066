package engagement

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
)

// Store keeps the inbox and replies.
type Store struct{ *db.DB }

// New returns the store of the inbox.
func New(d *db.DB) *Store { return &Store{d} }

// CreateReply makes a reply to an item of the inbox, or returns the answer of the request that
// it repeats; the error is IdempotencyConflict when that one had another body. An item that is
// not the workspace's is NotFound, one that was deleted or whose account is not connected
// InvalidState.
func (s *Store) CreateReply(ctx context.Context, c schema.ReplyCreation) (created schema.Created, err error) {
	err = s.Announcing(ctx, "creating a reply", func(tx pgx.Tx) (announcement schema.Announcement, err error) {
		first, known, err := tables.TakeKey(ctx, tx, c.Idempotency, c.Response)
		if err != nil {
			return announcement, err
		}
		if known {
			created = schema.Created{Response: first, Replayed: true}
			return announcement, nil
		}
		job, err := s.insertReply(ctx, tx, c)
		if err != nil {
			return announcement, err
		}
		created, announcement.Jobs = schema.Created{Response: c.Response}, []schema.Job{job}
		return announcement, audit.Write(ctx, tx, s.Now(), audit.Entry{Workspace: c.Workspace, Subject: audit.Of("reply", c.Reply, "")})
	})
	return created, err
}

// answered is an item as a reply to it needs it.
type answered struct {
	to           schema.ReplyTo
	account      schema.AccountID
	platform     schema.Platform
	deleted      bool
	disconnected bool
}

func (s *Store) insertReply(ctx context.Context, tx pgx.Tx, c schema.ReplyCreation) (schema.Job, error) {
	item := answered{to: schema.ReplyTo{Item: c.Item}}
	err := tx.QueryRow(ctx, `
		select case when i.mention then @mention else @comment end, i.native_id, i.parent_id, i.post_native_id, i.state,
			i.account_id, a.platform, i.deleted, a.disconnected_at is not null
		from inbox i join accounts a on a.id = i.account_id
		where i.id = @id and i.workspace_id = @workspace for share of i`,
		pgx.StrictNamedArgs{"id": c.Item, "workspace": c.Workspace, "mention": schema.InboxMention, "comment": schema.InboxComment}).
		Scan(&item.to.Kind, &item.to.NativeID, &item.to.ParentID, &item.to.Post, &item.to.State,
			(*[16]byte)(&item.account), &item.platform, &item.deleted, &item.disconnected)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return schema.Job{}, db.NotFound("item")
	case err != nil:
		return schema.Job{}, err
	case item.deleted:
		return schema.Job{}, tables.InvalidState("what it answers was deleted on its platform")
	case item.disconnected:
		return schema.Job{}, tables.InvalidState("the account is not connected any more")
	}
	_, err = tx.Exec(ctx, `
		insert into comments (id, n, position, workspace_id, account_id, entry, text, reply_to)
		values (@id, 0, 0, @workspace, @account, 0, @text, @to::text::json)`, pgx.StrictNamedArgs{
		"id": c.Reply, "workspace": c.Workspace, "account": item.account, "text": c.Text, "to": string(db.Encode(item.to)),
	})
	if err != nil {
		return schema.Job{}, err
	}
	job := schema.Job{
		ID: schema.JobID(c.Reply), Kind: schema.JobComment, Shard: schema.ShardOf(c.Reply), DueAt: s.Now().UTC().Truncate(time.Microsecond),
		Payload: db.Encode(schema.CommentMessage{Comment: c.Reply, Workspace: c.Workspace, Account: item.account, Platform: item.platform}),
	}
	var jobs tables.JobRows
	jobs.Add(job, s.Now())
	b := &pgx.Batch{}
	jobs.Queue(b)
	return job, tx.SendBatch(ctx, b).Close()
}

// Reply returns a reply of a workspace.
func (s *Store) Reply(ctx context.Context, workspace schema.WorkspaceID, id schema.CommentID) (r schema.Reply, err error) {
	err = s.Pool.QueryRow(ctx, `
		select c.id, c.workspace_id, c.account_id, a.platform, c.text, c.state, c.native_id, c.url, c.posted_at, c.next_at, c.error, c.reply_to
		from comments c join accounts a on a.id = c.account_id
		where c.id = $1 and c.workspace_id = $2 and c.post_id is null`, id, workspace).
		Scan((*[16]byte)(&r.ID), (*[16]byte)(&r.Workspace), (*[16]byte)(&r.Account), &r.Platform, &r.Text, &r.State, &r.NativeID, &r.URL,
			db.OrZero(&r.PostedAt), db.OrZero(&r.NextAt), db.Document("error of a reply", &r.Error), db.Document("item that a reply answers", &r.ReplyTo))
	return r, db.OrNotFound(err, "reply")
}
