package media

import (
	"context"
	"errors"
	"io"
	"time"

	"golang.org/x/sync/semaphore"

	"crier/connectors/media/decoder"
	"crier/schema"
	"crier/schema/validation"
)

// variants is what making pictures fit needs. One is made at a time: decoded it takes a thousand
// times what a file on its way does.
type variants struct {
	constraints func(schema.Platform) schema.Constraints
	turn        *semaphore.Weighted
	decoder     decoder.Decoder // of what Go does not decode
}

func newVariants(config LibraryConfig) *variants {
	return &variants{config.Constraints, semaphore.NewWeighted(1), config.Decoder}
}

// limits returns what a variant is to fit.
func (v *variants) limits(of schema.Variant) schema.Constraints {
	return v.constraints(of.Platform).For(&schema.Account{Platform: of.Platform, Limits: of.Limits})
}

// variantWait is how long a picture waits for those before it.
const variantWait = 30 * time.Second

// refit makes a picture fit; the file itself where the platform takes it as it is, without its metadata,
// or nothing was asked for. It is Refused where it cannot be made to fit.
func (v *variants) refit(ctx context.Context, dir string, file *File, of schema.Variant) (*File, error) {
	facts := file.MediaFacts
	facts.Size -= facts.Metadata
	plan, needed, details := validation.Fit(v.limits(of), facts, of.Fit)
	if len(details) == 0 || !needed && of.Fit == schema.FitNone {
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
	return v.make(ctx, dir, file, plan)
}

// Variant opens the picture that an upload is made into for a platform: the upload itself where
// the platform takes it. What was made is kept beside the uploads until it is swept, as content
// that has no row is, and is made again after that. Its errors are those of Stored, and Refused
// where the picture cannot be made to fit.
func (l *Library) Variant(ctx context.Context, id schema.MediaID, of schema.Variant) (*File, error) {
	file, err := l.storedVariant(ctx, of.Of(id))
	if schema.KindOf(err) != schema.NotFound {
		return file, err
	}
	original, err := l.Stored(ctx, id)
	if err != nil {
		return nil, err
	}
	fitted, err := l.variants.refit(ctx, l.arriving, original, of)
	if fitted == original {
		return original, nil
	}
	if err = errors.Join(err, original.Close()); err != nil {
		return nil, err
	}
	if err := l.limits.Quota.Take(fitted.Size); err != nil {
		return nil, errors.Join(err, fitted.Close())
	}
	fitted.quota = l.limits.Quota
	if err := l.blobs.Put(ctx, of.Of(id), fitted); err != nil {
		left := ignoreMissing(fitted.Close())
		if !errors.Is(err, errTaken) || left != nil { // another has made the same
			return nil, errors.Join(err, left)
		}
	}
	return l.storedVariant(ctx, of.Of(id))
}

func (l *Library) storedVariant(ctx context.Context, id schema.MediaID) (*File, error) {
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

// OpenVariant returns the content of a Variant of a platform that fetches it by itself, or of a copy
// of a url, and its media type; NotFound: there is none. It has no metadata.
func (l *Library) OpenVariant(ctx context.Context, id schema.MediaID, of schema.Variant) (io.ReadSeekCloser, string, error) {
	content, mediaType, err := l.openVariant(ctx, id, of)
	if schema.KindOf(err) == schema.Refused {
		return nil, "", errNoMedia()
	}
	return content, mediaType, err
}

func (l *Library) openVariant(ctx context.Context, id schema.MediaID, of schema.Variant) (io.ReadSeekCloser, string, error) {
	if of.Copy {
		return l.openBare(ctx, schema.CopyID(id))
	}
	if !l.variants.constraints(of.Platform).Pulls {
		return nil, "", errNoMedia()
	}
	if of.Fit == schema.FitNone {
		content, mediaType, err := l.openBare(ctx, id)
		if err != nil || !validation.MayConvert(l.variants.limits(of).Media, mediaType) {
			return content, mediaType, err
		}
		if err := content.Close(); err != nil {
			return nil, "", err
		}
	}
	file, err := l.Variant(ctx, id, of)
	if err == nil {
		file, err = file.sent(schema.Media{})
	}
	if err != nil {
		return nil, "", err
	}
	content, err := file.Open()
	if err != nil {
		return nil, "", errors.Join(err, file.Close())
	}
	return opened{content, file}, file.Type, nil
}

func (l *Library) openBare(ctx context.Context, id schema.MediaID) (io.ReadSeekCloser, string, error) {
	content, err := l.blobs.Open(ctx, id)
	if err != nil {
		return nil, "", err
	}
	return bareContent(content)
}

// opened is a file that goes with its reader.
type opened struct {
	Content
	file *File
}

func (o opened) Close() error { return errors.Join(o.Content.Close(), o.file.Close()) }

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
	of := item.Fitted(f.platform)
	limits := f.library.variants.limits(of).Media
	switch {
	case item.Fit == schema.FitNone && item.Facts != nil && !validation.MayConvert(limits, item.Facts.Type):
		return f.Source.Open(ctx, item)
	case !item.MediaID.IsZero():
		file, err := f.library.Variant(ctx, item.MediaID, of)
		if err != nil {
			return nil, passing(err)
		}
		return file.sent(item)
	}
	file, err := f.Source.Open(ctx, item)
	if err != nil || item.Fit == schema.FitNone && !validation.MayConvert(limits, file.Type) {
		return file, err
	}
	fitted, err := f.library.variants.refit(ctx, f.library.arriving, file, of)
	if fitted == file {
		return file, nil
	}
	if err = errors.Join(passing(err), file.Close()); err != nil && fitted != nil {
		err, fitted = errors.Join(err, fitted.Close()), nil
	}
	return fitted, err
}

// Publish keeps a file that was fetched from a url for as long as content without a row stays, and
// returns where platforms fetch it without its metadata; empty: they do not reach this server.
func (f fitting) Publish(ctx context.Context, item schema.Media, file *File) (string, error) {
	l := f.library
	if l.files == "" {
		return "", nil
	}
	id := schema.CopyOf(item.Upload, item.URL)
	facts := file.MediaFacts // of the whole file: a bucket is sent so many bytes
	facts.Size += file.removed()
	size := facts.Size
	if _, isHere := l.blobs.(*Folder); !isHere {
		size = 0 // on this disk
	}
	if err := l.limits.Quota.Take(size); err != nil {
		return "", passing(err)
	}
	err := l.blobs.Put(ctx, schema.CopyID(id), &File{MediaFacts: facts, Path: file.Path, shared: true})
	if err != nil {
		l.limits.Quota.Give(size)
	}
	if err != nil && !errors.Is(err, errTaken) { // an earlier step has put it there
		return "", passing(err)
	}
	return schema.CopyAddress(l.files, id, file.Type), nil
}

func messages(details []schema.Detail) string {
	all := make([]string, len(details))
	for i, d := range details {
		all[i] = d.Message
	}
	return schema.Clauses(all...)
}
