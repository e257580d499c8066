package walk

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// The markers of a JPEG file (ITU T.81, B.1); each follows a byte of all ones.
const (
	Marker = 0xff
	TEM    = 0x01
	SOF0   = 0xc0 // of a frame: baseline,
	SOF2   = 0xc2 // and progressive
	RST0   = 0xd0
	SOI    = 0xd8
	EOI    = 0xd9
	SOS    = 0xda
	APP0   = 0xe0
	APP1   = 0xe1 // of Exif, among others
	APP2   = 0xe2
	APP14  = 0xee
	APP15  = 0xef
	COM    = 0xfe
)

// Segment is a segment of a JPEG, or a marker that stands alone.
type Segment struct {
	Marker byte
	// Gap is where what stands before it begins: coded data where IsScan, else nothing that is needed.
	Gap    int64
	IsScan bool
	Start  int64 // of its marker, and of the bytes of all ones that fill the room before it
	End    int64
	r      *bufio.Reader
	left   int // bytes of its content that were not read
}

// IsFrame reports whether it describes the picture; three markers among those of frames are of something else.
func (s *Segment) IsFrame() bool {
	const tables, reserved, conditioning = 0xc4, 0xc8, 0xcc
	return s.Marker >= SOF0 && s.Marker < RST0 && s.Marker != tables && s.Marker != reserved && s.Marker != conditioning
}

// Length returns how long its content is.
func (s *Segment) Length() int { return s.left }

// Begins reports whether its content begins so.
func (s *Segment) Begins(with string) bool {
	head, err := s.r.Peek(min(len(with), s.left))
	return err == nil && string(head) == with
}

// Content reads its content, of at most 64 KiB.
func (s *Segment) Content() ([]byte, error) {
	content := make([]byte, s.left)
	s.left = 0
	if _, err := io.ReadFull(s.r, content); err != nil {
		return nil, ErrCut
	}
	return content, nil
}

// JPEG visits the segments up to the end of the picture. What cameras append after it (previews, films) is
// left alone.
func JPEG(content io.ReaderAt, size int64, visit func(*Segment) error) error {
	r := bufio.NewReaderSize(io.NewSectionReader(content, 0, size), 32<<10)
	at, isScan := int64(0), false
	for {
		s := &Segment{Gap: at, IsScan: isScan, r: r}
		passed, marker, err := s.next()
		if err != nil {
			return err
		}
		at += passed
		s.Start, s.End = at-marker, at
		switch {
		case s.Marker == EOI:
			return done(visit(s))
		case s.Marker == SOI, s.Marker == TEM, s.Marker >= RST0 && s.Marker < SOI: // they stand alone
			err = visit(s)
		default:
			err = s.visit(visit)
			isScan = s.Marker == SOS
		}
		if err != nil {
			return done(err)
		}
		at = s.End
	}
}

// next goes to the next marker, over what stands before it, and returns how far, and how long the marker
// is with what fills. In coded data a byte of all ones is followed by zero.
func (s *Segment) next() (passed, marker int64, err error) {
	for {
		before, err := s.r.ReadSlice(Marker)
		passed += int64(len(before))
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return 0, 0, ErrCut
		}
		marker, err = s.marker()
		passed += marker - 1
		if err != nil || s.Marker != 0 {
			return passed, marker, err
		}
	}
}

// marker reads the marker whose first byte was read, and returns how long it is.
func (s *Segment) marker() (length int64, err error) {
	for s.Marker, length = Marker, 1; s.Marker == Marker; length++ {
		if s.Marker, err = s.r.ReadByte(); err != nil {
			return 0, ErrCut
		}
	}
	return length, nil
}

// visit reads the length of a segment, has it visited, and passes over what was not read.
func (s *Segment) visit(visit func(*Segment) error) error {
	var raw [2]byte
	if _, err := io.ReadFull(s.r, raw[:]); err != nil {
		return ErrCut
	}
	length := int(binary.BigEndian.Uint16(raw[:]))
	if length < len(raw) {
		return ErrDamaged
	}
	s.End, s.left = s.End+int64(length), length-len(raw)
	if err := visit(s); err != nil {
		return err
	}
	if _, err := s.r.Discard(s.left); err != nil {
		return ErrCut
	}
	return nil
}
