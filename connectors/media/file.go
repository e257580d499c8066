package media

import (
	"errors"
	"fmt"
	"io"
	"os"

	"crier/schema"
	"crier/schema/validation"
)

// File is media on disk. Its user closes it, which removes it.
type File struct {
	schema.MediaFacts
	Path     string
	kept     bool // it is the store's: Close leaves it
	refitted bool // it was made to fit its platform
}

// Check refuses a file that a platform does not take, by what its content is; the error
// is a *schema.Error of kind Refused that says all that is wrong.
func (f *File) Check(c schema.Constraints) error {
	details := validation.CheckMedia(c.Media, c.Platform, f.MediaFacts)
	if len(details) == 0 {
		return nil
	}
	return refused(messages(details), nil)
}

// Open returns the content. It can be read by several readers at once.
func (f *File) Open() (io.ReadCloser, error) {
	content, err := os.Open(f.Path)
	if err != nil {
		return nil, fmt.Errorf("opening media: %w", err)
	}
	return content, nil
}

// Close removes the file, unless it is the store's own. Readers that are open can read
// on.
func (f *File) Close() error {
	if f.kept {
		return nil
	}
	if err := os.Remove(f.Path); err != nil {
		return fmt.Errorf("removing media: %w", err)
	}
	return nil
}

// Limits bounds what is taken.
type Limits struct {
	MaxBytes int64
}

// Save streams content into a new file of folder dir and probes it. The error is a
// *schema.Error of kind Refused when the content is over its limits or no media
// that any platform takes, Unavailable when the disk is full; an error of the content's
// reader passes as it is. Nothing stays behind after an error.
func Save(dir string, content io.Reader, limits Limits) (*File, error) {
	disk, err := os.CreateTemp(dir, "media-*")
	if err != nil {
		return nil, noRoom(err)
	}
	file, err := save(disk, content, limits)
	err = errors.Join(err, disk.Close())
	if err != nil {
		return nil, errors.Join(err, os.Remove(disk.Name()))
	}
	return file, nil
}

func save(disk *os.File, content io.Reader, limits Limits) (*File, error) {
	size, err := io.Copy(writer{disk}, io.LimitReader(content, limits.MaxBytes+1))
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
	return &File{MediaFacts: found, Path: disk.Name()}, nil
}

// writer tells a failure of the disk from one of the content's reader.
type writer struct{ disk *os.File }

func (w writer) Write(p []byte) (int, error) {
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
