package pipeline

import (
	"context"
	"time"

	"crier/schema"
	"crier/schema/sleep"
)

// mediaRows is the rows of media in the database.
type mediaRows interface {
	// ExpireMedia marks rows that have expired and that no post needs, and reports whether there
	// are more.
	ExpireMedia(ctx context.Context) (more bool, err error)
	// RemovableMedia returns rows that were marked a while ago, oldest first.
	RemovableMedia(ctx context.Context, limit int) ([]schema.MediaID, error)
	ForgetMedia(ctx context.Context, gone []schema.MediaID) error
	// OrphanedMedia returns those of ids that have no row.
	OrphanedMedia(ctx context.Context, ids []schema.MediaID) ([]schema.MediaID, error)
}

// mediaContent is the blob store.
type mediaContent interface {
	Remove(ctx context.Context, id schema.MediaID) error
	Sweep(ctx context.Context, before time.Time, visit func(schema.MediaID) error) error
}

// MediaCleanup removes media that no post needs: it marks a row, deletes its content, and
// then the row, so that after a crash in between the next pass goes on. Content without a
// row, left by an upload that crashed, is removed a day later.
type MediaCleanup struct{ MediaCleanupConfig }

// MediaCleanupConfig is what the cleanup of media is made of.
type MediaCleanupConfig struct {
	Shared
	Rows    mediaRows
	Content mediaContent
	Now     func() time.Time
}

const (
	mediaEvery   = time.Minute
	orphansEvery = 6 * time.Hour
	orphanAge    = 24 * time.Hour // longer than any upload takes
	mediaBatch   = 200
)

// NewMediaCleanup makes a MediaCleanup.
func NewMediaCleanup(c MediaCleanupConfig) *MediaCleanup { return &MediaCleanup{c} }

// Run cleans up until ctx ends.
func (c *MediaCleanup) Run(ctx context.Context) error {
	var swept time.Time
	for ctx.Err() == nil {
		err := c.Remove(ctx)
		if err == nil && c.Now().Sub(swept) >= orphansEvery {
			err, swept = c.Sweep(ctx), c.Now()
		}
		if err != nil && ctx.Err() == nil {
			c.Logger.WarnContext(ctx, "removing media failed", "err", err)
		}
		_ = sleep.For(ctx, mediaEvery)
	}
	return nil
}

// Remove marks what has expired, and removes what was marked a while ago.
func (c *MediaCleanup) Remove(ctx context.Context) error {
	for more := true; more; {
		var err error
		if more, err = c.Rows.ExpireMedia(ctx); err != nil {
			return err
		}
	}
	for {
		marked, err := c.Rows.RemovableMedia(ctx, mediaBatch)
		if err != nil || len(marked) == 0 {
			return err
		}
		for _, id := range marked {
			if err := c.Content.Remove(ctx, id); err != nil {
				return err
			}
		}
		if err := c.Rows.ForgetMedia(ctx, marked); err != nil {
			return err
		}
		c.Logger.InfoContext(ctx, "media was removed", "media", len(marked))
	}
}

// Sweep removes content that has no row.
func (c *MediaCleanup) Sweep(ctx context.Context) error {
	var batch []schema.MediaID
	flush := func() error {
		orphaned, err := c.Rows.OrphanedMedia(ctx, batch)
		if err != nil {
			return err
		}
		batch = batch[:0]
		for _, id := range orphaned {
			c.Logger.InfoContext(ctx, "orphaned media is removed", "media", id)
			if err := c.Content.Remove(ctx, id); err != nil {
				return err
			}
		}
		return nil
	}
	err := c.Content.Sweep(ctx, c.Now().Add(-orphanAge), func(id schema.MediaID) error {
		if batch = append(batch, id); len(batch) < mediaBatch {
			return nil
		}
		return flush()
	})
	if err != nil || len(batch) == 0 {
		return err
	}
	return flush()
}
