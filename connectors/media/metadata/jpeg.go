package metadata

import (
	"bytes"
	"encoding/binary"

	"crier/connectors/media/exif"
	"crier/connectors/media/walk"
)

// jpeg cuts all segments but those of the picture itself and those of applications that say how colors
// are meant: JFIF, ICC profiles and Adobe's transformation. So Exif goes with its maker notes and thumbnail, XMP with its extension,
// IPTC, and what was put between segments. What follows the picture goes too: further pictures (MPF),
// films of moving photos, each with metadata of its own.
func (p *planner) jpeg() error {
	j := &jpegPlan{planner: p}
	return walk.JPEG(p.content, p.size, j.segment)
}

type jpegPlan struct {
	*planner
	turned bool // the orientation was found
}

// segment cuts a segment that is not needed, and what stands before it.
func (w *jpegPlan) segment(s *walk.Segment) error {
	if !s.IsScan {
		if err := w.cut(s.Gap, s.Start); err != nil {
			return err
		}
	}
	if s.Marker == walk.EOI {
		return w.cut(s.End, w.size)
	}
	if s.Marker >= walk.SOF0 && s.Marker < walk.APP0 {
		return nil
	}
	content, err := s.Content()
	if err != nil {
		return err
	}
	with, keep := w.labelled(s.Marker, content)
	if keep {
		return nil
	}
	return w.replace(s.Start, s.End, with)
}

// labelled decides about a segment of an application, or a comment.
func (w *jpegPlan) labelled(marker byte, content []byte) (with []byte, keep bool) {
	const jfif, profile, adobe = "JFIF\x00", "ICC_PROFILE\x00", "Adobe"
	const jfifBytes, thumbnailAt, adobeBytes = 14, 12, 12
	is := func(label string, minimum int) bool {
		return len(content) >= minimum && bytes.HasPrefix(content, []byte(label))
	}
	switch {
	case marker == walk.APP0 && is(jfif, jfifBytes):
		if len(content) == jfifBytes {
			return nil, true
		}
		plain := bytes.Clone(content[:jfifBytes]) // without its thumbnail
		plain[thumbnailAt], plain[thumbnailAt+1] = 0, 0
		return jpegSegment(walk.APP0, plain), false
	case marker == walk.APP2 && is(profile, len(profile)):
		return nil, true
	case marker == walk.APP14 && is(adobe, adobeBytes):
		if len(content) == adobeBytes {
			return nil, true
		}
		return jpegSegment(walk.APP14, content[:adobeBytes]), false
	case marker == walk.APP1 && is(exif.Prefix, 0) && !w.turned:
		turn := exif.Read(content)
		if w.turned = turn != 0; turn.Turns() {
			plain := append([]byte(exif.Prefix), turn.Bytes()...)
			return jpegSegment(walk.APP1, plain), bytes.Equal(plain, content)
		}
	}
	return nil, false
}

func jpegSegment(marker byte, content []byte) []byte {
	head := binary.BigEndian.AppendUint16([]byte{walk.Marker, marker}, uint16(len(content)+2))
	return append(head, content...)
}
