package film

import (
	"encoding/binary"
	"math"

	"crier/connectors/media/bmff"
	"crier/schema"
)

// track is what is known of a track.
type track struct {
	file          *bmff.File
	id            uint32
	handler       string // what it is of: vide, soun, …
	width, height int    // as shown
	scale         uint32 // units a second
	units         float64
	coding        schema.FilmFacts // codec, chroma and depth
	sound         sound
	rate          rate
	edits         edits
}

func (t *track) inTrack(b bmff.Box) error {
	switch b.Kind {
	case "tkhd":
		return t.header(b)
	case "mdia":
		return t.file.Children(b, 0, t.inMedia)
	case "edts":
		_ = t.file.Children(b, 0, func(b bmff.Box) error { // what cannot be read edits nothing
			if b.Kind != "elst" {
				return nil
			}
			return t.edits.read(t.file, b)
		})
	}
	return nil
}

// header reads the picture's size from tkhd, in 16.16 fixed point. Its matrix turns a film that was
// taken upright by a quarter: then the sides change places.
func (t *track) header(b bmff.Box) error {
	raw, version, err := t.file.Times(b, 84, 96)
	if err != nil {
		return err
	}
	matrix, id := raw[40:], raw[12:]
	if version == 1 {
		matrix, id = raw[52:], raw[20:]
	}
	t.id = binary.BigEndian.Uint32(id)
	entry := func(i int) uint32 { return binary.BigEndian.Uint32(matrix[4*i:]) }
	t.width, t.height = int(entry(9)>>16), int(entry(10)>>16)
	if entry(0) == 0 && entry(4) == 0 && entry(1) != 0 && entry(3) != 0 {
		t.width, t.height = t.height, t.width
	}
	return nil
}

func (t *track) inMedia(b bmff.Box) error {
	switch b.Kind {
	case "hdlr":
		raw, err := t.file.Content(b, 12, 12)
		if err != nil {
			return err
		}
		t.handler = string(raw[8:12])
	case "mdhd":
		if raw, version, err := t.file.Times(b, 20, 32); err == nil {
			t.scale, t.units = lengthOf(raw[4:], version)
		}
	case "minf":
		_ = t.file.Children(b, 0, t.inInformation) // of which everything may be missing
	}
	return nil
}

func (t *track) inInformation(b bmff.Box) error {
	if b.Kind != "stbl" || t.handler != "vide" && t.handler != "soun" {
		return nil
	}
	return t.file.Children(b, 0, func(b bmff.Box) error {
		switch {
		case b.Kind == "stsd" && t.handler == "soun":
			return t.sounds(b)
		case b.Kind == "stsd":
			return t.descriptions(b)
		case b.Kind == "stts" && t.handler == "vide":
			return t.rate.readTable(t.file, b)
		}
		return nil
	})
}

// edits is an edit list (8.6.6): which parts of the media are shown, in which order.
type edits struct {
	parts  int     // of the media
	start  float64 // of the first, in the media's units
	length float64 // of all, in the film's units
	wait   float64 // before the first, in the film's units
}

// maxEdits bounds the parts that are read: one more says nothing new.
const maxEdits = 64

func (e *edits) read(file *bmff.File, b bmff.Box) error {
	head, err := file.Content(b, 8, 8)
	if err != nil {
		return err
	}
	entry := int64(12)
	if head[0] == 1 {
		entry = 20
	}
	count := min(int64(binary.BigEndian.Uint32(head[4:])), maxEdits, (b.End-b.Body-8)/entry)
	raw := make([]byte, count*entry)
	if err := file.Read(raw, b.Body+8); err != nil {
		return err
	}
	for ; len(raw) > 0; raw = raw[entry:] {
		length, start := float64(binary.BigEndian.Uint32(raw)), float64(int32(binary.BigEndian.Uint32(raw[4:])))
		if entry == 20 {
			length, start = float64(binary.BigEndian.Uint64(raw)), float64(int64(binary.BigEndian.Uint64(raw[8:])))
		}
		if start < 0 {
			e.wait += length
			continue
		}
		if e.parts++; e.parts == 1 {
			e.start = start
		}
		e.length += length
	}
	return nil
}

// edited is from how long a part on, in seconds, it counts that it is left out: encoders leave out
// less at the beginning of nearly every film.
const edited = 0.5

// leaveOut reports whether a part of the media is not shown, or shown twice.
func (e edits) leaveOut(t *track, movieScale uint32) bool {
	if e.parts == 0 || t.scale == 0 || movieScale == 0 {
		return false
	}
	played, there := e.length/float64(movieScale), t.units/float64(t.scale)
	start := e.start / float64(t.scale)
	return e.parts > 1 || start > edited || e.wait/float64(movieScale) > edited ||
		played > 0 && there > 0 && math.Abs(there-start-played) > edited
}
