package media

import (
	"image/jpeg"
	"io"

	"crier/connectors/media/exif"
	"crier/connectors/media/walk"
)

// jpegShape walks the segments to the end of the picture.
func jpegShape(content io.ReaderAt, size int64) (shape, error) {
	found, err := dimensions(jpeg.DecodeConfig, content, size)
	if err != nil {
		return shape{}, err
	}
	found.turn = exif.Upright
	err = walk.JPEG(content, size, found.segment)
	found.show()
	return found, err
}

// segment takes from a segment of a JPEG how the picture is turned and what decoding it takes.
func (s *shape) segment(at *walk.Segment) error {
	isFrame := at.Marker >= walk.SOF0 && at.Marker <= walk.SOF2
	if !isFrame && (at.Marker != walk.APP1 || !at.Begins(exif.Prefix)) {
		return nil
	}
	content, err := at.Content()
	if err != nil {
		return err
	}
	if isFrame {
		s.decoded = int64(s.width) * int64(s.height) * jpegPixel(content, at.Marker == walk.SOF2) / 100
	} else if turn := exif.Read(content); turn != 0 && !s.isTurned {
		s.turn, s.isTurned = turn, true // the first counts, as viewers have it
	}
	return nil
}

// jpegPixel returns how much memory a pixel takes while a picture is decoded, in hundredths of a byte.
// frame is the segment that describes the picture (ITU T.81, B.2.2). It is a byte a sample, four more
// in a progressive picture for the coefficients, and four where colors are converted as a whole.
func jpegPixel(frame []byte, progressive bool) int64 {
	const head, component = 6, 3
	var samples, maximum int64
	isRGB := len(frame) == head+3*component
	for at := head; at+component <= len(frame); at += component {
		n := int64(frame[at+1]>>4) * int64(frame[at+1]&15)
		samples, maximum = samples+n, max(maximum, n)
		isRGB = isRGB && "RGB"[min((at-head)/component, 2)] == frame[at]
	}
	each := int64(100)
	if progressive {
		each = 500
	}
	pixel := each * samples / max(maximum, 1)
	if isRGB || len(frame) >= head+4*component {
		pixel += 400
	}
	return pixel
}
