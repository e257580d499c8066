package media

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/gabriel-vasile/mimetype"

	"crier/connectors/media/exif"
	"crier/connectors/media/film"
	"crier/connectors/media/heif"
	"crier/connectors/media/metadata"
	"crier/schema"
)

// shape is what a file's structure says of its content.
type shape struct {
	name          string // media type, where the structure tells more than the beginning; empty: it does not
	width, height int
	duration      time.Duration
	animated      bool
	frames        int   // of a GIF
	soundOnly     bool  // a film without pictures
	decoded       int64 // what decoding takes, in bytes; of pictures
	turn          exif.Orientation
	film          schema.FilmFacts
	isTurned      bool // the file says how it is turned
}

// maxPixels bounds what a file may claim: no platform shows more, and who decodes it
// would need gigabytes.
const maxPixels = 1 << 28

// format is how a type of media is probed.
type format struct {
	kind  schema.MediaKind
	shape func(content io.ReaderAt, size int64) (shape, error)
}

// formatOf returns the media type as platforms know it and how to probe it.
func formatOf(detected string) (string, format, bool) {
	switch detected {
	case "image/jpeg":
		return detected, format{schema.Image, jpegShape}, true
	case "image/png", "image/vnd.mozilla.apng":
		return "image/png", format{schema.Image, pngShape}, true
	case "image/webp":
		return detected, format{schema.Image, webpShape}, true
	case "image/heic", "image/heif", "image/heic-sequence", "image/heif-sequence":
		return heif.HEIC, format{schema.Image, heifShape}, true
	case heif.AVIF:
		return heif.AVIF, format{schema.Image, heifShape}, true
	case "image/gif":
		return detected, format{schema.GIF, gifShape}, true
	case "video/mp4", "video/x-m4v":
		return "video/mp4", format{schema.Video, filmShape}, true
	case "video/quicktime":
		return detected, format{schema.Video, filmShape}, true
	case "video/webm":
		return detected, format{schema.Video, webmShape}, true
	case "video/x-msvideo":
		return detected, format{schema.Video, aviShape}, true
	case "application/pdf":
		return detected, format{schema.PDF, documentShape}, true
	default:
		return detected, format{}, false
	}
}

// Probe finds out what content is, without decoding any of it. The error is a
// *schema.Error of kind Refused for what is no media, or damaged, or claims to be larger
// than anybody could show.
func Probe(content io.ReaderAt, size int64) (schema.MediaFacts, error) {
	detected, err := mimetype.DetectReader(io.NewSectionReader(content, 0, size))
	if err != nil {
		return schema.MediaFacts{}, fmt.Errorf("probing media: %w", err)
	}
	name, format, ok := formatOf(detected.String())
	if !ok && isMP4(content, size) {
		name, format, ok = formatOf("video/mp4")
	}
	if !ok {
		return schema.MediaFacts{}, refused("the file is no media that can be posted: it is "+name, nil)
	}
	found, err := format.shape(content, size)
	if err != nil {
		return schema.MediaFacts{}, refused("the file is damaged or incomplete: "+name, err)
	}
	if err := found.check(format.kind); err != nil {
		return schema.MediaFacts{}, err
	}
	name = cmp.Or(found.name, name)
	removed, err := metadata.Find(content, size, name)
	if err != nil {
		return schema.MediaFacts{}, refused("the file is damaged or incomplete: "+name, err)
	}
	found.film.Tracks = strings.Join(removed.Tracks, ", ")
	return schema.MediaFacts{
		Type: name, Kind: format.kind, Size: size, Metadata: removed.Removed(),
		Width: found.width, Height: found.height, Duration: found.duration, Animated: found.animated, Frames: found.frames,
		Decoded: found.decoded, Film: found.film,
	}, nil
}

// mp4Brands are those of MP4 (ISO/IEC 14496-12, annex E; 14496-14, 4).
var mp4Brands = []string{"isom", "iso2", "iso3", "iso4", "iso5", "iso6", "iso7", "iso8", "iso9", "avc1", "mp41", "mp42"}

// isMP4 reports whether a file says that it is MP4 too: cameras put a name of their own before that (MSNV of
// Sony's), and phones that of 3GPP.
func isMP4(content io.ReaderAt, size int64) (is bool) {
	const head, maximum = 8, 256 // bytes of a box, and of what is read of it
	raw := make([]byte, min(size, maximum))
	if _, err := content.ReadAt(raw, 0); err != nil || len(raw) < 2*head || string(raw[4:head]) != "ftyp" {
		return false
	}
	brands := raw[:min(int64(len(raw)), int64(binary.BigEndian.Uint32(raw)))]
	for at := 2 * head; at+4 <= len(brands); at += 4 {
		is = is || slices.Contains(mp4Brands, string(brands[at:at+4]))
	}
	return is
}

// filmShape reads what MP4 and QuickTime say of a film.
func filmShape(content io.ReaderAt, size int64) (shape, error) {
	f, err := film.Read(content, size)
	return shape{width: f.Width, height: f.Height, duration: f.Duration, soundOnly: f.SoundOnly, film: f.FilmFacts}, err
}

// check refuses what is whole but nothing that can be shown.
func (s shape) check(kind schema.MediaKind) error {
	switch isPicture := kind == schema.Image || kind == schema.GIF; {
	case isPicture && (s.width < 1 || s.height < 1):
		return refused("the picture has no size", nil)
	case s.soundOnly:
		return refused("the film has sound and no pictures", nil)
	case int64(s.width)*int64(s.height) > maxPixels:
		return refused(fmt.Sprintf("the file claims %d × %d pixels, which is more than can be shown", s.width, s.height), nil)
	}
	return nil
}

// documentShape finds out whether a PDF is one from its first byte on, and whole: its last
// lines say where its table stands, and end it (ISO 32000-1, 7.5.2 and 7.5.5). Readers look
// for its mark in the first 1,024 bytes, so that a page may stand before it.
func documentShape(content io.ReaderAt, size int64) (shape, error) {
	const mark, lastLines = "%PDF-", 1024
	var head [len(mark)]byte
	if _, err := content.ReadAt(head[:], 0); err != nil || string(head[:]) != mark {
		return shape{}, errors.New("something else stands before the document")
	}
	tail := make([]byte, min(size, lastLines))
	if _, err := content.ReadAt(tail, size-int64(len(tail))); err != nil {
		return shape{}, errCut
	}
	if !bytes.Contains(tail, []byte("%%EOF")) {
		return shape{}, errCut
	}
	return shape{}, nil
}

// wholeRIFF holds the size that a RIFF file claims, as WebP and AVI are, against its own
// (RFC 9649, 2.4).
func wholeRIFF(content io.ReaderAt, size int64) error {
	var head [8]byte
	if _, err := content.ReadAt(head[:], 0); err != nil || int64(binary.LittleEndian.Uint32(head[4:]))+int64(len(head)) > size {
		return errCut
	}
	return nil
}

// aviShape finds out whether an AVI is whole; more is not read of it.
func aviShape(content io.ReaderAt, size int64) (shape, error) {
	return shape{}, wholeRIFF(content, size)
}
