package media

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"time"
)

// MP4 and QuickTime files are boxes in boxes (ISO/IEC 14496-12): four bytes of size,
// four of type, the content. Three kinds of boxes are wanted: mvhd in moov, tkhd in its
// traks, and hdlr in their mdia. They are read at their offsets, and no size is trusted: a
// parser of the whole format reads tables as long as the file claims them to be.

// mostBoxes bounds the walk: a file can be millions of empty boxes.
const mostBoxes = 100_000

var errDamaged = errors.New("a size in the file contradicts the file")

// movie walks the boxes of one file.
type movie struct {
	content io.ReaderAt
	boxes   int
	found   bool // moov was seen
	sound   bool // a track of it was seen
	picture bool // a track of it was seen
	shape   shape
}

// movieShape probes MP4 and QuickTime. Where tracks differ the largest picture counts.
func movieShape(content io.ReaderAt, size int64) (shape, error) {
	m := &movie{content: content}
	if err := m.walk(0, size, m.top); err != nil {
		return shape{}, err
	}
	if !m.found {
		return shape{}, errors.New("the file has no movie header")
	}
	m.shape.soundOnly = m.sound && !m.picture && m.shape.width == 0
	return m.shape, nil
}

// walk visits the boxes between two offsets; visit gets the bounds of their content.
func (m *movie) walk(start, end int64, visit func(kind string, start, end int64) error) error {
	for start+8 <= end { // QuickTime may end a list with four zero bytes
		if m.boxes++; m.boxes > mostBoxes {
			return errors.New("the file has too many boxes")
		}
		kind, head, size, err := m.header(start, end)
		if err != nil {
			return err
		}
		if err := visit(kind, start+head, start+size); err != nil {
			return err
		}
		start += size
	}
	return nil
}

// header reads the header of the box at start: its type, the header's length and the
// length of the whole box, which ends at end at the latest.
func (m *movie) header(start, end int64) (kind string, head, size int64, err error) {
	var raw [16]byte
	if err := m.read(raw[:8], start); err != nil {
		return "", 0, 0, err
	}
	head, size = 8, int64(binary.BigEndian.Uint32(raw[:4]))
	switch size {
	case 0: // to the end
		size = end - start
	case 1: // a long size follows
		if err := m.read(raw[8:], start+8); err != nil {
			return "", 0, 0, err
		}
		head, size = 16, int64(binary.BigEndian.Uint64(raw[8:]))
	}
	if size < head || size > end-start {
		return "", 0, 0, errDamaged
	}
	return string(raw[4:8]), head, size, nil
}

func (m *movie) read(into []byte, offset int64) error {
	if _, err := m.content.ReadAt(into, offset); err != nil {
		return fmt.Errorf("reading movie's header: %w", err)
	}
	return nil
}

func (m *movie) top(kind string, start, end int64) error {
	if kind != "moov" {
		return nil
	}
	m.found = true
	return m.walk(start, end, m.inMovie)
}

func (m *movie) inMovie(kind string, start, end int64) error {
	switch kind {
	case "mvhd":
		return m.movieHeader(start, end)
	case "trak":
		return m.walk(start, end, m.inTrack)
	}
	return nil
}

func (m *movie) inTrack(kind string, start, end int64) error {
	switch kind {
	case "tkhd":
		return m.trackHeader(start, end)
	case "mdia":
		return m.walk(start, end, m.inMedia)
	}
	return nil
}

// inMedia reads from hdlr what a track is of (8.4.3), after eight bytes of no interest.
func (m *movie) inMedia(kind string, start, end int64) error {
	if kind != "hdlr" {
		return nil
	}
	var handler [4]byte
	if start+8+int64(len(handler)) > end {
		return errDamaged
	}
	if err := m.read(handler[:], start+8); err != nil {
		return err
	}
	m.sound = m.sound || string(handler[:]) == "soun"
	m.picture = m.picture || string(handler[:]) == "vide"
	return nil
}

// fullBox reads the head of a box that has a version: short bytes in version 0, long
// in version 1, where times are of 8 bytes and not of 4.
func (m *movie) fullBox(start, end int64, short, long int) (raw []byte, version byte, err error) {
	var first [1]byte
	if err := m.read(first[:], start); err != nil {
		return nil, 0, err
	}
	raw = make([]byte, short)
	if first[0] == 1 {
		raw = make([]byte, long)
	}
	if end-start < int64(len(raw)) {
		return nil, 0, errDamaged
	}
	return raw, first[0], m.read(raw, start)
}

// movieHeader reads the duration from mvhd.
func (m *movie) movieHeader(start, end int64) error {
	raw, version, err := m.fullBox(start, end, 20, 32)
	if err != nil {
		return err
	}
	scale, units := binary.BigEndian.Uint32(raw[12:]), uint64(binary.BigEndian.Uint32(raw[16:]))
	if version == 1 {
		scale, units = binary.BigEndian.Uint32(raw[20:]), binary.BigEndian.Uint64(raw[24:])
	}
	m.shape.duration = movieDuration(scale, units, version)
	return nil
}

// movieDuration is zero when it is not known: all bits set, as in fragmented files.
func movieDuration(scale uint32, units uint64, version byte) time.Duration {
	unknown := units == math.MaxUint64 || (version == 0 && units == math.MaxUint32)
	if scale == 0 || unknown {
		return 0
	}
	return seconds(float64(units) / float64(scale))
}

// seconds is a duration that is no longer than a Duration can be.
func seconds(s float64) time.Duration {
	if math.IsNaN(s) || s <= 0 {
		return 0
	}
	return time.Duration(min(s*float64(time.Second), float64(math.MaxInt64/2)))
}

// trackHeader reads the picture's size from tkhd, in 16.16 fixed point. Its matrix
// turns a film that was taken upright by a quarter: then the sides change places.
func (m *movie) trackHeader(start, end int64) error {
	raw, version, err := m.fullBox(start, end, 84, 96)
	if err != nil {
		return err
	}
	matrix := raw[40:]
	if version == 1 {
		matrix = raw[52:]
	}
	entry := func(i int) uint32 { return binary.BigEndian.Uint32(matrix[4*i:]) }
	width, height := int(entry(9)>>16), int(entry(10)>>16)
	if entry(0) == 0 && entry(4) == 0 && entry(1) != 0 && entry(3) != 0 {
		width, height = height, width
	}
	if width*height > m.shape.width*m.shape.height {
		m.shape.width, m.shape.height = width, height
	}
	return nil
}
