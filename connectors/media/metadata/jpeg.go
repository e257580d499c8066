package metadata

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"crier/connectors/media/exif"
)

// The markers of a JPEG file (ITU T.81, B.1); each follows a byte of all ones.
const (
	jpegMarker = 0xff
	jpegTEM    = 0x01
	jpegRST0   = 0xd0
	jpegSOI    = 0xd8
	jpegEOI    = 0xd9
	jpegSOS    = 0xda
	jpegAPP0   = 0xe0
	jpegAPP1   = 0xe1
	jpegAPP2   = 0xe2
	jpegAPP14  = 0xee
	jpegAPP15  = 0xef
	jpegCOM    = 0xfe
)

// jpeg cuts all segments of applications but those that say how colors are meant: JFIF, ICC profiles
// and Adobe's transformation. So Exif goes with its maker notes and thumbnail, XMP with its extension,
// IPTC, and what was put between segments. What follows the picture goes too: further pictures (MPF),
// films of moving photos, each with metadata of its own.
func (p *planner) jpeg() error {
	w := &jpegWalk{planner: p, r: bufio.NewReaderSize(io.NewSectionReader(p.content, 0, p.size), 32<<10)}
	for {
		marker, err := w.next()
		if err != nil {
			return err
		}
		switch {
		case marker == jpegEOI:
			return p.cut(w.at, p.size)
		case marker == jpegTEM, marker == jpegSOI, marker >= jpegRST0 && marker < jpegSOI:
			continue // they stand alone
		}
		if err := w.segment(marker); err != nil {
			return err
		}
		w.isScan = marker == jpegSOS
	}
}

// jpegWalk is where in a JPEG the walk is.
type jpegWalk struct {
	*planner
	r      *bufio.Reader
	at     int64 // of what is read next
	isScan bool  // coded data follows
	turned bool  // the orientation was found
}

// next goes to the next marker. What stands before it is coded data where a scan has begun, and
// otherwise nothing that is needed.
func (w *jpegWalk) next() (byte, error) {
	start := w.at
	for {
		before, err := w.r.ReadSlice(jpegMarker)
		w.at += int64(len(before))
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return 0, errCutShort
		}
		for {
			marker, err := w.r.ReadByte()
			if err != nil {
				return 0, errCutShort
			}
			w.at++
			if marker == jpegMarker {
				continue // a byte that fills
			}
			if marker == 0 {
				break // a byte of all ones in the coded data
			}
			if !w.isScan {
				return marker, w.cut(start, w.at-2)
			}
			return marker, nil
		}
	}
}

// maxJPEGSegment is what the segments that are looked at may hold, in bytes: all of it.
const maxJPEGSegment = 1 << 16

// segment cuts a segment that is not needed.
func (w *jpegWalk) segment(marker byte) error {
	start := w.at - 2
	var raw [2]byte
	if _, err := io.ReadFull(w.r, raw[:]); err != nil {
		return errCutShort
	}
	length := int(binary.BigEndian.Uint16(raw[:]))
	if length < len(raw) {
		return errDamaged
	}
	end := w.at + int64(length)
	w.at = end
	isLabelled := marker >= jpegAPP0 && marker <= jpegAPP15 || marker == jpegCOM
	if !isLabelled {
		_, err := w.r.Discard(length - len(raw))
		return short(err)
	}
	content := make([]byte, min(length-len(raw), maxJPEGSegment))
	if _, err := io.ReadFull(w.r, content); err != nil {
		return errCutShort
	}
	with, isKept := w.labelled(marker, content)
	if isKept {
		return nil
	}
	return w.replace(start, end, with)
}

// labelled decides about a segment of an application, or a comment.
func (w *jpegWalk) labelled(marker byte, content []byte) (with []byte, isKept bool) {
	const jfif, profile, adobe = "JFIF\x00", "ICC_PROFILE\x00", "Adobe"
	const jfifBytes, thumbnailAt, adobeBytes = 14, 12, 12
	is := func(label string, least int) bool {
		return len(content) >= least && bytes.HasPrefix(content, []byte(label))
	}
	switch {
	case marker == jpegAPP0 && is(jfif, jfifBytes):
		if len(content) == jfifBytes {
			return nil, true
		}
		plain := bytes.Clone(content[:jfifBytes]) // without its thumbnail
		plain[thumbnailAt], plain[thumbnailAt+1] = 0, 0
		return jpegSegment(jpegAPP0, plain), false
	case marker == jpegAPP2 && is(profile, len(profile)):
		return nil, true
	case marker == jpegAPP14 && is(adobe, adobeBytes):
		if len(content) == adobeBytes {
			return nil, true
		}
		return jpegSegment(jpegAPP14, content[:adobeBytes]), false
	case marker == jpegAPP1 && is(exif.Prefix, 0) && !w.turned:
		turn := exif.Read(content)
		if w.turned = turn != 0; turn.Turns() {
			plain := append([]byte(exif.Prefix), turn.Bytes()...)
			return jpegSegment(jpegAPP1, plain), bytes.Equal(plain, content)
		}
	}
	return nil, false
}

func jpegSegment(marker byte, content []byte) []byte {
	head := binary.BigEndian.AppendUint16([]byte{jpegMarker, marker}, uint16(len(content)+2))
	return append(head, content...)
}

func short(err error) error {
	if err != nil {
		return errCutShort
	}
	return nil
}
