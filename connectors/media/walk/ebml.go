package walk

import (
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
)

// Element is where an element of EBML (RFC 8794) stands: its content is from Body to End.
type Element struct {
	ID               uint64
	Start, Body, End int64
	// IsOpen: it ends with what it is in. A visitor that puts End to Body has its own elements visited
	// next, one by one.
	IsOpen bool
}

// EBML is a file of elements in elements, as WebM is: an id, a size and the content, both numbers of
// variable length.
type EBML struct {
	content  io.ReaderAt
	elements int   // so far
	at       int64 // where the element begins that was come to last
	depth    int
}

const (
	// maxElements bounds a walk. A film of four hours has some ten thousand clusters; in those that are
	// open each block counts.
	maxElements = 2_000_000
	// deepest is how deep elements are within each other that are walked through: the file, Segment,
	// Tracks, TrackEntry, Video.
	deepest = 5
)

// NewEBML returns a file of content.
func NewEBML(content io.ReaderAt) *EBML { return &EBML{content: content} }

// Walk visits the elements between two offsets.
func (f *EBML) Walk(start, end int64, visit func(*Element) error) error {
	if f.depth++; f.depth > deepest {
		return errors.New("the file's elements are in each other too deep")
	}
	defer func() { f.depth-- }()
	for start < end {
		if f.elements++; f.elements > maxElements {
			return ErrTooMany
		}
		f.at = start
		e, err := f.head(start, end)
		if err != nil {
			return err
		}
		if err := visit(&e); err != nil {
			if f.depth > 1 {
				return err // ErrDone ends the whole walk
			}
			return done(err)
		}
		start = e.End
	}
	return nil
}

// At returns where the element begins that a walk could not pass.
func (f *EBML) At() int64 { return f.at }

// head reads the id and the size of an element.
func (f *EBML) head(start, end int64) (Element, error) {
	id, idLength, err := f.number(start, end)
	if err != nil {
		return Element{}, err
	}
	size, sizeLength, err := f.number(start+idLength, end)
	if err != nil {
		return Element{}, err
	}
	e := Element{ID: id, Start: start, Body: start + idLength + sizeLength, End: end}
	mask := uint64(1)<<(7*sizeLength) - 1 // an id keeps the bit that ends its zeros, a size does not
	if size &= mask; size == mask {
		e.IsOpen = true
		return e, nil
	}
	if size > uint64(end-e.Body) {
		return Element{}, ErrCut
	}
	e.End = e.Body + int64(size)
	return e, nil
}

// number reads a number of variable length: the leading zeros of its first byte say how many bytes follow.
func (f *EBML) number(at, end int64) (value uint64, length int64, err error) {
	var raw [8]byte
	if err := read(f.content, raw[:1], at, end); err != nil {
		return 0, 0, err
	}
	following := bits.LeadingZeros8(raw[0])
	if following > 7 {
		return 0, 0, ErrDamaged
	}
	if err := read(f.content, raw[1:1+following], at+1, end); err != nil {
		return 0, 0, err
	}
	length = int64(following) + 1
	return binary.BigEndian.Uint64(raw[:]) >> (64 - 8*length), length, nil
}

// Content reads the content of an element, of which no more than longest is read.
func (f *EBML) Content(e *Element, longest int64) ([]byte, error) {
	raw := make([]byte, min(e.End-e.Body, longest))
	return raw, read(f.content, raw, e.Body, e.End)
}
