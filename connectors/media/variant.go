package media

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sync/semaphore"

	"crier/schema"
	"crier/schema/validation"
)

// variants is what making pictures fit needs. One is made at a time: decoded it takes a thousand
// times what a file on its way does.
type variants struct {
	constraints func(schema.Platform) schema.Constraints
	turn        *semaphore.Weighted
}

func newVariants(constraints func(schema.Platform) schema.Constraints) *variants {
	return &variants{constraints, semaphore.NewWeighted(1)}
}

// variantWait is how long a picture waits for those before it.
const variantWait = 30 * time.Second

// refit makes a picture fit; the file itself where the platform takes it as it is. It is Refused
// where it cannot be made to fit.
func (v *variants) refit(ctx context.Context, dir string, file *File, of schema.Variant) (*File, error) {
	plan, needed, details := validation.Fit(v.constraints(of.Platform), file.MediaFacts, of.Fit)
	if len(details) == 0 {
		return file, nil
	}
	if !needed {
		return nil, refused(messages(details), nil)
	}
	waiting, cancel := context.WithTimeout(ctx, variantWait)
	defer cancel()
	if err := v.turn.Acquire(waiting, 1); err != nil {
		return nil, &schema.Error{Kind: schema.Unavailable, Message: "too many pictures are being made to fit", Err: err}
	}
	defer v.turn.Release(1)
	return refit(ctx, dir, file, plan)
}

// Variant opens the picture that an upload is made into for a platform: the upload itself where
// the platform takes it. What was made is kept beside the uploads until it is swept, as content
// that has no row is, and is made again after that. Its errors are those of Stored, and Refused
// where the picture cannot be made to fit.
func (l *Library) Variant(ctx context.Context, id schema.MediaID, of schema.Variant) (*File, error) {
	file, err := l.madeVariant(ctx, of.Of(id))
	if schema.KindOf(err) != schema.NotFound {
		return file, err
	}
	original, err := l.Stored(ctx, id)
	if err != nil {
		return nil, err
	}
	made, err := l.variants.refit(ctx, l.arriving, original, of)
	if made == original {
		return original, nil
	}
	if err = errors.Join(err, original.Close()); err != nil {
		return nil, err
	}
	if err := l.limits.Room.Take(made.Size); err != nil {
		return nil, errors.Join(err, made.Close())
	}
	made.room = l.limits.Room
	if err := l.blobs.Put(ctx, of.Of(id), made); err != nil {
		left := made.Close()
		if errors.Is(left, fs.ErrNotExist) {
			left = nil
		}
		if !errors.Is(err, errTaken) || left != nil { // another has made the same
			return nil, errors.Join(err, left)
		}
	}
	return l.madeVariant(ctx, of.Of(id))
}

func (l *Library) madeVariant(ctx context.Context, id schema.MediaID) (*File, error) {
	content, err := l.blobs.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	file, err := l.fileOf(content)
	if err == nil {
		file.refitted = true
	}
	return file, err
}

// OpenVariant returns the content of a Variant of a platform that fetches it by itself, and its
// media type; NotFound: there is none.
func (l *Library) OpenVariant(ctx context.Context, id schema.MediaID, of schema.Variant) (io.ReadSeekCloser, string, error) {
	if !l.variants.constraints(of.Platform).Pulls {
		return nil, "", errNotKept()
	}
	file, err := l.Variant(ctx, id, of)
	if schema.KindOf(err) == schema.Refused {
		return nil, "", errNotKept()
	}
	if err != nil {
		return nil, "", err
	}
	content, err := os.Open(file.Path)
	if err != nil {
		return nil, "", errors.Join(err, file.Close())
	}
	return opened{content, file}, file.Type, nil
}

// opened is a file that goes with its reader.
type opened struct {
	*os.File
	file *File
}

func (o opened) Close() error { return errors.Join(o.File.Close(), o.file.Close()) }

// Fitting returns a source whose pictures are as a platform takes them, where their items ask
// for it.
func (l *Library) Fitting(source Source, platform schema.Platform) Source {
	return fitting{source, l, platform}
}

type fitting struct {
	Source
	library  *Library
	platform schema.Platform
}

// Open brings a media item. It is Refused where its picture cannot be made to fit.
func (f fitting) Open(ctx context.Context, item schema.Media) (*File, error) {
	of := schema.Variant{Platform: f.platform, Fit: fitOf(item, f.library.variants.constraints(f.platform))}
	switch {
	case of.Fit == schema.FitNone:
		return f.Source.Open(ctx, item)
	case !item.MediaID.IsZero():
		file, err := f.library.Variant(ctx, item.MediaID, of)
		return file, passing(err)
	}
	file, err := f.Source.Open(ctx, item)
	if err != nil {
		return nil, err
	}
	made, err := f.library.variants.refit(ctx, f.library.arriving, file, of)
	if made == file {
		return file, nil
	}
	if err = errors.Join(passing(err), file.Close()); err != nil && made != nil {
		err, made = errors.Join(err, made.Close()), nil
	}
	return made, err
}

func messages(details []schema.Detail) string {
	all := make([]string, len(details))
	for i, d := range details {
		all[i] = d.Message
	}
	return schema.Clauses(all...)
}
