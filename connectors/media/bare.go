package media

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/gabriel-vasile/mimetype"

	"crier/connectors/media/heif"
	"crier/connectors/media/metadata"
	"crier/schema"
)

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
