package pipeline

import (
	"context"
	"time"

	"crier/schema"
)

// deletionStore deletes workspaces and accounts, a chunk at a time.
type deletionStore interface {
	// Delete goes on with the deletion that has waited longest.
	Delete(ctx context.Context, erase func(context.Context, schema.Erasure) (events int64, err error)) (rows int, more bool, err error)
	// Forget removes what is known of deletions that were done long ago.
	Forget(ctx context.Context) (rows int, more bool, err error)
	// ForgetProfiles erases what platforms have said of accounts that were disconnected longer
	// ago than it is kept.
	ForgetProfiles(ctx context.Context, retention map[schema.Platform]time.Duration) (rows int, more bool, err error)
}

// eventEraser erases events from ClickHouse.
type eventEraser interface {
	// Erase returns how many events it found: none once they are gone.
	Erase(ctx context.Context, of schema.Erasure) (events int64, err error)
}

// Deleting carries deletions out: chores of the role analytics, which reaches ClickHouse. Every
// process with the role runs them; a lock in the database lets one of them work at a time.
type Deleting struct{ DeletingConfig }

// DeletingConfig is what carries deletions out is made of.
type DeletingConfig struct {
	Shared
	Store  deletionStore
	Events eventEraser
	// Profiles is how long those of each platform are kept once they are disconnected.
	Profiles map[schema.Platform]time.Duration
}

// forgetEvery is how often what deletions no longer need is deleted.
const forgetEvery = time.Hour

// NewDeleting makes what carries deletions out.
func NewDeleting(c DeletingConfig) *Deleting { return &Deleting{c} }

// Run works until ctx ends.
func (d *Deleting) Run(ctx context.Context) error {
	d.keepAll(ctx, []Chore{
		{Name: "delete", Every: time.Second, Do: d.delete},
		{Name: "forget_deletions", Every: forgetEvery, Do: d.Store.Forget},
		{Name: "forget_profiles", Every: forgetEvery, Do: d.forgetProfiles},
	})
	return nil
}

func (d *Deleting) delete(ctx context.Context) (rows int, more bool, err error) {
	return d.Store.Delete(ctx, d.Events.Erase)
}

func (d *Deleting) forgetProfiles(ctx context.Context) (rows int, more bool, err error) {
	return d.Store.ForgetProfiles(ctx, d.Profiles)
}
