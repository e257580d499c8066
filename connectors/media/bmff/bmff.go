// Package bmff walks files that are boxes in boxes: MP4, QuickTime, HEIC and AVIF (ISO/IEC
// 14496-12, 4.2). A box is four bytes of size, four of type, and its content. They are read at
// their offsets, and no size is trusted: a parser of the whole format reads tables as long as the
// file claims them to be.
package bmff

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// MaxBoxes bounds a walk: a file can be millions of empty boxes. A recording of many hours has some ten
// thousand fragments, of several boxes each.
const MaxBoxes = 500_000

// ErrDamaged is that a size in a file contradicts the file.
var ErrDamaged = errors.New("a size in the file contradicts the file")

// Box is where a box stands: its content is from Body to End.
type Box struct {
	Kind             string
	Start, Body, End int64
}

// File is a file that is walked. It is not safe for concurrent use.
type File struct {
	content io.ReaderAt
	boxes   int // so far
}

// New returns a file of content.
func New(content io.ReaderAt) *File { return &File{content: content} }

// Walk visits the boxes between two offsets.
func (f *File) Walk(start, end int64, visit func(Box) error) error {
	for start+8 <= end { // QuickTime may end a list with four zero bytes
		if f.boxes++; f.boxes > MaxBoxes {
			return errors.New("the file has too many boxes")
		}
		b, err := f.box(start, end)
		if err != nil {
			return err
		}
		if err := visit(b); err != nil {
			return err
		}
		start = b.End
	}
	return nil
}

var errNotes = errors.New("the boxes end")

// Film visits the boxes of a film, and returns where they end: cameras of Insta360 append notes of their own,
// which no player looks at.
func (f *File) Film(size int64, visit func(Box) error) (end int64, err error) {
	var failed error
	notes := f.notes(size)
	err = f.Walk(0, size, func(b Box) error {
		if b.Start == notes {
			return errNotes
		}
		end = b.End
		failed = visit(b)
		return failed
	})
	if failed == nil && end == notes {
		return end, nil
	}
	return end, err
}

// notes returns where the notes of a camera begin; -1: there are none. They end with their length, a version and
// a mark (exiftool's QuickTimeStream.pl, ProcessInsta360). Newer ones stand in a box.
func (f *File) notes(size int64) int64 {
	const mark, length = "8db42d694ccc418790edff439fe026bf", 8 // bytes before the mark
	var raw [length + len(mark)]byte
	if size < int64(len(raw)) || f.Read(raw[:], size-int64(len(raw))) != nil || string(raw[length:]) != mark {
		return -1
	}
	return size - int64(binary.LittleEndian.Uint32(raw[:]))
}

// Children visits the boxes in a box, after so many bytes of its own.
func (f *File) Children(b Box, own int64, visit func(Box) error) error {
	if b.Body+own > b.End {
		return ErrDamaged
	}
	return f.Walk(b.Body+own, b.End, visit)
}

// box reads the header of the box at start, which ends at end at the latest.
func (f *File) box(start, end int64) (Box, error) {
	var raw [16]byte
	if err := f.Read(raw[:8], start); err != nil {
		return Box{}, err
	}
	head, size := int64(8), int64(binary.BigEndian.Uint32(raw[:4]))
	switch size {
	case 0: // to the end
		size = end - start
	case 1: // a long size follows
		if err := f.Read(raw[8:], start+8); err != nil {
			return Box{}, err
		}
		head, size = 16, int64(binary.BigEndian.Uint64(raw[8:]))
	}
	if size < head || size > end-start {
		return Box{}, ErrDamaged
	}
	return Box{string(raw[4:8]), start, start + head, start + size}, nil
}

// Read fills a slice from an offset on.
func (f *File) Read(into []byte, offset int64) error {
	if _, err := f.content.ReadAt(into, offset); err != nil {
		return fmt.Errorf("reading a box: %w", err)
	}
	return nil
}

// Content returns the content of a box, of which it must have a minimum of bytes and of which no more
// than a maximum are read.
func (f *File) Content(b Box, minimum, maximum int64) ([]byte, error) {
	n := b.End - b.Body
	if n < minimum {
		return nil, ErrDamaged
	}
	raw := make([]byte, min(n, maximum))
	return raw, f.Read(raw, b.Body)
}

// Times reads the content of a box that has a version and then times: of 4 bytes in version 0, and
// of 8 in version 1, where the box is longer.
func (f *File) Times(b Box, short, long int64) (raw []byte, version byte, err error) {
	if raw, err = f.Content(b, short, long); err != nil {
		return nil, 0, err
	}
	if version = raw[0]; version == 1 && int64(len(raw)) < long {
		return nil, 0, ErrDamaged
	}
	return raw, version, nil
}
