package compose

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"crier/connectors/catalog"
	"crier/pipeline/restored"
	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/postgres/backup"
	"crier/schema/postgres/operation"
	"crier/schema/postgres/restores"
)

// Restored is what a restore came to, and what it undid as far as the database can tell.
type Restored struct {
	backup.Dump
	Held    int // posts that were open in the backup
	Overdue int // of them
	Undone  restores.Undone
}

// adopt marks the database as restored, and counts what that holds.
func (r *Restored) adopt(ctx context.Context, c Config) error {
	store, err := postgres.Open(ctx, postgres.Config{URL: c.Postgres, MaxConns: 2, Logger: c.Logger})
	if err != nil {
		return err
	}
	defer store.Close()
	restored := restores.New(store.DB)
	if err := restored.Adopt(ctx); err != nil {
		return err
	}
	held, err := restored.Held(ctx)
	if err != nil {
		return err
	}
	groups, err := restored.Groups(ctx, held, schema.HeldSelection{}, func(int) {})
	if err != nil {
		return err
	}
	for _, g := range groups {
		r.Held += g.Posts
		if g.Overdue {
			r.Overdue += g.Posts
		}
	}
	r.Undone, err = restored.Undone(ctx)
	return err
}

// markRestored marks the database where it went back to an earlier moment, before any role can publish
// what was open then.
func (b *base) markRestored(ctx context.Context) error {
	restored := restores.New(b.store.DB)
	if err := restored.Adopt(ctx); err != nil {
		return err
	}
	if to := b.config.RestoredTo; !to.IsZero() {
		if to.After(b.store.Now()) {
			return fmt.Errorf("--restored-to is %s, which is yet to come", to.Format(time.RFC3339))
		}
		if err := restored.Mark(ctx, to); err != nil {
			return err
		}
	}
	held, err := restored.Held(ctx)
	if err != nil || held == nil {
		return err
	}
	b.store.NoteRestore(held)
	b.config.Logger.WarnContext(ctx, "what was open in the database when it went back to an earlier moment is held; see crier held list",
		"restored_to", held.To, "marked_at", held.MarkedAt)
	return nil
}

// HeldByRestore is what a restore holds: in groups, and the first posts of the selection.
type HeldByRestore struct {
	schema.Restore
	Undone restores.Undone
	Looks  restores.Looks
	Groups []schema.HeldGroup
	Posts  []restores.KnownPost
}

// errNothingRestored is of commands that decide on what no restore holds.
var errNothingRestored = errors.New("no restore holds anything: crier held list shows what is held")

// HeldSelection names a selection of what a restore holds.
type HeldSelection struct {
	schema.HeldSelection
	Workspace string // by name, with its sandbox, or as they are listed; or one of the two by its id
}

func (o *operator) selectionOf(ctx context.Context, s HeldSelection) (schema.HeldSelection, error) {
	of := s.HeldSelection
	if s.Workspace == "" {
		return of, nil
	}
	var err error
	of.Workspaces, err = o.admin.WorkspacesOf(ctx, s.Workspace)
	return of, err
}

// RestoreHolds returns what a restore holds; nil where none does. progress is told how many posts are
// counted so far. Posts are listed after one, at most limit.
func RestoreHolds(ctx context.Context, c Config, s HeldSelection, after schema.PostID, limit int, progress func(held int)) (held *HeldByRestore, err error) {
	err = operate(ctx, c, func(ctx context.Context, o *operator) error {
		r, err := o.restores.Held(ctx)
		if err != nil || r == nil {
			return err
		}
		of, err := o.selectionOf(ctx, s)
		if err != nil {
			return err
		}
		held = &HeldByRestore{Restore: *r}
		if held.Groups, err = o.restores.Groups(ctx, r, of, progress); err != nil {
			return err
		}
		if held.Posts, err = o.restores.Posts(ctx, r, of, after, limit); err != nil {
			return err
		}
		if held.Looks, err = o.restores.Looks(ctx, r); err != nil {
			return err
		}
		held.Undone, err = o.restores.Undone(ctx)
		return err
	})
	return held, err
}

// Release lets posts go out that are held for a person to decide: those that --hold-overdue holds, where
// all or some of them are named, and those that a restore holds and that are selected.
func Release(ctx context.Context, c Config, s HeldSelection, how schema.Release) (operation.Decided, error) {
	return operateFor(ctx, c, func(ctx context.Context, o *operator) (operation.Decided, error) {
		return o.release(byCommand(ctx, "held.release"), s, how)
	})
}

func (o *operator) release(ctx context.Context, s HeldSelection, how schema.Release) (d operation.Decided, err error) {
	if s.isPlain() {
		if d.Posts, d.Full, err = o.admin.Release(ctx, s.Posts, catalog.Constraints); err != nil {
			return d, err
		}
	}
	err = o.onRestored(ctx, s, func(r *schema.Restore, of schema.HeldSelection) error {
		restored, err := o.admin.ReleaseRestored(ctx, r, of, how, catalog.Constraints)
		d.Posts, d.Full, d.Stay = d.Posts+restored.Posts, append(d.Full, restored.Full...), restored.Stay
		return err
	})
	return d, err
}

// CancelHeld ends posts that are held for a person to decide: see Release.
func CancelHeld(ctx context.Context, c Config, s HeldSelection) (cancelled int, err error) {
	err = operate(ctx, c, func(ctx context.Context, o *operator) error {
		ctx = byCommand(ctx, "held.cancel")
		if s.isPlain() {
			if cancelled, err = o.admin.CancelReviewed(ctx, s.Posts); err != nil {
				return err
			}
		}
		return o.onRestored(ctx, s, func(r *schema.Restore, of schema.HeldSelection) error {
			n, err := o.admin.CancelRestored(ctx, r, of)
			cancelled += n
			return err
		})
	})
	return cancelled, err
}

// isPlain reports whether the selection is of all posts, or of some by their ids.
func (s HeldSelection) isPlain() bool {
	of := s.HeldSelection
	return s.Workspace == "" && len(of.Platforms) == 0 && of.From.IsZero() && of.To.IsZero() && of.Due == schema.DueAnyTime
}

// onRestored decides on what a restore holds, and ends its hold where nothing is left. Where no restore
// holds anything, only a selection that means one is an error.
func (o *operator) onRestored(ctx context.Context, s HeldSelection, decide func(*schema.Restore, schema.HeldSelection) error) error {
	r, err := o.restores.Held(ctx)
	if err != nil {
		return err
	}
	if r == nil {
		if s.isPlain() {
			return nil
		}
		return errNothingRestored
	}
	of, err := o.selectionOf(ctx, s)
	if err != nil {
		return err
	}
	if err := decide(r, of); err != nil {
		return err
	}
	_, err = o.restores.End(ctx)
	return err
}

// ConfirmKeys lets keys work again that were suspended by a restore: of a workspace and its sandbox, or
// of all where it is empty. It returns how many were suspended.
func ConfirmKeys(ctx context.Context, c Config, workspace string) (confirmed int, err error) {
	return operateFor(ctx, c, func(ctx context.Context, o *operator) (int, error) {
		var of *schema.WorkspaceID
		if workspace != "" {
			w, err := o.admin.Workspace(ctx, workspace)
			if err != nil {
				return 0, err
			}
			of = &w.ID
		}
		return o.restores.ConfirmKeys(byCommand(ctx, "keys.confirm"), of)
	})
}

// restoredEvents reads what ClickHouse knows of what a restore holds.
func (b *base) restoredEvents() *restored.Events {
	return restored.NewEvents(restored.EventsConfig{Source: b.analytics.Since(), Store: restores.New(b.store.DB), Logger: b.config.Logger})
}

// looks looks for what a restore holds, on the platforms that show an account's posts.
func (b *base) looks(posts *postgres.Publish) *restored.Looks {
	return restored.NewLooks(restored.LooksConfig{
		Store: restores.New(b.store.DB), Posts: posts, Connectors: b.catalog, Vault: b.vault,
		CannotFind: func(p schema.Platform) bool { return catalog.Constraints(p).CannotFind },
		Now:        b.store.Now, Logger: b.config.Logger,
	})
}

// olderPatience is how long the parts may take to be compared with the database: one that does not answer
// holds up nothing.
const olderPatience = 10 * time.Second

// lastMessages is how many messages of each partition of the events are compared: among so many are some of
// posts, unless no post has had any for long.
const lastMessages = 64

// refuseOlder fails where ClickHouse or the log has events that the database would have if it had not
// gone back to an earlier moment: what went out since would go out again. A part that does not answer is
// not compared, since publishing needs neither.
func (b *base) refuseOlder(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, olderPatience)
	defer cancel()
	restored := restores.New(b.store.DB)
	known, err := restored.Newest(ctx)
	if err != nil || known.Empty {
		return err
	}
	for _, part := range []struct {
		name   string
		newest func(context.Context, *restores.Store, schema.NewestKnown) (time.Time, error)
	}{{"ClickHouse", b.beyondClickHouse}, {"the log", b.beyondLog}} {
		at, err := part.newest(ctx, restored, known)
		switch {
		case err != nil:
			b.config.Logger.WarnContext(ctx, "the database was not compared with "+part.name, "err", err)
		case !at.IsZero():
			return &olderError{part.name, at, known.At}
		}
	}
	return nil
}

// olderError is of a database that went back.
type olderError struct {
	part         string
	newest, last time.Time
}

func (e *olderError) Error() string {
	return fmt.Sprintf("%s has events up to %s, and this database knows of none after %s: it went back to an earlier moment, by a recovery or a standby that was behind. "+
		"What was published, edited or cancelled since is not known to it, so that nothing is published. "+
		"Start once with --restored-to %s, which holds what was open then until you decide (see Restore in docs/operating/operation.md); if %s is of another installation, give this one its own",
		e.part, e.newest.Format(time.RFC3339), e.last.Format(time.RFC3339), e.last.Format(time.RFC3339), e.part)
}

// beyondClickHouse returns the time of ClickHouse's newest event where the database has given its position
// to none; zero where it has. Other processes may have given it since known was read, so what seems to be
// beyond that is compared with what the database knows now.
func (b *base) beyondClickHouse(ctx context.Context, restored *restores.Store, known schema.NewestKnown) (time.Time, error) {
	if b.analytics == nil {
		return time.Time{}, nil
	}
	highest, at, err := b.analytics.Since().Beyond(ctx, known.Position, b.store.Now())
	if err != nil || at.IsZero() {
		return time.Time{}, err
	}
	if known, err = restored.Newest(ctx); err != nil || highest <= known.Position {
		return time.Time{}, err
	}
	return at, nil
}

// beyondLog returns when the newest batch of events in the log was made that the database never had; zero
// where it had those that were written last.
func (b *base) beyondLog(ctx context.Context, restored *restores.Store, _ schema.NewestKnown) (time.Time, error) {
	last, err := b.log.Last(ctx, schema.TopicEvents, lastMessages)
	if err != nil {
		return time.Time{}, err
	}
	var batches []schema.BatchID
	for _, m := range last {
		var batch schema.EventBatch
		if json.Unmarshal(m.Value, &batch) == nil && slices.ContainsFunc(batch.Events, isOfPost) {
			batches = append(batches, batch.ID)
		}
	}
	return restored.Unknown(ctx, batches)
}

// isOfPost reports whether an event is of a post: those are committed before anybody is told of them. Of
// others PostgreSQL may have lost the last in a crash.
func isOfPost(e schema.Event) bool { return !e.Post.IsZero() }
