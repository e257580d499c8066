package colors

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"

	"crier/connectors/media/heif"
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

// mostParts bounds the parts of a file that are looked at.
const mostParts = 10_000

// ofJPEG joins the segments of a profile, each with its number and how many there are (ICC.1, B.4).
func (f file) ofJPEG() []byte {
	const label = "ICC_PROFILE\x00"
	var parts [256][]byte
	at := int64(2)
	for range mostParts {
		head := f.part(at, 4)
		if head == nil || head[0] != 0xff || head[1] == 0xda {
			break
		}
		if head[1] == 0xff || head[1] == 0x01 || head[1] >= 0xd0 && head[1] <= 0xd8 {
			at++ // what fills, or stands alone
			continue
		}
		length := int64(binary.BigEndian.Uint16(head[2:]))
		if content := f.part(at+4, length-2); head[1] == 0xe2 && len(content) > len(label)+2 && bytes.HasPrefix(content, []byte(label)) {
			parts[content[len(label)]] = content[len(label)+2:]
		}
		at += 2 + length
	}
	return bytes.Join(parts[:], nil)
}

func (f file) ofPNG() *Profile {
	at := int64(8)
	var found *Profile
	for range mostParts {
		head := f.part(at, 8)
		if head == nil || string(head[4:]) == "IDAT" {
			break
		}
		length := int64(binary.BigEndian.Uint32(head))
		switch string(head[4:]) {
		case "iCCP":
			found = parsed(inflated(f.part(at+8, length)))
		case "cICP": // counts more than a profile (PNG 3rd edition, 4.3)
			if v := f.part(at+8, length); len(v) == 4 {
				return coded(uint16(v[0]))
			}
		}
		at += 12 + length
	}
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

func (f file) ofWebP() []byte {
	at := int64(12)
	for range mostParts {
		head := f.part(at, 8)
		if head == nil {
			break
		}
		length := int64(binary.LittleEndian.Uint32(head[4:]))
		if string(head[:4]) == "ICCP" {
			return f.part(at+8, length)
		}
		at += 8 + length + length&1
	}
	return nil
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
