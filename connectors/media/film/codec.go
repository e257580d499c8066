package film

import (
	"bytes"
	"strings"

	"crier/connectors/media/bmff"
)

// codecs are the names of sample entries (mp4ra.org).
var codecs = map[string]string{
	"avc1": "h264", "avc2": "h264", "avc3": "h264", "avc4": "h264", "dva1": "h264", "dvav": "h264",
	"hvc1": "hevc", "hev1": "hevc", "dvh1": "hevc", "dvhe": "hevc", "hvc2": "hevc", "hev2": "hevc",
	"av01": "av1", "dav1": "av1", "vp08": "vp8", "vp09": "vp9", "vvc1": "vvc", "vvi1": "vvc",
	"apcn": "prores", "apch": "prores", "apcs": "prores", "apco": "prores", "ap4h": "prores", "ap4x": "prores",
	"aprn": "prores", "aprh": "prores",
	"mp4v": "mpeg4", "s263": "h263", "h263": "h263", "jpeg": "mjpeg", "mjpa": "mjpeg", "mjpb": "mjpeg",
}

// Samplings of chroma, by the number that standards have for them.
var samplings = [4]string{"4:0:0", "4:2:0", "4:2:2", "4:4:4"}

// descriptions reads the first entry of stsd (12.1.3): the codec, and what its own box says.
func (t *track) descriptions(b bmff.Box) error {
	isFirst := true
	return t.file.Children(b, 8, func(entry bmff.Box) error {
		if !isFirst {
			return nil
		}
		isFirst = false
		t.name(entry.Kind)
		if t.coding.Codec == "prores" {
			t.coding.Chroma, t.coding.Depth = "4:2:2", 10
			if strings.HasPrefix(entry.Kind, "ap4") {
				t.coding.Chroma, t.coding.Depth = "4:4:4", 12
			}
		}
		const own = 78 // bytes of a visual sample entry
		return t.file.Children(entry, own, t.inDescription)
	})
}

// name notes the codec.
func (t *track) name(kind string) {
	if t.coding.Codec = codecs[kind]; t.coding.Codec == "" {
		t.coding.Codec = printable(kind)
	}
}

func printable(kind string) string {
	return strings.ToLower(strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, kind)))
}

func (t *track) inDescription(b bmff.Box) error {
	const maximum = 4096 // of a codec's own box
	switch b.Kind {
	case "avcC", "hvcC", "av1C", "vpcC":
		raw, err := t.file.Content(b, 4, maximum)
		if err != nil {
			return err
		}
		t.configuration(b.Kind, raw)
	case "sinf": // what it was before it was encrypted
		return t.file.Children(b, 0, func(b bmff.Box) error {
			if b.Kind != "frma" {
				return nil
			}
			raw, err := t.file.Content(b, 4, 4)
			t.name(string(raw))
			return err
		})
	}
	return nil
}

// configuration reads chroma and depth.
func (t *track) configuration(kind string, raw []byte) {
	set := func(chroma, depth byte) { t.coding.Chroma, t.coding.Depth = samplings[chroma&3], int(depth) }
	switch {
	case kind == "hvcC" && len(raw) > 18: // 14496-15, 8.3.3.1
		set(raw[16], raw[17]&7+8)
	case kind == "av1C": // AV1-ISOBMFF, 2.3.3
		depth := byte(8)
		if raw[2]&0x40 != 0 {
			depth = 10
			if raw[2]&0x20 != 0 {
				depth = 12
			}
		}
		switch x, y := raw[2]&8 != 0, raw[2]&4 != 0; {
		case raw[2]&0x10 != 0:
			set(0, depth)
		case x && y:
			set(1, depth)
		case x:
			set(2, depth)
		default:
			set(3, depth)
		}
	case kind == "vpcC" && len(raw) > 6: // behind a version: profile, level, and both
		if chroma := raw[6] >> 1 & 7; chroma < 2 {
			set(1, raw[6]>>4)
		} else {
			set(chroma, raw[6]>>4)
		}
	case kind == "avcC":
		t.parameters(raw)
	}
}

// parameters reads the first sequence parameter set of an avcC (14496-15, 5.3.3.1; H.264, 7.3.2.1.1).
// Profiles below the high ones have 4:2:0 of 8 bits.
func (t *track) parameters(raw []byte) {
	const setsAt, nalHead = 6, 1
	if len(raw) < setsAt+2 || raw[5]&31 == 0 {
		return
	}
	sps := raw[setsAt+2:]
	sps = sps[:min(len(sps), int(raw[setsAt])<<8|int(raw[setsAt+1]))]
	if len(sps) < nalHead+3 {
		return
	}
	t.coding.Chroma, t.coding.Depth = samplings[1], 8
	switch sps[nalHead] {
	case 100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135:
	default:
		return
	}
	bits := &bitReader{raw: bytes.ReplaceAll(sps[nalHead+3:], []byte{0, 0, 3}, []byte{0, 0})}
	bits.golomb() // of the set
	chroma := bits.golomb()
	if chroma == 3 {
		bits.bit() // whether colors are apart
	}
	depth := bits.golomb() + 8
	if bits.isOver || chroma > 3 || depth > 16 {
		t.coding.Chroma, t.coding.Depth = "", 0
		return
	}
	t.coding.Chroma, t.coding.Depth = samplings[chroma], int(depth)
}

// bitReader reads bits, the highest of a byte first.
type bitReader struct {
	raw    []byte
	at     int // in bits
	isOver bool
}

func (r *bitReader) bit() uint32 {
	if r.at>>3 >= len(r.raw) {
		r.isOver = true
		return 0
	}
	bit := r.raw[r.at>>3] >> (7 - r.at&7) & 1
	r.at++
	return uint32(bit)
}

// number reads a number of so many bits.
func (r *bitReader) number(bits int) (value uint32) {
	for range bits {
		value = value<<1 | r.bit()
	}
	return value
}

// golomb reads a number in Exp-Golomb coding (H.264, 9.1).
func (r *bitReader) golomb() uint32 {
	zeros := 0
	for !r.isOver && zeros < 31 && r.bit() == 0 {
		zeros++
	}
	return (1<<zeros | r.number(zeros)) - 1
}
