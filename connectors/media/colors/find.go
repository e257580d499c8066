package colors

import (
	"bytes"
	"compress/zlib"
	"io"

	"crier/connectors/media/heif"
	"crier/connectors/media/walk"
)

// Find returns what converts the colors of a file of a media type to sRGB; nil: they are those already,
// or it cannot be told.
func Find(content io.ReaderAt, size int64, mediaType string) *Converter {
	f := file{content, size}
	var profile *Profile
	switch mediaType {
	case "image/jpeg":
		profile = parsed(f.ofJPEG())
	case "image/png":
		profile = f.ofPNG()
	case "image/webp":
		profile = parsed(f.ofWebP())
	case heif.HEIC, heif.AVIF:
		profile = f.ofHEIF()
	}
	if profile == nil {
		return nil
	}
	return profile.Converter()
}

func parsed(raw []byte) *Profile {
	p, err := Parse(raw)
	if err != nil {
		return nil
	}
	return p
}

type file struct {
	content io.ReaderAt
	size    int64
}

// part reads a part of the file; nil: it has none such, or too large a one.
func (f file) part(at, length int64) []byte {
	if length < 0 || length > maxProfile || at+length > f.size {
		return nil
	}
	raw := make([]byte, length)
	if _, err := f.content.ReadAt(raw, at); err != nil {
		return nil
	}
	return raw
}

// ofJPEG joins the segments of a profile, each with its number and how many there are (ICC.1, B.4).
func (f file) ofJPEG() []byte {
	const label = "ICC_PROFILE\x00"
	var parts [256][]byte
	_ = walk.JPEG(f.content, f.size, func(s *walk.Segment) error { // what was found before it went wrong counts
		switch {
		case s.Marker == walk.SOS:
			return walk.ErrDone
		case s.Marker != walk.APP2 || s.Length() <= len(label)+2 || !s.Begins(label):
			return nil
		}
		content, err := s.Content()
		if err == nil {
			parts[content[len(label)]] = content[len(label)+2:]
		}
		return err
	})
	return bytes.Join(parts[:], nil)
}

func (f file) ofPNG() (found *Profile) {
	_ = walk.PNG(f.content, f.size, func(c walk.Chunk) error { // likewise
		switch c.Kind {
		case "IDAT":
			return walk.ErrDone
		case "iCCP":
			found = parsed(inflated(f.part(c.Body, c.End-c.Body)))
		case "cICP": // counts more than a profile (PNG 3rd edition, 4.3)
			if v := f.part(c.Body, c.End-c.Body); len(v) == 4 {
				found = coded(uint16(v[0]))
				return walk.ErrDone
			}
		}
		return nil
	})
	return found
}

// inflated reads the profile of a PNG, behind its name and a byte more.
func inflated(chunk []byte) []byte {
	_, packed, ok := bytes.Cut(chunk, []byte{0})
	if !ok || len(packed) < 1 {
		return nil
	}
	r, err := zlib.NewReader(bytes.NewReader(packed[1:]))
	if err != nil {
		return nil
	}
	raw, err := io.ReadAll(io.LimitReader(r, maxProfile))
	if err != nil {
		return nil
	}
	return raw
}

func (f file) ofWebP() (profile []byte) {
	_ = walk.NewRIFF(f.content).Walk(walk.RIFFHead, f.size, func(c walk.Chunk) error {
		if c.Kind != "ICCP" {
			return nil
		}
		profile = f.part(c.Body, c.End-c.Body)
		return walk.ErrDone
	})
	return profile
}

func (f file) ofHEIF() *Profile {
	p, err := heif.Read(f.content, f.size)
	if err != nil {
		return nil
	}
	if found := parsed(p.Profile); found != nil {
		return found
	}
	return coded(p.Colors.Primaries)
}

// coded returns the profile of primaries that are named by a number (ITU-T H.273, 8.1).
func coded(primaries uint16) *Profile {
	const p3 = 12
	if primaries == p3 {
		return P3()
	}
	return nil
}
