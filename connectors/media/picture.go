package media

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"io"
	"slices"

	"golang.org/x/image/webp"

	"crier/connectors/media/exif"
	"crier/connectors/media/heif"
	"crier/connectors/media/walk"
)

// Pictures are walked to their end, part by part, so that one that was cut off is found out before a
// platform does.

var errCut = errors.New("the file ends before the picture does")

// dimensions reads a picture's header.
func dimensions(decode func(io.Reader) (image.Config, error), content io.ReaderAt, size int64) (shape, error) {
	config, err := decode(io.NewSectionReader(content, 0, size))
	if err != nil {
		return shape{}, fmt.Errorf("reading picture's header: %w", err)
	}
	return shape{
		width: config.Width, height: config.Height,
		decoded: int64(config.Width) * int64(config.Height) * pixelBytes(config.ColorModel),
	}, nil
}

// pixelBytes returns what a pixel of a decoded picture takes, in bytes.
func pixelBytes(model color.Model) int64 {
	if _, ok := model.(color.Palette); ok {
		return 1
	}
	switch model {
	case color.GrayModel:
		return 1
	case color.Gray16Model:
		return 2
	case color.RGBA64Model, color.NRGBA64Model:
		return 8
	default:
		return 4
	}
}

// pngShape walks the chunks. One called acTL says that the picture moves.
func pngShape(content io.ReaderAt, size int64) (shape, error) {
	found, err := dimensions(png.DecodeConfig, content, size)
	if err != nil {
		return shape{}, err
	}
	err = walk.PNG(content, size, func(c walk.Chunk) error {
		switch c.Kind {
		case "acTL":
			found.animated = true
		case "eXIf":
			found.readTurn(content, c.Body, c.End-c.Body)
		}
		return nil
	})
	found.show()
	return found, err
}

// webpPixel is what a pixel takes while a WebP is decoded, in bytes: a lossless one is copied
// while its transformations are undone.
const webpPixel = 8

// webpShape reads the flag of the extended header that says the picture moves (RFC 9649,
// 2.7).
func webpShape(content io.ReaderAt, size int64) (shape, error) {
	found, err := dimensions(webp.DecodeConfig, content, size)
	if err != nil {
		return shape{}, err
	}
	if err := wholeRIFF(content, size); err != nil {
		return shape{}, err
	}
	found.decoded = int64(found.width) * int64(found.height) * webpPixel
	const head, animation = 21, 0x02
	var raw [head]byte
	if _, err := content.ReadAt(raw[:], 0); err != nil {
		return shape{}, errCut
	}
	if string(raw[12:16]) != "VP8X" {
		return found, nil
	}
	found.animated = raw[20]&animation != 0
	_ = walk.NewRIFF(content).Walk(walk.RIFFHead, size, func(c walk.Chunk) error { // it is shown to where it goes wrong
		if c.Kind != "EXIF" {
			return nil
		}
		found.readTurn(content, c.Body, c.End-c.Body)
		return walk.ErrDone
	})
	found.show()
	return found, nil
}

// maxExif is what is read of Exif to find out how a picture is turned, in bytes.
const maxExif = 1 << 20

// readTurn reads the orientation of Exif that stands in a file. The first counts, as viewers have it,
// and what cannot be read turns nothing.
func (s *shape) readTurn(content io.ReaderAt, at, length int64) {
	raw := make([]byte, min(length, maxExif))
	if _, err := content.ReadAt(raw, at); err != nil || s.turn != 0 {
		return
	}
	s.turn = exif.Read(raw)
}

// show makes the size that of the picture as shown.
func (s *shape) show() {
	if s.turn.Swaps() {
		s.width, s.height = s.height, s.width
	}
}

// heifPixel is what a pixel takes once a HEIC or AVIF is decoded, in bytes: luma and chroma of a HEIC, all
// colors of an AVIF. What decoding itself takes is another process's.
func heifPixel(mediaType string) int64 {
	if mediaType == heif.HEIC {
		return 2
	}
	return 4
}

// heifShape reads what HEIC and AVIF say of their picture.
func heifShape(content io.ReaderAt, size int64) (shape, error) {
	p, err := heif.Read(content, size)
	if err != nil {
		return shape{}, fmt.Errorf("reading picture's header: %w", err)
	}
	found := shape{name: p.Type, width: p.Width, height: p.Height, animated: p.Animated}
	if p.Type == heif.AVIF {
		found.turn = p.Turn // a decoded HEIC is turned already
	}
	found.decoded = int64(p.Width) * int64(p.Height) * heifPixel(p.Type)
	return found, nil
}

// gifShape counts the pictures of a GIF; one with more than one moves.
func gifShape(content io.ReaderAt, size int64) (shape, error) {
	found, err := dimensions(gif.DecodeConfig, content, size)
	if err != nil {
		return shape{}, err
	}
	err = walk.GIF(content, size, func(b walk.Block) error {
		if b.Kind == walk.GIFImage {
			found.frames++
		}
		return nil
	})
	if err == nil && found.frames == 0 {
		err = errors.New("the file has no picture")
	}
	found.animated = found.frames > 1
	return found, err
}

// jpegShape walks the segments to the end of the picture. Go's decoder is not asked for its size: it refuses
// samplings that every viewer shows (go.dev/issue/54997).
func jpegShape(content io.ReaderAt, size int64) (shape, error) {
	found := shape{turn: exif.Upright}
	err := walk.JPEG(content, size, found.segment)
	found.show()
	return found, err
}

// segment takes from a segment of a JPEG how the picture is turned and what decoding it takes.
func (s *shape) segment(at *walk.Segment) error {
	if !at.IsFrame() && (at.Marker != walk.APP1 || !at.Begins(exif.Prefix)) {
		return nil
	}
	content, err := at.Content()
	if err != nil {
		return err
	}
	if at.IsFrame() {
		return s.frame(at.Marker, content)
	}
	if turn := exif.Read(content); turn != 0 && !s.isTurned {
		s.turn, s.isTurned = turn, true // the first counts, as viewers have it
	}
	return nil
}

// frame takes the size from the segment that describes the picture (ITU T.81, B.2.2).
func (s *shape) frame(marker byte, content []byte) error {
	const head, component, depth = 6, 3, 8
	if len(content) < head || len(content) != head+component*int(content[5]) || s.width > 0 {
		return walk.ErrDamaged
	}
	if marker > walk.SOF2 || content[0] != depth || !slices.Contains([]byte{1, 3, 4}, content[5]) {
		return errors.New("the picture is coded in a way that viewers do not show")
	}
	s.height, s.width = int(binary.BigEndian.Uint16(content[1:])), int(binary.BigEndian.Uint16(content[3:]))
	if s.width == 0 || s.height == 0 {
		return errors.New("the picture has no size")
	}
	s.decoded = int64(s.width) * int64(s.height) * jpegPixel(content, marker == walk.SOF2) / 100
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
