package simulation

import (
	"bytes"
	"encoding/binary"
	"image"
	_ "image/gif" // what pictures say of themselves
	_ "image/jpeg"
	_ "image/png"
	"io"
	"time"
)

// Measured is what media say of themselves. What they do not say, and all of what the world does not
// keep, is zero: platforms refuse nothing for that.
type Measured struct {
	Width, Height int // pixels, before it is turned
	// Turns tells that it may be shown turned: its sides may change places.
	Turns     bool
	Duration  time.Duration
	Codec     string  // of a film's pictures, as the file names it, such as avc1
	FrameRate float64 // pictures a second, in the mean
}

// Pixels is how many it has.
func (m Measured) Pixels() int64 { return int64(m.Width) * int64(m.Height) }

// Ratio is its width over its height; zero where they are not known.
func (m Measured) Ratio() float64 {
	if m.Height == 0 {
		return 0
	}
	return float64(m.Width) / float64(m.Height)
}

// Measure reads what kept content measures.
func (w *World) Measure(content string) Measured {
	file, err := w.Content(content)
	if err != nil {
		return Measured{}
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return Measured{}
	}
	return measure(file, info.Size())
}

func measure(content io.ReaderAt, size int64) (m Measured) {
	head := make([]byte, min(size, 64<<10)) // an APP1 of JPEG is no larger
	if _, err := content.ReadAt(head, 0); err != nil {
		return m
	}
	if len(head) > 8 && string(head[4:8]) == "ftyp" {
		f := film{content: content}
		f.read(0, size, 0)
		return f.measured
	}
	if config, _, err := image.DecodeConfig(io.NewSectionReader(content, 0, size)); err == nil {
		m.Width, m.Height, m.Turns = config.Width, config.Height, bytes.Contains(head, []byte("Exif\x00\x00"))
	}
	return m
}

// film reads what the boxes of a film say (ISO/IEC 14496-12).
type film struct {
	content  io.ReaderAt
	measured Measured
	track    struct {
		width, height int
		turns         bool
		codec         string
		lasts         time.Duration
		samples       int64
	}
	boxes int
}

const (
	maxBoxes = 10_000
	maxDepth = 8
	// The largest box but those that hold others that is read.
	maxBox = 1 << 20
)

func (f *film) read(at, end int64, depth int) {
	for at+8 <= end && f.boxes < maxBoxes && depth < maxDepth {
		f.boxes++
		head := f.bytes(at, min(16, end-at))
		if head == nil {
			return
		}
		size, body := int64(binary.BigEndian.Uint32(head)), at+8
		switch {
		case size == 0:
			size = end - at
		case size == 1 && len(head) == 16:
			size, body = int64(binary.BigEndian.Uint64(head[8:])), at+16
		}
		if size < body-at || size > end-at {
			return
		}
		f.box(string(head[4:8]), body, at+size, depth)
		at += size
	}
}

func (f *film) box(kind string, body, end int64, depth int) {
	switch kind {
	case "trak":
		f.track = film{}.track
		f.read(body, end, depth+1)
		f.take()
	case "moov", "mdia", "minf", "stbl":
		f.read(body, end, depth+1)
	case "mvhd", "mdhd", "tkhd", "stsd", "stts":
		if content := f.bytes(body, min(end-body, maxBox)); content != nil {
			f.leaf(kind, content)
		}
	}
}

// take takes over a track that has pictures.
func (f *film) take() {
	t := f.track
	if t.width == 0 || t.height == 0 || f.measured.Width > 0 {
		return
	}
	f.measured.Width, f.measured.Height, f.measured.Turns, f.measured.Codec = t.width, t.height, t.turns, t.codec
	if t.lasts > 0 {
		f.measured.FrameRate = float64(t.samples) / t.lasts.Seconds()
	}
}

func (f *film) leaf(kind string, content []byte) {
	switch kind {
	case "mvhd":
		f.measured.Duration = lasting(content)
	case "mdhd":
		f.track.lasts = lasting(content)
	case "tkhd":
		f.sides(content)
	case "stsd":
		if len(content) >= 16 {
			f.track.codec = string(content[12:16])
		}
	case "stts":
		for entry := 8; entry+8 <= len(content); entry += 8 {
			f.track.samples += int64(binary.BigEndian.Uint32(content[entry:]))
		}
	}
}

// sides reads how a track is shown. The first of its matrix is not zero unless it is turned.
func (f *film) sides(content []byte) {
	matrix := 40
	if len(content) > 0 && content[0] == 1 {
		matrix = 52
	}
	if len(content) < matrix+44 {
		return
	}
	side := func(at int) int { return int(binary.BigEndian.Uint32(content[at:]) >> 16) }
	f.track.turns = binary.BigEndian.Uint32(content[matrix:]) == 0
	f.track.width, f.track.height = side(matrix+36), side(matrix+40)
}

// lasting reads the duration of a header of a film or a track.
func lasting(content []byte) time.Duration {
	var scale, units uint64
	switch {
	case len(content) >= 32 && content[0] == 1:
		scale, units = uint64(binary.BigEndian.Uint32(content[20:])), binary.BigEndian.Uint64(content[24:])
	case len(content) >= 20 && content[0] == 0:
		scale, units = uint64(binary.BigEndian.Uint32(content[12:])), uint64(binary.BigEndian.Uint32(content[16:]))
	}
	if scale == 0 || units > 1<<40 {
		return 0
	}
	return time.Duration(float64(units) / float64(scale) * float64(time.Second))
}

// bytes reads a part of the content; nil where it is not there.
func (f *film) bytes(at, n int64) []byte {
	read := make([]byte, max(n, 0))
	if _, err := f.content.ReadAt(read, at); err != nil && n > 0 {
		return nil
	}
	return read
}
