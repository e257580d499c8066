package operation

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// Pause holds the work of a workspace with its sandbox twin, an account or a platform from now on;
// calls in hand go on. A pause of what is paused has a new reason, if one is given.
func (a *Admin) Pause(ctx context.Context, h schema.Hold) error {
	return a.InTx(ctx, "pausing", func(tx pgx.Tx) error {
		if err := tables.Pause(ctx, tx, h); err != nil {
			return err
		}
		return a.tellHold(ctx, tx, h, people.Change{Field: "reason", After: h.Reason})
	})
}

// Resume lifts a pause of the operator's; what it held is due at once, the oldest first, but what another hold
// is on. It is NotFound where nothing is paused. It works chunk by chunk; where it is cut
// off, a chore goes on.
func (a *Admin) Resume(ctx context.Context, h schema.Hold) error {
	lifted, err := a.lift(ctx, h)
	for more := true; more && err == nil; {
		_, more, err = tables.ResumeChunk(ctx, a.DB, &lifted)
	}
	return db.Wrap(err, "resuming")
}

// pauseTwin pauses the sandbox twin of a live workspace that is paused. The transaction has made the
// twin, and has taken the lock of holds shared before.
func pauseTwin(ctx context.Context, tx pgx.Tx, live schema.WorkspaceID) error {
	_, err := tx.Exec(ctx, `
		insert into holds (subject, kind, reason, created_at)
		select w.id, h.kind, h.reason, h.created_at from holds h join workspaces w on w.live_id = h.subject
		where h.subject = $1 and h.kind = $2
		on conflict (subject, kind) do nothing`, live, int16(schema.WorkspacePaused))
	return err
}

func (a *Admin) lift(ctx context.Context, h schema.Hold) (resume [16]byte, err error) {
	err = pgx.BeginFunc(ctx, a.Pool, func(tx pgx.Tx) error {
		var lifted bool
		if resume, lifted, err = tables.Lift(ctx, tx, h); err != nil {
			return err
		}
		if !lifted {
			return a.notPaused(ctx, tx, h)
		}
		return a.tellHold(ctx, tx, h)
	})
	return resume, err
}

// notPaused is that no pause of the operator's is there to lift.
func (a *Admin) notPaused(ctx context.Context, tx pgx.Tx, h schema.Hold) error {
	others, err := tables.Pauses(ctx, tx, h.Account)
	if err != nil {
		return err
	}
	if len(others) > 0 {
		return &schema.Error{Kind: schema.NotFound, Message: "the operator has not paused this account: its workspace has, and alone resumes it"}
	}
	return &schema.Error{Kind: schema.NotFound, Message: "nothing of that name is paused"}
}

// PausedByMember tells whether an account is paused by its workspace.
func (a *Admin) PausedByMember(ctx context.Context, id schema.AccountID) (bool, error) {
	pauses, err := tables.Pauses(ctx, a.Pool, id)
	isOfMember := func(h schema.Hold) bool { return h.Kind == schema.AccountPausedByMember }
	return slices.ContainsFunc(pauses, isOfMember), db.Wrap(err, "reading the pauses of an account")
}

// tellHold writes into the audit log that a pause began or ended: into that of the workspace, or of the installation
// where it is of a platform.
func (a *Admin) tellHold(ctx context.Context, tx pgx.Tx, h schema.Hold, changes ...people.Change) error {
	e := audit.Entry{Changes: audit.Differences(changes...)}
	var err error
	switch h.Kind {
	case schema.WorkspacePaused:
		e.Workspace, e.Subject = h.Workspace, audit.Of("workspace", h.Workspace, "")
		err = tx.QueryRow(ctx, `select name from workspaces where id = $1`, h.Workspace).Scan(&e.Subject.Name)
	case schema.AccountPaused:
		e.Subject = audit.Of("account", h.Account, "")
		err = tx.QueryRow(ctx, `select workspace_id, name from accounts where id = $1`, h.Account).Scan((*[16]byte)(&e.Workspace), &e.Subject.Name)
	default:
		e.Subject = people.Subject{Type: "platform", Name: h.Platform.String()}
	}
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	return audit.Write(ctx, tx, a.Now(), e)
}

// tellNumber writes into the installation's audit log to how many posts, or dead letters, a command did something.
func (a *Admin) tellNumber(ctx context.Context, tx pgx.Tx, of string, n int) error {
	if n == 0 {
		return nil
	}
	return audit.Write(ctx, tx, a.Now(), audit.Entry{Subject: people.Subject{Type: of}, Changes: []people.Change{{Field: "number", After: strconv.Itoa(n)}}})
}

// HeldPost is a post under review, or a pause.
type HeldPost struct {
	schema.Hold
	Workspace string // name of its workspace; empty for a platform
	Account   string // name of the account of a pause
	Post      schema.Post
}

// Holds returns the pauses, and the posts under review, oldest first. The pause of a workspace stands
// for that of its sandbox twin.
func (a *Admin) Holds(ctx context.Context) ([]HeldPost, error) {
	rows, err := a.Pool.Query(ctx, sql.Text(`
		select {hold_columns}, coalesce(w.name, ''), coalesce(x.name, '')
		from holds h
		left join accounts x on h.kind in {account_pauses} and x.id = h.subject
		left join posts p on h.kind = $1 and p.id = h.subject
		left join workspaces w on w.id = coalesce(x.workspace_id, p.workspace_id, h.subject)
		where h.kind <> $2 or w.live_id is null
		order by h.created_at, h.subject, h.kind`), int16(schema.UnderReview), int16(schema.WorkspacePaused))
	held, err := db.Collect(rows, err, func(row pgx.Row, h *HeldPost) error {
		return tables.ScanHold(besides{row, []any{&h.Workspace, &h.Account}}, &h.Hold)
	})
	if err == nil {
		err = a.addPosts(ctx, held)
	}
	return held, db.Wrap(err, "reading holds")
}

// besides scans more columns than its reader knows of.
type besides struct {
	pgx.Row
	into []any
}

func (b besides) Scan(into ...any) error { return b.Row.Scan(append(into, b.into...)...) }

func (a *Admin) addPosts(ctx context.Context, held []HeldPost) error {
	at := map[schema.PostID]int{}
	var ids []schema.PostID
	for i, h := range held {
		if h.Kind == schema.UnderReview {
			at[h.Hold.Post] = i
			ids = append(ids, h.Hold.Post)
		}
	}
	rows, err := a.Pool.Query(ctx, sql.Text(`select {post_columns} from posts p where p.id = any($1)`), ids)
	posts, err := db.Collect(rows, err, tables.ScanPost)
	if err != nil {
		return err
	}
	if err := tables.AddTargets(ctx, a.Pool, posts); err != nil {
		return err
	}
	for _, p := range posts {
		held[at[p.ID]].Post = p
	}
	return nil
}

// CancelReviewed ends posts under review, and their first comments, for good; all of them
// where ids is empty. What is published of them stays. It works batch by batch, and returns
// how many are cancelled, after an error too.
func (a *Admin) CancelReviewed(ctx context.Context, ids []schema.PostID) (cancelled int, err error) {
	for {
		n, err := a.cancelBatch(ctx, ids)
		if err != nil {
			return cancelled, db.Wrap(err, "cancelling posts")
		}
		if n == 0 {
			return cancelled, nil
		}
		cancelled += n
	}
}

func (a *Admin) cancelBatch(ctx context.Context, ids []schema.PostID) (cancelled int, err error) {
	var announcement schema.Announcement
	err = pgx.BeginFunc(ctx, a.Pool, func(tx pgx.Tx) error {
		taken, err := a.lockReviewed(ctx, tx, ids, schema.PostID{})
		if err != nil {
			return err
		}
		cancelled = len(taken)
		if _, err := tx.Exec(ctx, `delete from holds where kind = $1 and subject = any($2)`, int16(schema.UnderReview), taken); err != nil {
			return err
		}
		if announcement, err = a.cancelAll(ctx, tx, taken); err != nil {
			return err
		}
		if err := a.tellNumber(ctx, tx, "posts", cancelled); err != nil {
			return err
		}
		return a.cancelComments(ctx, tx, taken)
	})
	if err == nil {
		a.Announce(announcement)
	}
	return cancelled, err
}

func (a *Admin) cancelAll(ctx context.Context, tx pgx.Tx, ids []schema.PostID) (announcement schema.Announcement, err error) {
	rows, err := tx.Query(ctx, sql.Text(`select {post_columns} from posts p where p.id = any($1) and p.status in {open_posts}`), ids)
	posts, err := db.Collect(rows, err, tables.ScanPost)
	if err != nil {
		return announcement, err
	}
	if err := tables.AddTargets(ctx, tx, posts); err != nil {
		return announcement, err
	}
	b := &pgx.Batch{}
	refunds := tables.Charges{}
	for i := range posts {
		cancelled := tables.CancelPost(b, &posts[i], refunds, a.Now())
		announcement.Events = append(announcement.Events, cancelled.Events...)
	}
	refunds.Queue(b)
	return announcement, tx.SendBatch(ctx, b).Close()
}

func (a *Admin) cancelComments(ctx context.Context, tx pgx.Tx, posts []schema.PostID) error {
	reason := schema.TargetError{Code: schema.CodeCancelled, Message: "the first comment was cancelled after a restore", At: a.Now()}
	_, err := tx.Exec(ctx, sql.Text(`
		with ended as (
			update comments set state = {comment_failed}, claim = claim + 1, error = $2::text::json where post_id = any($1) and state in {open_comments} returning id
		)
		delete from jobs j using ended where j.id = ended.id`), posts, string(db.Encode(reason)))
	return err
}

// AccountPause returns the pause of an account, NotFound where there is none of that id.
func (a *Admin) AccountPause(ctx context.Context, id schema.AccountID) (schema.Hold, error) {
	err := a.Pool.QueryRow(ctx, `select from accounts where id = $1`, id).Scan()
	if errors.Is(err, pgx.ErrNoRows) {
		err = db.NotFound("account")
	}
	if err != nil {
		return schema.Hold{}, db.Wrap(err, "finding an account")
	}
	return schema.Hold{Kind: schema.AccountPaused, Account: id}, nil
}
