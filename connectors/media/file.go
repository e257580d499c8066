package media

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/gabriel-vasile/mimetype"

	"crier/connectors/media/heif"
	"crier/connectors/media/metadata"
	"crier/schema"
	"crier/schema/validation"
)

// File is media on disk. Its user closes it, which removes it.
type File struct {
	schema.MediaFacts
	Path     string
	shared   bool // it is the store's, or goes on being used: Close leaves it
	close    func()
	quota    *DiskQuota // that it takes; nil: another's, or none that is counted
	refitted bool       // it was made to fit its platform
	// plan is what is left out as it is read; nil: it is read as it is.
	plan *metadata.Plan
}

// removed is by how many bytes less is read than is on disk.
func (f *File) removed() int64 {
	if f.plan == nil {
		return 0
	}
	return f.plan.Removed()
}

// Check refuses a file that a platform does not take, by what its content is; the error
// is a *schema.Error of kind Refused that says all that is wrong.
func (f *File) Check(c schema.Constraints) error {
	details := validation.WithCure(c, f.MediaFacts)
	if len(details) == 0 {
		return nil
	}
	return refused(messages(details), nil)
}

// Open returns the content as it is published. It can be read by several readers at once.
func (f *File) Open() (Content, error) {
	content, err := os.Open(f.Path)
	if err != nil {
		return nil, fmt.Errorf("opening media: %w", err)
	}
	if f.plan == nil || len(f.plan.Edits) == 0 {
		return content, nil
	}
	return viewed{f.plan.View(content, f.Size+f.removed()), content}, nil
}

// Close removes the file, unless it is the store's own or is kept for the next step of an
// upload. Readers that are open can read on.
func (f *File) Close() error {
	if f.close != nil {
		f.close()
	}
	if f.shared {
		return nil
	}
	if err := os.Remove(f.Path); err != nil {
		return fmt.Errorf("removing media: %w", err)
	}
	f.quota.Give(f.Size + f.removed())
	return nil
}

// CloseAll closes files, of which some may be nil.
func CloseAll(files []*File) error {
	var failed error
	for _, file := range files {
		if file != nil {
			failed = errors.Join(failed, file.Close())
		}
	}
	return failed
}

// Limits bounds what is taken.
type Limits struct {
	MaxBytes int64
	Quota    *DiskQuota // on disk; nil: as much as there is
}

// Save streams content into a new file of folder dir and probes it. The error is a
// *schema.Error of kind Refused when the content is over its limits or no media
// that any platform takes, Unavailable when the disk is full; an error of the content's
// reader passes as it is. Nothing stays behind after an error.
func Save(dir string, content io.Reader, limits Limits) (*File, error) {
	disk, err := os.CreateTemp(dir, temporary+"*")
	if err != nil {
		return nil, noRoom(err)
	}
	w := &writer{disk: disk, quota: limits.Quota}
	file, err := save(w, content, limits)
	err = errors.Join(err, disk.Close())
	if err != nil {
		limits.Quota.Give(w.taken)
		return nil, errors.Join(err, os.Remove(disk.Name()))
	}
	return file, nil
}

// temporary begins the names of files that are not whole, or that go with their user.
const temporary = "media-"

// RemoveTemporary removes from a folder what a process that died was writing there.
func RemoveTemporary(folder string) error {
	left, err := filepath.Glob(filepath.Join(folder, temporary+"*"))
	if err != nil {
		return fmt.Errorf("listing temporary media: %w", err)
	}
	for _, path := range left {
		if err := ignoreMissing(os.Remove(path)); err != nil {
			return fmt.Errorf("removing temporary media: %w", err)
		}
	}
	return nil
}

func save(w *writer, content io.Reader, limits Limits) (*File, error) {
	disk := w.disk
	size, err := io.Copy(w, io.LimitReader(content, limits.MaxBytes+1))
	if err != nil {
		return nil, err
	}
	if size > limits.MaxBytes {
		return nil, tooLarge(limits)
	}
	found, err := Probe(disk, size)
	if err != nil {
		return nil, err
	}
	return &File{MediaFacts: found, Path: disk.Name(), quota: limits.Quota}, nil
}

// writer tells a failure of the disk from one of the content's reader.
type writer struct {
	disk  *os.File
	quota *DiskQuota
	taken int64 // bytes
}

// Write implements io.Writer.
func (w *writer) Write(p []byte) (int, error) {
	if err := w.quota.Take(int64(len(p))); err != nil {
		return 0, err
	}
	w.taken += int64(len(p))
	n, err := w.disk.Write(p)
	if err != nil {
		err = noRoom(err)
	}
	return n, err
}

func tooLarge(limits Limits) *schema.Error {
	return refused(fmt.Sprintf("the media is larger than %d bytes", limits.MaxBytes), nil)
}

func refused(message string, cause error) *schema.Error {
	return &schema.Error{Kind: schema.Refused, Message: message, Err: cause}
}

// sent returns a file as it is published for an item; one that cannot be is closed.
func (f *File) sent(item schema.Media) (*File, error) {
	if item.KeepMetadata || f.refitted {
		return f, nil
	}
	if err := f.bare(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// bare leaves out of what is read of a file what says where, when and by whom it was made. It is
// Refused where nobody can tell what that is.
func (f *File) bare() (err error) {
	if f.plan != nil || !metadata.Knows(f.Type) {
		return nil
	}
	content, err := os.Open(f.Path)
	if err != nil {
		return fmt.Errorf("opening media: %w", err)
	}
	defer func() { err = errors.Join(err, content.Close()) }()
	plan, err := metadata.Find(content, f.Size, f.Type)
	if err != nil {
		return refused("the file is damaged or incomplete: "+f.Type, err)
	}
	f.plan = &plan
	f.Size, f.Metadata = f.Size-plan.Removed(), 0
	return nil
}

// viewed is content without its metadata.
type viewed struct {
	metadata.View
	io.Closer
}

// bareContent is content of a blob store without its metadata, and its media type. It takes the
// content over.
func bareContent(content Content) (_ io.ReadSeekCloser, mediaType string, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, content.Close())
		}
	}()
	size, err := content.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, "", failure(err)
	}
	read := &pages{content: content, size: size}
	detected, err := mimetype.DetectReader(io.NewSectionReader(read, 0, size))
	if err == nil {
		mediaType, _, _ = formatOf(detected.String())
		mediaType = heif.Type(read, size, mediaType)
		var plan metadata.Plan
		if plan, err = metadata.Find(read, size, mediaType); err == nil {
			return viewed{plan.View(&streamed{content: content, at: size}, size), content}, mediaType, nil
		}
	}
	if read.failed != nil {
		return nil, "", failure(read.failed)
	}
	return nil, "", refused("the file is damaged or incomplete: "+mediaType, err)
}

// streamed reads content one piece after the other: a bucket is asked anew only where something was
// left out. It is not safe for concurrent use.
type streamed struct {
	content io.ReadSeeker
	at      int64
}

// ReadAt implements io.ReaderAt.
func (s *streamed) ReadAt(into []byte, offset int64) (int, error) {
	if s.at != offset {
		if _, err := s.content.Seek(offset, io.SeekStart); err != nil {
			return 0, err
		}
		s.at = offset
	}
	n, err := io.ReadFull(s.content, into)
	s.at += int64(n)
	return n, err
}
