package engagement

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// change is a row of the inbox that is new or another than it was.
type change struct {
	revision  int64
	readAt    *time.Time
	writtenAt time.Time // as it was first seen
}

// Receive stores what an account has received, as a collection has read it, and returns the
// facts and the webhook events of what is new or has changed. What is known already changes
// nothing, so a page can be read again.
func Receive(ctx context.Context, tx pgx.Tx, account schema.Account, received []schema.Received, now time.Time) (facts, events []schema.Event, err error) {
	if len(received) == 0 {
		return nil, nil, nil
	}
	changes, err := putItems(ctx, tx, account, received)
	if err != nil {
		return nil, nil, fmt.Errorf("storing what an account has received: %w", err)
	}
	facts, events = eventsOf(account, received, changes, now)
	return facts, events, nil
}

// Receive is Receive in a transaction of its own; it returns how many items were new or have
// changed.
func (s *Store) Receive(ctx context.Context, account schema.Account, received []schema.Received) (changed int, err error) {
	err = s.Announcing(ctx, "receiving", func(tx pgx.Tx) (announcement schema.Announcement, err error) {
		facts, events, err := Receive(ctx, tx, account, received, s.Now())
		if err != nil {
			return announcement, err
		}
		changed = len(facts)
		b := &pgx.Batch{}
		announcement.Events = append(tables.QueueFacts(b, facts, s.Now()), tables.QueueEvents(b, events, s.Now())...)
		return announcement, tx.SendBatch(ctx, b).Close()
	})
	return changed, err
}

// putItems stores those of a page that are new or have changed, and returns them. Those of an
// account that is gone are left out.
func putItems(ctx context.Context, tx pgx.Tx, account schema.Account, received []schema.Received) (map[schema.ItemID]change, error) {
	n := len(received)
	ids, mentions, deleted := make([]schema.ItemID, n), make([]bool, n), make([]bool, n)
	ofPosts := make([]schema.PostID, n)
	natives, parents, posts, states := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	digests, written := make([][]byte, n), make([]time.Time, n)
	for i := range received {
		item := &received[i].Item
		ids[i], mentions[i], deleted[i] = schema.ItemIDOf(account.ID, item.NativeID), item.Kind == schema.InboxMention, item.Deleted
		natives[i], parents[i], posts[i], states[i] = item.NativeID, item.ParentID, item.PostNativeID, received[i].State
		digests[i], written[i], ofPosts[i] = received[i].Digest(), item.WrittenAt, received[i].Post
	}
	rows, err := tx.Query(ctx, `
		with a as materialized (select id, workspace_id, disconnected_at from accounts where id = @account) -- by its id, whatever the statistics
		insert into inbox as i (id, workspace_id, account_id, mention, native_id, parent_id, post_native_id, post_id, state, digest, deleted, written_at)
		select distinct on (u.id) u.id, a.workspace_id, a.id, u.mention, u.native, u.parent, u.post, u.post_id, u.state, u.digest, u.deleted, u.written
		from unnest(@ids::uuid[], @mentions::bool[], @natives::text[], @parents::text[], @posts::text[], @ofposts::uuid[], @states::text[], @digests::bytea[],
			@deleted::bool[], @written::timestamptz[]) u (id, mention, native, parent, post, post_id, state, digest, deleted, written)
		join a on a.workspace_id = @workspace and a.disconnected_at is null
		order by u.id
		on conflict (id) do update set digest = excluded.digest, deleted = excluded.deleted, state = excluded.state, revision = i.revision + 1
			where i.digest <> excluded.digest
		returning i.id, i.revision, i.read_at, i.written_at`, pgx.StrictNamedArgs{
		"ids": db.IDColumn(ids), "mentions": mentions, "natives": natives, "parents": parents, "posts": posts, "ofposts": db.IDColumn(ofPosts), "states": states,
		"digests": digests, "deleted": deleted, "written": written, "account": account.ID, "workspace": account.Workspace,
	})
	return db.CollectMap(rows, err, func(row pgx.Row, id *schema.ItemID, c *change) error {
		return row.Scan((*[16]byte)(id), &c.revision, &c.readAt, &c.writtenAt)
	})
}

// eventsOf returns the facts of what has changed, and the events of what is new: not of what
// was written long before it was first seen, as when an account is connected.
func eventsOf(account schema.Account, received []schema.Received, changes map[schema.ItemID]change, now time.Time) (facts, events []schema.Event) {
	for i := range received {
		item := received[i].Item
		id := schema.ItemIDOf(account.ID, item.NativeID)
		c, ok := changes[id]
		if !ok {
			continue
		}
		delete(changes, id) // a page may name it twice
		item.Revision, item.ReadAt, item.WrittenAt = c.revision, c.readAt, c.writtenAt
		fact := event(schema.FactInboxItem, account, item, now)
		fact.Post = received[i].Post
		facts = append(facts, fact)
		if c.revision == 1 && !item.Deleted && now.Sub(item.WrittenAt) < schema.NewsAge {
			kind := schema.CommentReceived
			if item.Kind == schema.InboxMention {
				kind = schema.MentionReceived
			}
			events = append(events, event(kind, account, schema.InboxData{Item: received[i].Summary(account)}, now))
		}
	}
	return facts, events
}

// Missing marks comments as deleted that looks which read everything did not see, and returns the
// facts of that. What somebody has in hand is left to the next look, and what is seen again later is
// there again.
func Missing(ctx context.Context, tx pgx.Tx, account schema.Account, looks []schema.WholeLook, now time.Time) (facts []schema.Event, err error) {
	if len(looks) == 0 {
		return nil, nil
	}
	var posts []schema.PostID
	var nested []bool
	seen := []string{}
	for _, look := range looks {
		posts, nested, seen = append(posts, look.Post), append(nested, look.Nested), append(seen, look.Seen...)
	}
	gone := schema.Received{Item: schema.InboxItem{Deleted: true}}
	rows, err := tx.Query(ctx, `
		with unseen as materialized (
			select i.id from unnest(@posts::uuid[], @nested::bool[]) u (post, nested) cross join lateral (
				select * from inbox where account_id = @account and post_id = u.post and not mention offset 0 -- by post, whatever the statistics
			) i
			where not i.deleted and (u.nested or i.parent_id = '') and i.native_id not in (select unnest(@seen::text[]))
		), missing as (
			select i.id from inbox i where i.id = any(array(select id from unseen)) and not i.deleted
			order by i.id for update of i skip locked
		)
		update inbox i set deleted = true, digest = @digest, revision = i.revision + 1
		from missing where i.id = missing.id
		returning i.native_id, i.parent_id, i.post_native_id, i.post_id, i.revision, i.read_at, i.written_at`, pgx.StrictNamedArgs{
		"posts": db.IDColumn(posts), "nested": nested, "account": account.ID, "seen": seen, "digest": gone.Digest(),
	})
	items, err := db.Collect(rows, err, func(row pgx.Row, r *schema.Received) error {
		r.Item = schema.InboxItem{Kind: schema.InboxComment, Deleted: true}
		return row.Scan(&r.Item.NativeID, &r.Item.ParentID, &r.Item.PostNativeID, (*[16]byte)(&r.Post), &r.Item.Revision, &r.Item.ReadAt, &r.Item.WrittenAt)
	})
	if err != nil {
		return nil, fmt.Errorf("marking what was deleted: %w", err)
	}
	for _, r := range items {
		fact := event(schema.FactInboxItem, account, r.Item, now)
		fact.Post = r.Post
		facts = append(facts, fact)
	}
	return facts, nil
}

func event(kind schema.EventType, account schema.Account, data any, now time.Time) schema.Event {
	return schema.Event{
		ID: schema.NewID[schema.EventID](now), Type: kind, Workspace: account.Workspace, Account: account.ID, Platform: account.Platform, At: now,
		Data: db.Encode(data),
	}
}

func scanEntry(row pgx.Row, e *schema.InboxEntry) error {
	return row.Scan((*[16]byte)(&e.ID), (*[16]byte)(&e.Account), &e.Platform, &e.Mention, &e.NativeID, &e.ParentID, (*[16]byte)(&e.PostID),
		&e.WrittenAt, &e.Deleted, &e.ReadAt)
}

// Item returns an item of a workspace.
func (s *Store) Item(ctx context.Context, workspace schema.WorkspaceID, id schema.ItemID) (e schema.InboxEntry, err error) {
	row := s.Pool.QueryRow(ctx, sql.Text(`
		select i.id, i.account_id, a.platform, i.mention, i.native_id, i.parent_id, coalesce(i.post_id, {no_id}), i.written_at,
			i.deleted, coalesce(i.read_at, {no_time})
		from inbox i join accounts a on a.id = i.account_id
		where i.id = $1 and i.workspace_id = $2`), id, workspace)
	return e, db.OrNotFound(scanEntry(row, &e), "item")
}

// Inbox returns what a workspace's accounts have received, the newest first: it reads each account's newest by its
// index, and of those the newest of all.
func (s *Store) Inbox(ctx context.Context, workspace schema.WorkspaceID, f schema.InboxFilter) ([]schema.InboxEntry, error) {
	args := pgx.StrictNamedArgs{
		"workspace": workspace, "account": f.Account, "mentions": f.Mentions, "limit": f.Limit, "at": f.After.At, "id": db.IDValue(f.After.ID),
	}
	if f.After.At.IsZero() {
		args["at"] = pgtype.Timestamptz{InfinityModifier: pgtype.Infinity, Valid: true}
	}
	condition := ``
	if f.Unread {
		condition = `and i.read_at is null and not i.deleted`
	}
	if !f.Post.IsZero() {
		condition += ` and i.post_id = @post`
		args["post"] = f.Post
	}
	rows, err := s.Pool.Query(ctx, sql.Text(`
		select i.id, i.account_id, a.platform, i.mention, i.native_id, i.parent_id, coalesce(i.post_id, {no_id}), i.written_at,
			i.deleted, coalesce(i.read_at, {no_time})
		from accounts a cross join lateral (
			select * from inbox i
			where i.account_id = a.id and i.mention = @mentions and (i.written_at, i.id) < (@at, @id) {condition}
			order by i.written_at desc, i.id desc limit @limit
		) i
		where a.workspace_id = @workspace and (@account::uuid is null or a.id = @account) and a.disconnected_at is null
		order by i.written_at desc, i.id desc limit @limit`, "condition", condition), args)
	entries, err := db.Collect(rows, err, scanEntry)
	return entries, db.Wrap(err, "reading the inbox")
}

// Unread counts what of a workspace nobody has read, by account. Without its offset the counts would
// be made twice: where they are shown, and where they are compared with zero.
func (s *Store) Unread(ctx context.Context, workspace schema.WorkspaceID) ([]schema.UnreadCount, error) {
	rows, err := s.Pool.Query(ctx, `
		select a.id, n.comments, n.mentions from accounts a cross join lateral (
			select (select count(*) from (
					select from inbox i where i.account_id = a.id and i.read_at is null and not i.deleted and not i.mention limit $2
				) c) comments, (select count(*) from (
					select from inbox i where i.account_id = a.id and i.read_at is null and not i.deleted and i.mention limit $2
				) m) mentions
			offset 0
		) n
		where a.workspace_id = $1 and a.disconnected_at is null and n.comments + n.mentions > 0 order by a.id`, workspace, schema.MaxUnread)
	counts, err := db.Collect(rows, err, func(row pgx.Row, c *schema.UnreadCount) error {
		return row.Scan((*[16]byte)(&c.Account), &c.Comments, &c.Mentions)
	})
	return counts, db.Wrap(err, "counting what is unread")
}

// Mark marks items of a workspace as read, or as unread, and returns how many were not yet.
// All must be its own: else it is NotFound, and none is marked.
func (s *Store) Mark(ctx context.Context, workspace schema.WorkspaceID, ids []schema.ItemID, read bool) (marked int, err error) {
	ids = slices.Compact(slices.SortedFunc(slices.Values(ids), func(a, b schema.ItemID) int { return slices.Compare(a[:], b[:]) }))
	err = s.InTx(ctx, "marking the inbox", func(tx pgx.Tx) error {
		locked, err := tx.Exec(ctx, `select from inbox where id = any($1) and workspace_id = $2 order by id for update`, db.IDColumn(ids), workspace)
		if err != nil {
			return err
		}
		if int(locked.RowsAffected()) < len(ids) {
			return db.NotFound("item")
		}
		tag, err := tx.Exec(ctx, `
			update inbox set read_at = case when $2 then now() end where id = any($1) and (read_at is not null) <> $2`, db.IDColumn(ids), read)
		marked = int(tag.RowsAffected())
		return err
	})
	return marked, err
}
