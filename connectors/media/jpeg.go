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
	jpegSOF0   = 0xc0 // of a frame: baseline,
	jpegSOF2   = 0xc2 // and progressive
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
	found.turn = upright
	for {
		marker, err := nextMarker(r)
		switch {
		case err != nil:
			return shape{}, err
		case marker == jpegEOI:
			if found.turn.swaps() {
				found.width, found.height = found.height, found.width
			}
			return found, nil
		case marker == jpegSOI, marker == jpegTEM, marker >= jpegRST0 && marker < jpegSOI:
			continue // they stand alone
		}
		if err := found.segment(r, marker); err != nil {
			return shape{}, err
		}
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

// segment passes over a segment of a JPEG, and takes from it how the picture is turned and what
// decoding it takes.
func (s *shape) segment(r *bufio.Reader, marker byte) error {
	var raw [2]byte
	if _, err := io.ReadFull(r, raw[:]); err != nil {
		return errCut
	}
	length := int(binary.BigEndian.Uint16(raw[:])) - len(raw)
	if length < 0 {
		return errDamaged
	}
	isFrame := marker >= jpegSOF0 && marker <= jpegSOF2
	if marker != jpegAPP1 && !isFrame {
		return skip(r, int64(length))
	}
	segment := make([]byte, length) // at most 64 KiB
	if _, err := io.ReadFull(r, segment); err != nil {
		return errCut
	}
	if isFrame {
		s.decoded = int64(s.width) * int64(s.height) * jpegPixel(segment, marker == jpegSOF2) / 100
	} else if turn := exifOrientation(segment); turn != 0 {
		s.turn = turn
	}
	return nil
}

// jpegPixel returns what a pixel takes while a picture is decoded whose frame is described by a
// segment (ITU T.81, B.2.2), in hundredths of a byte: a byte a sample, and of a progressive one
// four more for the coefficients; four bytes where colors are converted as a whole.
func jpegPixel(frame []byte, progressive bool) int64 {
	const head, component = 6, 3
	var samples, most int64
	isRGB := len(frame) == head+3*component
	for at := head; at+component <= len(frame); at += component {
		n := int64(frame[at+1]>>4) * int64(frame[at+1]&15)
		samples, most = samples+n, max(most, n)
		isRGB = isRGB && "RGB"[min((at-head)/component, 2)] == frame[at]
	}
	each := int64(100)
	if progressive {
		each = 500
	}
	pixel := each * samples / max(most, 1)
	if isRGB || len(frame) >= head+4*component {
		pixel += 400
	}
	return pixel
}

// exifOrientation reads the orientation of an Exif segment. A segment that cannot be read, or
// that is of something else, turns nothing, as viewers have it: 0.
func exifOrientation(segment []byte) orientation {
	tiff, ok := bytes.CutPrefix(segment, []byte("Exif\x00\x00"))
	if !ok || len(tiff) < 8 {
		return 0
	}
	var order binary.ByteOrder = binary.LittleEndian
	if string(tiff[:2]) == "MM" {
		order = binary.BigEndian
	}
	const tagOrientation, entryBytes = 0x0112, 12
	start := int64(order.Uint32(tiff[4:]))
	if start+2 > int64(len(tiff)) {
		return 0
	}
	entries := tiff[start+2:]
	for range order.Uint16(tiff[start:]) {
		if len(entries) < entryBytes {
			return 0
		}
		if order.Uint16(entries) == tagOrientation {
			if turn := orientation(order.Uint16(entries[8:])); turn >= upright && turn <= lastTurn {
				return turn
			}
			return 0
		}
		entries = entries[entryBytes:]
	}
	return 0
}
