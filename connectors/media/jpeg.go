package media

import (
	"bufio"
	"encoding/binary"
	"errors"
	"image/jpeg"
	"io"

	"crier/connectors/media/bmff"
	"crier/connectors/media/exif"
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
	found.turn = exif.Upright
	for {
		marker, err := nextMarker(r)
		switch {
		case err != nil:
			return shape{}, err
		case marker == jpegEOI:
			if found.turn.Swaps() {
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
		return bmff.ErrDamaged
	}
	isFrame := marker >= jpegSOF0 && marker <= jpegSOF2
	if marker != jpegAPP1 && !isFrame {
		return skip(r, int64(length))
	}
	isExif, err := r.Peek(min(length, len(exif.Prefix)))
	if err == nil && marker == jpegAPP1 && string(isExif) != exif.Prefix {
		return skip(r, int64(length))
	}
	segment := make([]byte, length) // at most 64 KiB
	if _, err := io.ReadFull(r, segment); err != nil {
		return errCut
	}
	if isFrame {
		s.decoded = int64(s.width) * int64(s.height) * jpegPixel(segment, marker == jpegSOF2) / 100
	} else if turn := exif.Read(segment); turn != 0 && !s.isTurned {
		s.turn, s.isTurned = turn, true // the first counts, as viewers have it
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
