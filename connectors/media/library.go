package media

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"crier/connectors/media/decoder"
	"crier/schema"
)

// Content is what is kept of one upload. Whoever opened it closes it.
type Content interface {
	io.ReadSeekCloser
	io.ReaderAt
}

// blobs keeps content under ids: a Folder, or an S3.
type blobs interface {
	// Put takes a file over; it is durable once Put has returned.
	Put(ctx context.Context, id schema.MediaID, file *File) error
	// Open returns NotFound for an id that is not kept.
	Open(ctx context.Context, id schema.MediaID) (Content, error)
	// Remove removes what is kept or has come for an id, if anything.
	Remove(ctx context.Context, id schema.MediaID) error
	// Before visits what was put in before a time.
	Before(ctx context.Context, at time.Time, visit func(schema.MediaID) error) error
}

// inbox is a blob store that takes uploads by itself.
type inbox interface {
	UploadURL(ctx context.Context, id schema.MediaID, life time.Duration) (string, error)
	// Accept takes over what was uploaded; NotFound until then.
	Accept(ctx context.Context, id schema.MediaID, maximum int64) (schema.MediaFacts, error)
}

// Library keeps the media that was uploaded: content arrives in a folder, is probed
// there, and only what is whole and of a known kind goes to the blob store. It is safe
// for concurrent use.
type Library struct {
	blobs    blobs
	arriving string
	fetcher  *Fetcher
	limits   Limits
	variants *variants
	files    string

	partStore *partStore
	partBytes int64
}

// LibraryConfig is what a Library is made of.
type LibraryConfig struct {
	Blobs    blobs
	Arriving string // folder of what is not whole yet; of the file system of a Folder
	Fetcher  *Fetcher
	MaxBytes int64 // of one upload
	// PartBytes is the size of a part of an upload that comes in parts; 0: 32 MiB. What is not
	// larger comes in one piece.
	PartBytes int64
	Quota     *DiskQuota // on disk, of all that is kept there; nil: as much as there is
	// Constraints is what platforms take; nil: no picture is made to fit.
	Constraints func(schema.Platform) schema.Constraints
	Decoder     decoder.Decoder // of HEIC and AVIF
	// Files is the address under which the gateway serves content to platforms; empty: they do not
	// reach it.
	Files string
}

// NewLibrary makes the folder of arriving files if it is not there.
func NewLibrary(config LibraryConfig) (*Library, error) {
	if err := os.MkdirAll(config.Arriving, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of arriving media: %w", err)
	}
	if folder, ok := config.Blobs.(*Folder); ok {
		folder.quota = config.Quota
	}
	return &Library{
		blobs: config.Blobs, arriving: config.Arriving, fetcher: config.Fetcher, limits: Limits{config.MaxBytes, config.Quota},
		variants: newVariants(config), files: config.Files, partStore: newPartStore(config.Arriving, config.Quota), partBytes: cmp.Or(config.PartBytes, partBytes),
	}, nil
}

// MaxBytes is the size of the largest upload.
func (l *Library) MaxBytes() int64 { return l.limits.MaxBytes }

// Keep stores content, of the given kinds only, and returns what it is. Errors are
// *schema.Error: Refused for content that is none of them (with its facts, where it is of
// another kind) or too large, Unavailable where there is no room or the store does not answer;
// an error of the content's reader passes as it is. Nothing stays behind after an error.
func (l *Library) Keep(ctx context.Context, id schema.MediaID, content io.Reader, kinds []schema.MediaKind) (schema.MediaFacts, error) {
	file, err := Save(l.arriving, content, l.limits)
	if err != nil {
		return schema.MediaFacts{}, err
	}
	return l.put(ctx, id, file, kinds)
}

// KeepURL stores what is at a url. Its errors are those of Keep and of Fetcher.Fetch.
func (l *Library) KeepURL(ctx context.Context, id schema.MediaID, address string, kinds []schema.MediaKind) (schema.MediaFacts, error) {
	file, err := l.fetcher.FetchTo(ctx, l.arriving, address, l.limits)
	if err != nil {
		return schema.MediaFacts{}, err
	}
	return l.put(ctx, id, file, kinds)
}

func (l *Library) put(ctx context.Context, id schema.MediaID, file *File, kinds []schema.MediaKind) (schema.MediaFacts, error) {
	if err := checkKind(file.MediaFacts, kinds); err != nil {
		return file.MediaFacts, errors.Join(err, file.Close())
	}
	err := l.blobs.Put(ctx, id, file)
	if err == nil {
		return file.MediaFacts, l.partStore.clear(id) // of which it did not come
	}
	if err = errors.Join(err, ignoreMissing(file.Close())); !errors.Is(err, errTaken) {
		return schema.MediaFacts{}, err
	}
	return l.there(ctx, id)
}

// checkKind refuses what is not of a kind that is taken.
func checkKind(facts schema.MediaFacts, kinds []schema.MediaKind) error {
	if !slices.Contains(kinds, facts.Kind) {
		return refused("the file is "+facts.Type+", which is not taken here", nil)
	}
	return nil
}

// there returns what is kept already: of two that send the same upload the first to be
// whole wins, and one that is sent again after a crash finds what it had sent.
func (l *Library) there(ctx context.Context, id schema.MediaID) (schema.MediaFacts, error) {
	file, err := l.Stored(ctx, id)
	if err != nil {
		return schema.MediaFacts{}, err
	}
	return file.MediaFacts, file.Close()
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Open returns the content of an upload, or NotFound.
func (l *Library) Open(ctx context.Context, id schema.MediaID) (io.ReadSeekCloser, error) {
	return l.blobs.Open(ctx, id)
}

// Remove removes the content of an upload, and of its parts, if there is any.
func (l *Library) Remove(ctx context.Context, id schema.MediaID) error {
	return errors.Join(l.partStore.clear(id), l.blobs.Remove(ctx, id))
}

// UploadURL returns an address that takes an upload by itself; empty: the blob store has
// none, and the content comes through Keep.
func (l *Library) UploadURL(ctx context.Context, id schema.MediaID, life time.Duration) (string, error) {
	box, ok := l.blobs.(inbox)
	if !ok {
		return "", nil
	}
	return box.UploadURL(ctx, id, life)
}

// Accept takes over what was uploaded to an UploadURL and returns what it is; NotFound
// until something has come, Refused for what is not what was announced.
func (l *Library) Accept(ctx context.Context, u schema.Upload) (schema.MediaFacts, error) {
	box, ok := l.blobs.(inbox)
	if !ok {
		return schema.MediaFacts{}, errNoMedia()
	}
	facts, err := box.Accept(ctx, u.ID, l.limits.MaxBytes)
	if err != nil || u.Announced.SHA256 == "" {
		return facts, err
	}
	content, err := l.blobs.Open(ctx, u.ID)
	if err != nil {
		return facts, err
	}
	err = checkSum(ctx, u.Announced, failing{content, unavailable})
	if schema.KindOf(err) == schema.Refused {
		err = errors.Join(err, l.blobs.Remove(ctx, u.ID))
	}
	return facts, errors.Join(err, content.Close())
}

// failing is content whose failures are judged.
type failing struct {
	content io.Reader
	judge   func(error) error
}

func (f failing) Read(p []byte) (int, error) {
	n, err := f.content.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = f.judge(err)
	}
	return n, err
}

// Stored opens an upload as a file, for connectors: Refused where it is gone, Retryable
// where the store does not answer.
func (l *Library) Stored(ctx context.Context, id schema.MediaID) (*File, error) {
	content, err := l.blobs.Open(ctx, id)
	if schema.KindOf(err) == schema.NotFound {
		return nil, refused("the upload is no longer there", err)
	}
	if err != nil {
		return nil, unread(err)
	}
	return l.fileOf(content)
}

// fileOf makes a File of what the blob store has opened.
func (l *Library) fileOf(content Content) (*File, error) {
	opened, ok := content.(*os.File)
	if !ok {
		file, err := Save(l.arriving, failing{content, unread}, Limits{unlimited, l.limits.Quota})
		return file, errors.Join(err, content.Close())
	}
	file, err := openStored(opened)
	return file, errors.Join(err, opened.Close())
}

// unlimited is for what was taken once, whatever is taken now.
const unlimited = 1 << 62 // bytes

// unread is the failure of a blob store to read an upload, which passes.
func unread(err error) error {
	return &schema.Error{Kind: schema.Retryable, Message: "the upload cannot be read at the moment", Err: err}
}

// openStored makes a File of one that stays where it is.
func openStored(opened *os.File) (*File, error) {
	info, err := opened.Stat()
	if err != nil {
		return nil, fmt.Errorf("opening media: %w", err)
	}
	facts, err := Probe(opened, info.Size())
	if err != nil {
		return nil, err
	}
	return &File{MediaFacts: facts, Path: opened.Name(), shared: true}, nil
}

// Sweep removes what arrived before a time and never became whole, and visits what was
// kept before it, so that its visitor can remove what nobody knows. It counts what takes room
// on disk.
func (l *Library) Sweep(ctx context.Context, before time.Time, visit func(schema.MediaID) error) error {
	began := l.limits.Quota.Used()
	entries, err := os.ReadDir(l.arriving)
	if err != nil {
		return fmt.Errorf("listing arriving media: %w", err)
	}
	var found int64
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			continue // gone meanwhile
		}
		path := filepath.Join(l.arriving, entry.Name())
		if info.ModTime().After(before) { // still arriving
			found += diskBytes(path) + diskBytes(filepath.Join(path, partContent))
			continue
		}
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("removing media that never arrived: %w", err)
		}
	}
	folder, ok := l.blobs.(*Folder)
	if err := l.blobs.Before(ctx, before, visit); err != nil || l.limits.Quota == nil || !ok {
		return err
	}
	size, err := folder.size(ctx)
	if err == nil {
		l.limits.Quota.recount(began, found+size)
	}
	return err
}

func errNoMedia() error { return &schema.Error{Kind: schema.NotFound, Message: "media not found"} }

// noRoom makes a failure to write to disk one that passes: a full disk, a limit on the
// size of files. Any other is a fault.
func noRoom(err error) error {
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if errors.Is(err, full) {
			return &schema.Error{Kind: schema.Unavailable, Message: "there is no room for media at the moment", Err: err}
		}
	}
	return fmt.Errorf("keeping media: %w", err)
}
