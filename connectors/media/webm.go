package media

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"

	"crier/connectors/media/bmff"
	"crier/connectors/media/film"
)

// WebM files are EBML (RFC 8794) with the elements of Matroska (RFC 9559): an id, a
// size and the content, both numbers of variable length. What is wanted stands before
// the first cluster; as in movie.go it is read at its offset and no size is trusted.
const (
	ebmlSegment       = 0x18538067
	ebmlInfo          = 0x1549A966
	ebmlTimestamps    = 0x2AD7B1 // nanoseconds a unit of Duration
	ebmlDuration      = 0x4489
	ebmlTracks        = 0x1654AE6B
	ebmlTrack         = 0xAE
	ebmlTrackType     = 0x83
	ebmlVideo         = 0xE0
	ebmlPixelWidth    = 0xB0
	ebmlPixelHeight   = 0xBA
	ebmlCluster       = 0x1F43B675
	ebmlCodec         = 0x86
	ebmlFrame         = 0x23E383 // nanoseconds that a picture lasts
	defaultTimestamps = 1_000_000
)

const (
	mostElements = 100_000 // of a walk: a file can be millions of empty elements
	deepest      = 5       // levels: the file, Segment, Tracks, TrackEntry, Video
)

var errCluster = errors.New("the first cluster is reached")

// webm walks the elements of one file.
type webm struct {
	content    io.ReaderAt
	elements   int
	depth      int
	found      bool // the segment was seen
	timestamps uint64
	duration   float64
	sound      bool // a track of it was seen
	frame      uint64
	shape      shape
}

// webmShape probes WebM.
func webmShape(content io.ReaderAt, size int64) (shape, error) {
	w := &webm{content: content, timestamps: defaultTimestamps}
	if err := w.walk(0, size); err != nil && !errors.Is(err, errCluster) {
		return shape{}, err
	}
	if !w.found {
		return shape{}, errors.New("the file has no segment")
	}
	w.shape.soundOnly = w.sound && w.shape.width == 0
	w.shape.duration = film.Seconds(w.duration * float64(w.timestamps) / 1e9)
	if w.frame > 0 && w.frame < 1e12 && w.shape.film.Codec != "" {
		w.shape.film.FrameRate = math.Round(1e12/float64(w.frame)) / 1000
	}
	return w.shape, nil
}

// walk visits the elements between two offsets, and those inside of the wanted ones.
func (w *webm) walk(start, end int64) error {
	if w.depth++; w.depth > deepest {
		return errors.New("the file's elements are in each other too deep")
	}
	defer func() { w.depth-- }()
	for start < end {
		if w.elements++; w.elements > mostElements {
			return errors.New("the file has too many elements")
		}
		id, idLength, err := w.number(start, end, false)
		if err != nil {
			return err
		}
		size, sizeLength, err := w.number(start+idLength, end, true)
		if err != nil {
			return err
		}
		start += idLength + sizeLength
		length := end - start
		if size != unknownSize {
			if size > uint64(length) {
				return bmff.ErrDamaged
			}
			length = int64(size)
		}
		if err := w.visit(id, start, start+length); err != nil {
			return err
		}
		start += length
	}
	return nil
}

func (w *webm) visit(id uint64, start, end int64) error {
	switch id {
	case ebmlSegment:
		w.found = true
		return w.walk(start, end)
	case ebmlInfo, ebmlTracks, ebmlTrack, ebmlVideo:
		return w.walk(start, end)
	case ebmlCluster:
		return errCluster
	case ebmlTimestamps:
		return w.unsigned(start, end, func(value uint64) { w.timestamps = value })
	case ebmlTrackType: // RFC 9559, 5.1.4.1.3
		const audio = 2
		return w.unsigned(start, end, func(value uint64) { w.sound = w.sound || value == audio })
	case ebmlDuration:
		return w.float(start, end)
	case ebmlCodec:
		return w.codec(start, end)
	case ebmlFrame:
		return w.unsigned(start, end, func(value uint64) { w.frame = value })
	case ebmlPixelWidth:
		return w.unsigned(start, end, func(value uint64) { w.shape.width = pixels(value) })
	case ebmlPixelHeight:
		return w.unsigned(start, end, func(value uint64) { w.shape.height = pixels(value) })
	}
	return nil
}

func pixels(value uint64) int { return int(min(value, math.MaxInt32)) }

// webmCodecs are by the names that Matroska has (matroska.org/technical/codec_specs.html).
var webmCodecs = map[string]string{
	"V_VP8": "vp8", "V_VP9": "vp9", "V_AV1": "av1", "V_MPEG4/ISO/AVC": "h264", "V_MPEGH/ISO/HEVC": "hevc", "V_THEORA": "theora",
}

// codec reads the name of a track's codec, which says whether it is of pictures.
func (w *webm) codec(start, end int64) error {
	const most = 64
	raw := make([]byte, min(end-start, most))
	if err := w.read(raw, start, end); err != nil {
		return err
	}
	if codec := webmCodecs[string(raw)]; codec != "" {
		w.shape.film.Codec = codec
	}
	return nil
}

// unknownSize is the size of an element that ends with what it is in: all bits set.
const unknownSize = math.MaxUint64

// number reads a number of variable length: the leading zeros of its first byte say
// how many bytes follow. An id keeps the bit that ends them, a size does not.
func (w *webm) number(start, end int64, isSize bool) (value uint64, length int64, err error) {
	var raw [8]byte
	if err := w.read(raw[:1], start, end); err != nil {
		return 0, 0, err
	}
	following := bits.LeadingZeros8(raw[0])
	if following > 7 {
		return 0, 0, bmff.ErrDamaged
	}
	if err := w.read(raw[1:1+following], start+1, end); err != nil {
		return 0, 0, err
	}
	length = int64(following) + 1
	value = binary.BigEndian.Uint64(raw[:]) >> (64 - 8*length)
	if !isSize {
		return value, length, nil
	}
	mask := uint64(1)<<(7*length) - 1
	if value &= mask; value == mask {
		return unknownSize, length, nil
	}
	return value, length, nil
}

func (w *webm) unsigned(start, end int64, set func(uint64)) error {
	raw, err := w.value(start, end)
	if err != nil {
		return err
	}
	var value uint64
	for _, b := range raw {
		value = value<<8 | uint64(b)
	}
	set(value)
	return nil
}

func (w *webm) float(start, end int64) error {
	raw, err := w.value(start, end)
	if err != nil {
		return err
	}
	switch len(raw) {
	case 4:
		w.duration = float64(math.Float32frombits(binary.BigEndian.Uint32(raw)))
	case 8:
		w.duration = math.Float64frombits(binary.BigEndian.Uint64(raw))
	}
	return nil
}

func (w *webm) value(start, end int64) ([]byte, error) {
	if end-start > 8 {
		return nil, bmff.ErrDamaged
	}
	raw := make([]byte, end-start)
	return raw, w.read(raw, start, end)
}

func (w *webm) read(into []byte, offset, end int64) error {
	if offset+int64(len(into)) > end {
		return bmff.ErrDamaged
	}
	if _, err := w.content.ReadAt(into, offset); err != nil {
		return fmt.Errorf("reading WebM's header: %w", err)
	}
	return nil
}
