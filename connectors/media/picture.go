package media

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"io"

	"golang.org/x/image/webp"

	"crier/connectors/media/bmff"
	"crier/connectors/media/exif"
	"crier/connectors/media/heif"
)

// Pictures are walked to their end, block by block, so that one that was cut off is found
// out before a platform does. Sizes within a file are never trusted: a walk ends with the
// file, and reads nothing into memory but the blocks' headers.

var errCut = errors.New("the file ends before the picture does")

// mostBlocks bounds a walk: a file can be millions of empty blocks.
const mostBlocks = 1_000_000

// reader reads a file from its start, through a buffer of its own.
func reader(content io.ReaderAt, size int64) *bufio.Reader {
	return bufio.NewReaderSize(io.NewSectionReader(content, 0, size), 32<<10)
}

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

// skip goes n bytes on; a file that has fewer was cut off.
func skip(r *bufio.Reader, n int64) error {
	if _, err := io.CopyN(io.Discard, r, n); err != nil {
		return errCut
	}
	return nil
}

// pngShape walks the chunks up to IEND (PNG, 5.3): length, type, content, checksum. The
// chunk acTL says that the picture moves.
func pngShape(content io.ReaderAt, size int64) (shape, error) {
	found, err := dimensions(png.DecodeConfig, content, size)
	if err != nil {
		return shape{}, err
	}
	const signature, around = 8, 12 // bytes; of a chunk apart from its content
	at := int64(signature)
	for range mostBlocks {
		var head [8]byte
		if at+around > size {
			return shape{}, errCut
		}
		if _, err := content.ReadAt(head[:], at); err != nil {
			return shape{}, errCut
		}
		length := int64(binary.BigEndian.Uint32(head[:]))
		if at += around + length; at > size {
			return shape{}, errCut
		}
		switch string(head[4:]) {
		case "acTL":
			found.animated = true
		case "eXIf":
			found.readTurn(content, at-4-length, length)
		case "IEND":
			found.show()
			return found, nil
		}
	}
	return shape{}, errors.New("the file has too many chunks")
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
	if at, length := riffChunk(content, size, "EXIF"); length > 0 {
		found.readTurn(content, at, length)
	}
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

// The blocks of a GIF (GIF89a, appendix A).
const (
	gifExtension = 0x21
	gifImage     = 0x2c
	gifTrailer   = 0x3b
)

// gifShape counts the pictures of a GIF; one with more than one moves. Many files have no
// trailer, so the end between two blocks is an end too.
func gifShape(content io.ReaderAt, size int64) (shape, error) {
	found, err := dimensions(gif.DecodeConfig, content, size)
	if err != nil {
		return shape{}, err
	}
	r := reader(content, size)
	var head [13]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return shape{}, errCut
	}
	if err := skip(r, colorTable(head[10])); err != nil {
		return shape{}, err
	}
	pictures := 0
	for range mostBlocks {
		kind, err := r.ReadByte()
		if err != nil || kind == gifTrailer {
			break
		}
		if kind == gifImage {
			pictures++
		}
		if err := gifBlock(r, kind); err != nil {
			return shape{}, err
		}
	}
	if pictures == 0 {
		return shape{}, errors.New("the file has no picture")
	}
	found.animated = pictures > 1
	return found, nil
}

// gifBlock passes over one block: an extension, or a picture.
func gifBlock(r *bufio.Reader, kind byte) error {
	switch kind {
	case gifExtension:
		if err := skip(r, 1); err != nil { // its label
			return err
		}
	case gifImage:
		var head [9]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return errCut
		}
		if err := skip(r, colorTable(head[8])+1); err != nil { // and the size of codes
			return err
		}
	default:
		return bmff.ErrDamaged
	}
	for { // sub-blocks, up to an empty one
		length, err := r.ReadByte()
		if err != nil {
			return errCut
		}
		if length == 0 {
			return nil
		}
		if err := skip(r, int64(length)); err != nil {
			return err
		}
	}
}

// colorTable returns the length of the table of colors that flags announce.
func colorTable(flags byte) int64 {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}
