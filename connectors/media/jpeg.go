package media

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"image/jpeg"
	"io"
)

// The markers of a JPEG file that are looked for (ITU T.81, B.1); each follows a byte
// of all ones.
const (
	jpegMarker = 0xff
	jpegTEM    = 0x01
	jpegRST0   = 0xd0
	jpegSOI    = 0xd8
	jpegEOI    = 0xd9
	jpegSOS    = 0xda
	jpegAPP1   = 0xe1 // of Exif, among others
)

// jpegShape walks the segments to the end of the picture. What cameras append after it
// (previews, films) is left alone.
func jpegShape(content io.ReaderAt, size int64) (shape, error) {
	found, err := dimensions(jpeg.DecodeConfig, content, size)
	if err != nil {
		return shape{}, err
	}
	r := reader(content, size)
	turned := false
	for {
		marker, err := nextMarker(r)
		switch {
		case err != nil:
			return shape{}, err
		case marker == jpegEOI:
			if turned {
				found.width, found.height = found.height, found.width
			}
			return found, nil
		case marker == jpegSOI, marker == jpegTEM, marker >= jpegRST0 && marker < jpegSOI:
			continue // they stand alone
		}
		quarter, err := jpegSegment(r, marker)
		if err != nil {
			return shape{}, err
		}
		turned = turned || quarter
	}
}

// nextMarker goes to the next marker, over the coded data of a scan where it stands in
// one: there a byte of all ones is followed by zero.
func nextMarker(r *bufio.Reader) (byte, error) {
	for {
		before, err := r.ReadSlice(jpegMarker)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil || len(before) == 0 {
			return 0, errCut
		}
		for {
			marker, err := r.ReadByte()
			if err != nil {
				return 0, errCut
			}
			if marker == jpegMarker {
				continue // fill bytes
			}
			if marker == 0 {
				break
			}
			return marker, nil
		}
	}
}

// jpegSegment passes over a segment, and tells whether it is the one that turns the
// picture by a quarter.
func jpegSegment(r *bufio.Reader, marker byte) (turned bool, err error) {
	var raw [2]byte
	if _, err := io.ReadFull(r, raw[:]); err != nil {
		return false, errCut
	}
	length := int(binary.BigEndian.Uint16(raw[:])) - len(raw)
	if length < 0 {
		return false, errDamaged
	}
	if marker != jpegAPP1 {
		return false, skip(r, int64(length))
	}
	segment := make([]byte, length) // at most 64 KiB
	if _, err := io.ReadFull(r, segment); err != nil {
		return false, errCut
	}
	return exifTurns(segment), nil
}

// exifTurns reads the orientation of an Exif segment (CIPA DC-008, 4.6): from 5 on the
// sides change places. A segment that cannot be read turns nothing, as viewers have it.
func exifTurns(segment []byte) bool {
	tiff, ok := bytes.CutPrefix(segment, []byte("Exif\x00\x00"))
	if !ok || len(tiff) < 8 {
		return false
	}
	var order binary.ByteOrder = binary.LittleEndian
	if string(tiff[:2]) == "MM" {
		order = binary.BigEndian
	}
	const tagOrientation, entryBytes = 0x0112, 12
	start := int64(order.Uint32(tiff[4:]))
	if start+2 > int64(len(tiff)) {
		return false
	}
	entries := tiff[start+2:]
	for range order.Uint16(tiff[start:]) {
		if len(entries) < entryBytes {
			return false
		}
		if order.Uint16(entries) == tagOrientation {
			value := order.Uint16(entries[8:])
			return value >= 5 && value <= 8
		}
		entries = entries[entryBytes:]
	}
	return false
}
