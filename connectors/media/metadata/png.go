package metadata

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"

	"crier/connectors/media/exif"
	"crier/connectors/media/walk"
)

// pngChunks are the chunks that a picture is shown by (PNG 3rd edition, 5.6). All others go: texts and
// XMP in them, times, content credentials, what programs keep for themselves.
var pngChunks = map[string]bool{
	"IHDR": true, "PLTE": true, "IDAT": true, "tRNS": true, "bKGD": true, "pHYs": true,
	"cHRM": true, "gAMA": true, "iCCP": true, "sBIT": true, "sRGB": true, "cICP": true, "mDCV": true, "cLLI": true,
	"acTL": true, "fcTL": true, "fdAT": true,
}

// maxExif is what is read of Exif, in bytes.
const maxExif = 1 << 20

func (p *planner) png() error {
	turned := false
	return walk.PNG(p.content, p.size, func(c walk.Chunk) error {
		switch {
		case c.Kind == "IEND":
			return p.cut(c.Next, p.size)
		case c.Kind == "eXIf" && !turned:
			turn, err := p.exif(c.Body, c.End-c.Body)
			if err != nil {
				return err
			}
			turned = turn != 0
			return p.pngTurn(c.Start, c.Next, turn)
		case !pngChunks[c.Kind]:
			return p.cut(c.Start, c.Next)
		}
		return nil
	})
}

// pngTurn puts a chunk of the orientation alone in the place of one of Exif.
func (p *planner) pngTurn(start, end int64, turn exif.Orientation) error {
	if !turn.Turns() {
		return p.cut(start, end)
	}
	named := append([]byte("eXIf"), turn.Bytes()...)
	plain := append(binary.BigEndian.AppendUint32(nil, uint32(len(named)-4)), named...)
	plain = binary.BigEndian.AppendUint32(plain, crc32.ChecksumIEEE(named))
	return p.replaceUnlessSame(start, end, plain)
}

// exif reads the orientation of Exif that stands at an offset.
func (p *planner) exif(at, length int64) (exif.Orientation, error) {
	content := make([]byte, min(length, maxExif))
	if err := p.read(content, at); err != nil {
		return 0, err
	}
	return exif.Read(content), nil
}

// replaceUnlessSame is replace, but of what is so already: what was freed of metadata has none.
func (p *planner) replaceUnlessSame(start, end int64, with []byte) error {
	if end-start == int64(len(with)) {
		there := make([]byte, len(with))
		if err := p.read(there, start); err != nil {
			return err
		}
		if bytes.Equal(there, with) {
			return nil
		}
	}
	return p.replace(start, end, with)
}
