package metadata

import (
	"slices"

	"crier/connectors/media/bmff"
	"crier/connectors/media/heif"
)

// Which boxes a film is played by, by the box that they are in (ISO/IEC 14496-12; QuickTime File
// Format). All others become free space: user data (udta, with ©xyz and loci), meta with its keys, XMP
// (uuid), what makers of cameras add. Free space is blanked too, since programs leave there what they
// no longer want.
var boxesKept = map[string][]string{
	"":     {"ftyp", "styp", "moov", "moof", "mdat", "imda", "sidx", "ssix", "mfra", "prft", "emsg", "pdin", "wide", "bloc"},
	"moov": {"mvhd", "trak", "mvex", "iods", "pssh", "cmov", "rmra", "clip", "ctab"},
	"trak": {"tkhd", "edts", "mdia", "tref", "trgr", "tapt", "load", "matt", "clip", "imap", "txas"},
	"mdia": {"mdhd", "hdlr", "elng", "minf"},
	"moof": {"mfhd", "traf", "pssh"},
}

// spherical is the type of the uuid box by which players know that a film is all around
// (google/spatial-media).
const spherical = "\xff\xcc\x82\x63\xf8\x55\x4a\x93\x88\x14\x58\x7a\x02\x52\x1f\xdd"

// movie overwrites what says more of a film than how it is played, and when it was made.
func (p *planner) movie() error {
	m := &movieWalk{planner: p, file: bmff.New(p.content)}
	return m.walk(0, p.size, "")
}

type movieWalk struct {
	*planner
	file *bmff.File
}

func (m *movieWalk) walk(start, end int64, parent string) error {
	last := start
	err := m.file.Walk(start, end, func(b bmff.Box) error {
		last = b.End
		return m.box(b, parent)
	})
	if err != nil {
		return err
	}
	return m.blank(last, end) // less than a box
}

func (m *movieWalk) box(b bmff.Box, parent string) error {
	if !slices.Contains(boxesKept[parent], b.Kind) && !m.isSpherical(b, parent) {
		return m.free(b)
	}
	switch b.Kind {
	case "moov", "trak", "mdia", "moof":
		return m.walk(b.Body, b.End, b.Kind)
	case "mvhd", "tkhd", "mdhd":
		return m.times(b)
	case "hdlr":
		return m.handler(b)
	case "minf":
		_ = m.file.Children(b, 0, m.inInformation) // it only names tracks
	}
	return nil
}

func (m *movieWalk) isSpherical(b bmff.Box, parent string) bool {
	var kind [len(spherical)]byte
	return b.Kind == "uuid" && parent == "trak" && b.End-b.Body >= int64(len(kind)) &&
		m.read(kind[:], b.Body) == nil && string(kind[:]) == spherical
}

// free makes of a box one that everybody passes over.
func (m *movieWalk) free(b bmff.Box) error {
	if b.Kind != "free" && b.Kind != "skip" {
		if err := m.overwrite(b.Start+4, b.Start+8, "free"); err != nil {
			return err
		}
	}
	return m.blank(b.Body, b.End)
}

// times blanks when a film, or a track of it, was made and changed.
func (m *movieWalk) times(b bmff.Box) error {
	_, version, err := m.file.Times(b, 12, 20)
	if err != nil {
		return err
	}
	if version == 1 {
		return m.blank(b.Body+4, b.Body+20)
	}
	return m.blank(b.Body+4, b.Body+12)
}

// tracksKept are the handlers of tracks that are seen, heard or read, and of time codes.
var tracksKept = []string{"vide", "soun", "auxv", "pict", "text", "sbtl", "subt", "clcp", "tmcd", "hint", "\x00\x00\x00\x00"}

// handler looks at what a track is of.
func (m *movieWalk) handler(b bmff.Box) error {
	raw, err := m.file.Content(b, 12, 12)
	if err != nil {
		return err
	}
	if kind := string(raw[8:12]); !slices.Contains(tracksKept, kind) {
		m.name(kind)
	}
	return nil
}

// name notes a timed metadata track by its handler, or what its samples are.
func (m *movieWalk) name(kind string) {
	const most = 8
	name := printable(kind)
	if len(m.plan.Tracks) < most && !slices.Contains(m.plan.Tracks, name) {
		m.plan.Tracks = append(m.plan.Tracks, name)
	}
}

// inInformation finds what the samples of a timed metadata track are: its handler is "meta", which says
// little.
func (m *movieWalk) inInformation(b bmff.Box) error {
	if b.Kind != "stbl" {
		return nil
	}
	return m.file.Children(b, 0, func(b bmff.Box) error {
		if b.Kind != "stsd" {
			return nil
		}
		const head = 16 // version, count, and size and type of the first
		raw, err := m.file.Content(b, 0, head)
		if err != nil || len(raw) < head {
			return err
		}
		if kind := string(raw[12:16]); slices.Contains([]string{"mebx", "gpmd", "camm", "rtmd", "mett", "metx", "urim"}, kind) {
			m.plan.Tracks = slices.DeleteFunc(m.plan.Tracks, func(name string) bool { return name == "meta" })
			m.name(kind)
		}
		return nil
	})
}

func printable(kind string) string {
	name := []byte(kind)
	for i, c := range name {
		if c < ' ' || c > '~' {
			name[i] = '?'
		}
	}
	return string(name)
}

// blank makes zeros of what is from start to end, unless it is so already.
func (p *planner) blank(start, end int64) error {
	var piece [4096]byte
	for at := start; at < end; {
		n := min(int64(len(piece)), end-at)
		if err := p.read(piece[:n], at); err != nil {
			return err
		}
		isBlank := !slices.ContainsFunc(piece[:n], func(b byte) bool { return b != 0 })
		if at += n; !isBlank || at-start > maxLooked {
			return p.overwrite(start, end, "")
		}
	}
	return nil
}

// maxLooked is how much is looked at to find out whether it is blank, in bytes: free space can be
// as large as the file.
const maxLooked = 1 << 20

// heif overwrites Exif and XMP of a HEIC or AVIF, and what is beside its pictures. Nothing moves: the
// places of items are offsets.
func (p *planner) heif() error {
	picture, err := heif.Read(p.content, p.size)
	if err != nil {
		return err
	}
	for _, part := range picture.Metadata {
		if err := p.blank(part.Start, part.End); err != nil {
			return err
		}
	}
	m := &movieWalk{planner: p, file: bmff.New(p.content)}
	last := int64(0)
	err = m.file.Walk(0, p.size, func(b bmff.Box) error {
		last = b.End
		switch b.Kind {
		case "meta":
			return nil
		case "free", "skip": // items may lie there
			return nil
		}
		return m.box(b, "")
	})
	if err != nil {
		return err
	}
	return p.blank(last, p.size)
}
