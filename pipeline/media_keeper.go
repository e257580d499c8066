package pipeline

import (
	"context"
	"log/slog"
	"time"

	"crier/schema"
)

// mediaRows is what removing unused media asks of the database.
type mediaRows interface {
	ExpireMedia(ctx context.Context) (int64, error)
	DoomedMedia(ctx context.Context, limit int) ([]schema.MediaID, error)
	ForgetMedia(ctx context.Context, gone []schema.MediaID) error
	StrayMedia(ctx context.Context, ids []schema.MediaID) ([]schema.MediaID, error)
}

// mediaContent is what it asks of the store of content.
type mediaContent interface {
	Remove(ctx context.Context, id schema.MediaID) error
	Sweep(ctx context.Context, before time.Time, visit func(schema.MediaID) error) error
}

// MediaKeeper removes media that nothing uses: a row is marked first, then its content
// goes, then the row, so that a crash in between leaves nothing that is not found again.
// Content without a row, of a crash between the two, is swept a day later.
type MediaKeeper struct {
	rows    mediaRows
	content mediaContent
	now     func() time.Time
	logger  *slog.Logger
}

const (
	mediaEvery = time.Minute
	strayEvery = 6 * time.Hour
	strayAge   = 24 * time.Hour // far beyond any upload that is still on its way
	mediaBatch = 200
)

// NewMediaKeeper makes a MediaKeeper.
func NewMediaKeeper(rows mediaRows, content mediaContent, now func() time.Time, logger *slog.Logger) *MediaKeeper {
	return &MediaKeeper{rows, content, now, logger}
}

// Run removes what is to be removed until ctx ends.
func (k *MediaKeeper) Run(ctx context.Context) error {
	var swept time.Time
	for {
		err := k.Remove(ctx)
		if err == nil && k.now().Sub(swept) >= strayEvery {
			err, swept = k.Sweep(ctx), k.now()
		}
		if err != nil && ctx.Err() == nil {
			k.logger.WarnContext(ctx, "removing media failed", "err", err)
		}
		if !pause(ctx, mediaEvery) {
			return nil
		}
	}
}

// Remove marks what has expired and removes what was marked a while ago.
func (k *MediaKeeper) Remove(ctx context.Context) error {
	if _, err := k.rows.ExpireMedia(ctx); err != nil {
		return err
	}
	for {
		doomed, err := k.rows.DoomedMedia(ctx, mediaBatch)
		if err != nil || len(doomed) == 0 {
			return err
		}
		for _, id := range doomed {
			if err := k.content.Remove(ctx, id); err != nil {
				return err
			}
		}
		if err := k.rows.ForgetMedia(ctx, doomed); err != nil {
			return err
		}
		k.logger.InfoContext(ctx, "media was removed", "media", len(doomed))
	}
}

// Sweep removes content that has no row.
func (k *MediaKeeper) Sweep(ctx context.Context) error {
	var batch []schema.MediaID
	flush := func() error {
		strays, err := k.rows.StrayMedia(ctx, batch)
		if err != nil {
			return err
		}
		batch = batch[:0]
		for _, id := range strays {
			k.logger.InfoContext(ctx, "stray media is removed", "media", id)
			if err := k.content.Remove(ctx, id); err != nil {
				return err
			}
		}
		return nil
	}
	err := k.content.Sweep(ctx, k.now().Add(-strayAge), func(id schema.MediaID) error {
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
