package operation

import (
	"context"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/lists"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
	"crier/schema/postgres/restores"
)

// Decided is how many posts that a restore holds were released or cancelled, and which stay.
type Decided struct {
	Posts int
	Stay  map[string]int // how many, by why
	Full  []Unreleased   // those that today has no room for
}

// ReleaseRestored lets posts go out that a restore holds: those that are selected, unless something is
// known that speaks against one. What a look has found on its platform is looked for there once more, and
// so ends as posted; so are the later entries of such a thread, and first comments. It works batch by batch, those created first before others, and returns what it has
// done after an error too.
func (a *Admin) ReleaseRestored(ctx context.Context, r *schema.Restore, of schema.HeldSelection, how schema.Release, constraints func(schema.Platform) schema.Constraints) (d Decided, err error) {
	d.Stay = map[string]int{}
	err = a.eachRestored(ctx, r, of, func(tx pgx.Tx, posts []restores.Known) (committed func(), err error) {
		batch, stay := release{}, map[string]int{}
		for _, p := range posts {
			if why := how.Keeps(p.Evidence); why != "" {
				stay[why]++
				continue
			}
			batch.posts = append(batch.posts, p.ID)
		}
		b := &pgx.Batch{}
		going, err := a.queueRelease(ctx, tx, b, &batch, constraints)
		if err != nil {
			return nil, err
		}
		b.Queue(`insert into restore_releases select unnest($1::uuid[]) on conflict do nothing`, going)
		b.Queue(lookForFound, going, r.To, int16(schema.FoundOnPlatform))
		b.Queue(sql.Text(`
			update comments set state = {comment_pending}, step = {step_find}, since = least(since, $2),
				claim = claim + 1, lease_until = null, looked = 0
			where post_id = any($1) and state in {open_comments} and id <= $3`), going, r.To, r.LastID)
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return nil, err
		}
		return func() {
			d.Posts += len(going)
			d.Full = append(d.Full, batch.unreleased...)
			for why, n := range stay {
				d.Stay[why] += n
			}
		}, a.tellNumber(ctx, tx, "posts", len(going))
	})
	return d, db.Wrap(err, "releasing posts")
}

// lookForFound has what is found looked for, with all entries behind it, as after a retry of what nobody
// knows the outcome of. What was prepared when the backup was made may have been prepared anew since. A
// target that has a receipt for its entry is being looked for anyway.
var lookForFound = sql.Text(`
	update targets t set state = {target_pending}, step = {step_find}, since = least(t.since, $2), progress = null,
		unsettled = ((1 << json_array_length(p.content -> 'entries')) - 1) & ~((1 << t.entry) - 1),
		claim = t.claim + 1, next_at = null, lease_until = null, looked = 0
	from restore_findings f join posts p on p.id = f.post_id
	where f.post_id = any($1) and f.kind = $3 and t.post_id = f.post_id and t.n = f.n and t.state in {open_targets}
	  and not exists (select from json_array_elements(t.receipts) receipt where (receipt ->> 'entry')::int = t.entry)`)

// CancelRestored ends posts that a restore holds, and their first comments, for good: all that are
// selected. What is published of them stays.
func (a *Admin) CancelRestored(ctx context.Context, r *schema.Restore, of schema.HeldSelection) (cancelled int, err error) {
	err = a.eachRestored(ctx, r, of, func(tx pgx.Tx, posts []restores.Known) (committed func(), err error) {
		ids := lists.Map(posts, func(p restores.Known) schema.PostID { return p.ID })
		announcement, err := a.cancelAll(ctx, tx, ids)
		if err == nil {
			err = a.cancelComments(ctx, tx, ids)
		}
		if err == nil {
			err = a.tellNumber(ctx, tx, "posts", len(ids))
		}
		return func() {
			cancelled += len(ids)
			a.Announce(announcement)
		}, err
	})
	return cancelled, db.Wrap(err, "cancelling posts")
}

// restoredBatch decides on a batch of posts in a transaction, and returns what is to be done once it is
// committed.
type restoredBatch func(pgx.Tx, []restores.Known) (committed func(), err error)

// eachRestored decides on the posts that a restore holds and that are selected, some hundred in each
// transaction. Nothing is parked meanwhile.
func (a *Admin) eachRestored(ctx context.Context, r *schema.Restore, of schema.HeldSelection, decide restoredBatch) (err error) {
	for after, more := ([16]byte{}), true; more; {
		for range tables.MaxRefusals {
			var upto [16]byte
			upto, more, err = a.decideOn(ctx, r, of, after, decide)
			if err == nil {
				after = upto
			}
			if !tables.IsFull(err) {
				break
			}
			err = tables.Crowded() // others took the last units since they were counted
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (a *Admin) decideOn(ctx context.Context, r *schema.Restore, of schema.HeldSelection, after [16]byte, decide restoredBatch) (upto [16]byte, more bool, err error) {
	committed := func() {}
	err = pgx.BeginFunc(ctx, a.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, tables.LockHolds); err != nil {
			return err
		}
		var posts []restores.Known
		if posts, upto, more, err = restores.Page(ctx, tx, r, of, after); err != nil || len(posts) == 0 {
			return err
		}
		ids := lists.Map(posts, func(p restores.Known) schema.PostID { return p.ID })
		if _, err := tx.Exec(ctx, tables.LockPosts, ids); err != nil {
			return err
		}
		committed, err = decide(tx, posts)
		return err
	})
	if err == nil {
		committed()
	}
	return upto, more, err
}
