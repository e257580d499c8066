package media

import (
	"encoding/binary"
	"errors"
	"io"
	"math"

	"crier/connectors/media/film"
	"crier/connectors/media/walk"
)

// The elements of Matroska that are read of a WebM (RFC 9559).
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

// webm is what is read of a file.
type webm struct {
	file       *walk.EBML
	found      bool // the segment was seen
	timestamps uint64
	duration   float64
	sound      bool   // a track of it was seen
	kind       uint64 // of the track
	frame      uint64
	shape      shape
}

// webmShape probes WebM. What is wanted stands before the first cluster.
func webmShape(content io.ReaderAt, size int64) (shape, error) {
	w := &webm{file: walk.NewEBML(content), timestamps: defaultTimestamps}
	if err := w.file.Walk(0, size, w.visit); err != nil {
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

func (w *webm) visit(e *walk.Element) error {
	switch e.ID {
	case ebmlSegment:
		w.found = true
		return w.file.Walk(e.Body, e.End, w.visit)
	case ebmlTrack:
		return w.track(e)
	case ebmlInfo, ebmlTracks, ebmlVideo:
		return w.file.Walk(e.Body, e.End, w.visit)
	case ebmlCluster:
		return walk.ErrDone
	case ebmlTimestamps:
		return w.unsigned(e, func(value uint64) { w.timestamps = value })
	case ebmlTrackType:
		return w.unsigned(e, func(value uint64) { w.kind, w.sound = value, w.sound || value == webmSound })
	case ebmlDuration:
		return w.float(e)
	case ebmlCodec:
		return w.codec(e)
	case ebmlFrame:
		return w.unsigned(e, func(value uint64) { w.frame = value })
	case ebmlPixelWidth:
		return w.unsigned(e, func(value uint64) { w.shape.width = pixels(value) })
	case ebmlPixelHeight:
		return w.unsigned(e, func(value uint64) { w.shape.height = pixels(value) })
	}
	return nil
}

// webmSound is a kind of track (RFC 9559, 5.1.4.1.3).
const webmSound = 2

// track reads a track. How long a packet of sound lasts says nothing of the pictures.
func (w *webm) track(e *walk.Element) error {
	before := w.frame
	w.kind = 0
	err := w.file.Walk(e.Body, e.End, w.visit)
	if w.kind == webmSound {
		w.frame = before
	}
	return err
}

func pixels(value uint64) int { return int(min(value, math.MaxInt32)) }

// webmCodecs are by the names that Matroska has (matroska.org/technical/codec_specs.html).
var webmCodecs = map[string]string{
	"V_VP8": "vp8", "V_VP9": "vp9", "V_AV1": "av1", "V_MPEG4/ISO/AVC": "h264", "V_MPEGH/ISO/HEVC": "hevc", "V_THEORA": "theora",
}

// codec reads the name of a track's codec, which says whether it is of pictures.
func (w *webm) codec(e *walk.Element) error {
	const longest = 64
	raw, err := w.file.Content(e, longest)
	if codec := webmCodecs[string(raw)]; codec != "" {
		w.shape.film.Codec = codec
	}
	return err
}

func (w *webm) unsigned(e *walk.Element, set func(uint64)) error {
	raw, err := w.value(e)
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

func (w *webm) float(e *walk.Element) error {
	raw, err := w.value(e)
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

func (w *webm) value(e *walk.Element) ([]byte, error) {
	const longest = 8
	if e.End-e.Body > longest {
		return nil, walk.ErrDamaged
	}
	return w.file.Content(e, longest)
}
