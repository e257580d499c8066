package tables

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
)

// Every claim checks the holds: what is held is left out of its answer. The job of a held
// post or comment is then parked until the pause's deadline, so that it does not fire
// again and again; lifting a hold makes the parked jobs due.

// Parking jobs takes this lock shared, lifting a hold exclusively: so no job is parked
// for a hold that is gone.
const (
	ShareHolds = `select pg_advisory_xact_lock_shared(hashtext('crier holds'))`
	LockHolds  = `select pg_advisory_xact_lock(hashtext('crier holds'))`
)

// subjectOf returns the columns of what a hold is on.
func subjectOf(h schema.Hold) (subject *[16]byte, platform *int16) {
	switch h.Kind {
	case schema.WorkspacePaused:
		return (*[16]byte)(&h.Workspace), nil
	case schema.AccountPaused, schema.AccountPausedByMember:
		return (*[16]byte)(&h.Account), nil
	default:
		number := int16(h.Platform)
		return nil, &number
	}
}

// Pause holds the work of a workspace with its sandbox twin, an account or a platform from now on;
// calls in hand go on. A pause of what is paused has a new reason, if one is given.
func Pause(ctx context.Context, tx pgx.Tx, h schema.Hold) error {
	if _, err := tx.Exec(ctx, LockHolds); err != nil { // a twin that is being made has it shared
		return err
	}
	subject, platform := subjectOf(h)
	conflict := `(subject, kind)`
	if subject == nil {
		conflict = `(platform) where platform is not null`
	}
	_, err := tx.Exec(ctx, sql.Text(`
		insert into holds (subject, platform, kind, reason)
		select $1::uuid, $2::smallint, $3::smallint, $4::text union all select id, null, $3, $4 from workspaces where live_id = $1
		on conflict {conflict} do update set reason = coalesce(nullif(excluded.reason, ''), holds.reason)`, "conflict", conflict), subject, platform, int16(h.Kind), h.Reason)
	return err
}

// Lift ends a pause, and returns the resume that makes due what it held; false: there is no such pause. Nothing is
// parked for it after that.
func Lift(ctx context.Context, tx pgx.Tx, h schema.Hold) (resume [16]byte, lifted bool, err error) {
	if _, err := tx.Exec(ctx, LockHolds); err != nil {
		return resume, false, err
	}
	subject, platform := subjectOf(h)
	tag, err := tx.Exec(ctx, `
		delete from holds where kind = $1 and (platform = $3 or subject = $2 or subject in (select id from workspaces where live_id = $2))`, int16(h.Kind), subject, platform)
	if err != nil || tag.RowsAffected() == 0 {
		return resume, false, err
	}
	resume, err = BeginResume(ctx, tx)
	return resume, true, err
}

// Pauses returns those that an account itself has, the operator's first.
func Pauses(ctx context.Context, q db.Querier, account schema.AccountID) ([]schema.Hold, error) {
	rows, err := q.Query(ctx, sql.Text(`select {hold_columns} from holds h where h.subject = $1 and h.kind in {account_pauses} order by h.kind`), account)
	return db.Collect(rows, err, ScanHold)
}

// ScanHold reads {hold_columns}.
func ScanHold(row pgx.Row, h *schema.Hold) error {
	var subject [16]byte
	if err := row.Scan(&subject, &h.Platform, &h.Kind, &h.Reason, &h.Since); err != nil {
		return err
	}
	switch h.Kind {
	case schema.WorkspacePaused, schema.WorkspaceDeleting:
		h.Workspace = subject
	case schema.AccountPaused, schema.AccountPausedByMember, schema.AccountDeleting:
		h.Account = subject
	case schema.UnderReview:
		h.Post = subject
	case schema.HeldByRestore: // the posts that it is on are told by restores
	default:
	}
	return nil
}

// AddHolds sets the hold of each open target; a member's pause, where nothing else is on it.
func AddHolds(ctx context.Context, q db.Querier, posts []schema.Post) error {
	var subjects [][16]byte
	var platforms []int16
	for i := range posts {
		p := &posts[i]
		if p.Status != schema.Scheduled && p.Status != schema.Processing {
			continue
		}
		subjects = append(subjects, p.ID, p.Workspace)
		for _, t := range p.Targets {
			subjects, platforms = append(subjects, t.Account), append(platforms, int16(t.Platform))
		}
	}
	if len(subjects) == 0 {
		return nil
	}
	rows, err := q.Query(ctx, sql.Text(`
		select {hold_columns} from holds h where h.subject = any($1::uuid[] || {no_id})
		union all
		select {hold_columns} from holds h where h.platform = any($2)`), subjects, platforms)
	holds, err := db.Collect(rows, err, ScanHold)
	if err != nil {
		return err
	}
	for _, h := range holds {
		if h.Kind == schema.HeldByRestore {
			if err := addRestoreHold(ctx, q, posts, h); err != nil {
				return err
			}
			continue
		}
		for i := range posts {
			for j := range posts[i].Targets {
				t := &posts[i].Targets[j]
				if h.Holds(&posts[i], t) && (t.Hold == nil || h.Kind != schema.AccountPausedByMember) {
					t.Hold = &h
				}
			}
		}
	}
	return nil
}

// addRestoreHold sets the hold of each open target that the restore's is on.
func addRestoreHold(ctx context.Context, q db.Querier, posts []schema.Post, h schema.Hold) error {
	ids := make([]schema.PostID, len(posts))
	for i := range posts {
		ids[i] = posts[i].ID
	}
	rows, err := q.Query(ctx, sql.Text(`select p.id from unnest($1::uuid[]) p (id) where {held_by_restore(p.id, p.id)}`), db.IDColumn(ids))
	held, err := db.Collect(rows, err, func(row pgx.Row, id *schema.PostID) error { return row.Scan((*[16]byte)(id)) })
	if err != nil {
		return err
	}
	for i := range posts {
		if !slices.Contains(held, posts[i].ID) {
			continue
		}
		for j := range posts[i].Targets {
			if t := &posts[i].Targets[j]; t.IsOpen() {
				t.Hold = &h
			}
		}
	}
	return nil
}
