package metadata

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"crier/connectors/media/bmff"
	"crier/connectors/media/heif"
)

// Which boxes a film is played by, by the box that they are in (ISO/IEC 14496-12; QuickTime File
// Format). All others become free space: user data (udta, with ©xyz and loci), meta with its keys, XMP
// (uuid), the clock of whoever recorded it (prft), what makers of cameras add. Free space is blanked too,
// since programs leave there what they no longer want.
var movieBoxes = map[string][]string{
	"":     {"ftyp", "styp", "moov", "moof", "mdat", "imda", "sidx", "ssix", "mfra", "pdin", "wide", "bloc"},
	"moov": {"mvhd", "trak", "mvex", "iods", "pssh", "rmra", "clip", "ctab"},
	"trak": {"tkhd", "edts", "mdia", "tref", "trgr", "tapt", "load", "matt", "clip", "imap", "txas", "senc"},
	"mdia": {"mdhd", "hdlr", "elng", "minf"},
	"minf": {"vmhd", "smhd", "hmhd", "sthd", "nmhd", "gmhd", "hdlr", "dinf", "stbl"},
	"dinf": {"dref"},
	"stbl": {
		"stsd", "stts", "ctts", "cslg", "stsc", "stsz", "stz2", "stco", "co64", "stss", "stsh", "stps", "padb", "stdp",
		"sdtp", "sbgp", "sgpd", "csgp", "subs", "saiz", "saio", "senc",
	},
	"mvex": {"mehd", "trex", "trep", "leva"},
	"moof": {"mfhd", "traf", "pssh"},
	"traf": {"tfhd", "tfdt", "trun", "sdtp", "sbgp", "sgpd", "csgp", "subs", "saiz", "saio", "senc"},
}

// spherical is the type of the uuid box that tells players that a film is all around
// (google/spatial-media).
const spherical = "\xff\xcc\x82\x63\xf8\x55\x4a\x93\x88\x14\x58\x7a\x02\x52\x1f\xdd"

// movie overwrites what says more of a film than how it is played, and when it was made.
func (p *planner) movie() error {
	m := &movieWalk{planner: p, file: bmff.New(p.content)}
	end, err := m.file.Film(p.size, func(b bmff.Box) error { return m.box(b, "") })
	if err != nil {
		return err
	}
	return m.fill(end, p.size)
}

type movieWalk struct {
	*planner
	file  *bmff.File
	metas int // boxes of items so far
}

// maxMetas is how many boxes of items a film may have, each of which the whole file is looked at for. Films
// have one for themselves, and one for each track.
const maxMetas = 100

func (m *movieWalk) walk(start, end int64, parent string) error {
	last := start
	err := m.file.Walk(start, end, func(b bmff.Box) error {
		last = b.End
		return m.box(b, parent)
	})
	if errors.Is(err, bmff.ErrDamaged) && slices.Contains(mayBeDamaged, parent) {
		return m.damaged(last, end, parent)
	}
	if err != nil {
		return err
	}
	return m.blank(last, end) // less than a box
}

// mayBeDamaged are boxes that a film is taken without, which may have anything in them.
var mayBeDamaged = []string{"minf", "dinf", "stbl", "mvex", "traf"}

// damaged looks at a box whose size contradicts the one it is in. Where it is longer, players take it to the
// end of that; what they do not need is filled.
func (m *movieWalk) damaged(start, end int64, parent string) error {
	const head = 8
	var raw [head]byte
	if end-start < head || m.read(raw[:], start) != nil {
		return m.fill(start, end)
	}
	kind := string(raw[4:])
	if isLonger := int64(binary.BigEndian.Uint32(raw[:])) > end-start; isLonger && slices.Contains(movieBoxes[parent], kind) {
		return m.box(bmff.Box{Kind: kind, Start: start, Body: start + head, End: end}, parent)
	}
	return m.fill(start, end)
}

// fill makes a box that everybody passes over of what is from start to end.
func (m *movieWalk) fill(start, end int64) error {
	const head = 8
	if end-start < head || end-start > math.MaxUint32 {
		return m.blank(start, end)
	}
	return m.overwrite(start, end, string(binary.BigEndian.AppendUint32(nil, uint32(end-start)))+"free")
}

// errCompressed is that a film's header is compressed, as QuickTime once could: what it says cannot be
// overwritten.
var errCompressed = errors.New("the film's header is compressed")

func (m *movieWalk) box(b bmff.Box, parent string) error {
	switch {
	case b.Kind == "cmov" && parent == "moov":
		return errCompressed
	case b.Kind == "gps " && parent == "moov":
		if err := m.positions(b); err != nil {
			return err
		}
	case b.Kind == "meta":
		if err := m.items(b); err != nil {
			return err
		}
	}
	if !slices.Contains(movieBoxes[parent], b.Kind) && !m.isSpherical(b, parent) {
		return m.free(b)
	}
	switch b.Kind {
	case "moov", "trak", "mdia", "minf", "dinf", "stbl", "mvex", "moof", "traf":
		return m.walk(b.Body, b.End, b.Kind)
	case "mvhd", "tkhd", "mdhd":
		return m.times(b)
	case "hdlr":
		if parent == "mdia" {
			return m.handler(b)
		}
	case "stsd":
		return m.descriptions(b)
	case "dref":
		return m.references(b)
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

// positions blanks what recorders in cars write between a film's pictures, each second a block of its own
// that says where they are: a table in moov has their places and lengths
// (sergei.nz/extracting-gps-data-from-viofo-a119-and-other-novatek-powered-cameras).
func (m *movieWalk) positions(table bmff.Box) error {
	const (
		head, entry = 8, 8 // of the table, and each of its entries
		mark        = 12   // a block begins with its length and with magic
		magic       = "freeGPS "
	)
	left := m.size // blocks are beside each other
	for at := table.Body + head; at+entry <= table.End; at += entry {
		var raw [entry]byte
		if err := m.read(raw[:], at); err != nil {
			return err
		}
		start, length := int64(binary.BigEndian.Uint32(raw[:])), int64(binary.BigEndian.Uint32(raw[4:]))
		var begins [mark]byte
		if length < mark || start+length > m.size || m.read(begins[:], start) != nil || string(begins[4:]) != magic {
			continue // there is something else
		}
		if left -= length; left < 0 {
			return errTooMuch
		}
		if err := m.blank(start+mark, start+length); err != nil {
			return err
		}
	}
	return nil
}

// items blanks the Exif and XMP that a meta box has in the film's data. What cannot be read of a box says
// where nothing is.
func (m *movieWalk) items(b bmff.Box) error {
	if m.metas++; m.metas > maxMetas {
		return errTooMuch
	}
	parts, err := heif.Metadata(m.content, m.size, b)
	if err != nil {
		return nil //nolint:nilerr // QuickTime's own have no items
	}
	for _, part := range parts {
		if err := m.blank(part.Start, part.End); err != nil {
			return err
		}
	}
	return nil
}

// references blanks the paths and volumes of the disk that a film was made on, which are kept of data
// although it is in the file.
func (m *movieWalk) references(b bmff.Box) error {
	const count, head, isHere = 8, 4, 1 // bytes; the flag of data in the file
	err := m.file.Children(b, count, func(b bmff.Box) error {
		raw, err := m.file.Content(b, head, head)
		if err != nil || raw[3]&isHere == 0 {
			return err
		}
		return m.blank(b.Body+head, b.End)
	})
	if errors.Is(err, bmff.ErrDamaged) {
		return m.fill(b.Start, b.End) // its own size may be wrong too
	}
	return err
}

// trackHandlers are the handlers of tracks that are seen or heard, and of time codes. Subtitles are none of
// them: drones and recorders in cars write into them where they are.
var trackHandlers = []string{"vide", "soun", "auxv", "pict", "clcp", "tmcd", "hint", "\x00\x00\x00\x00"}

// handler looks at what a track is of.
func (m *movieWalk) handler(b bmff.Box) error {
	raw, err := m.file.Content(b, 12, 12)
	if err != nil {
		return err
	}
	if kind := string(raw[8:12]); !slices.Contains(trackHandlers, kind) {
		m.name(kind)
	}
	return nil
}

// name notes a timed metadata track by its handler, or what its samples are.
func (p *planner) name(kind string) {
	const maximum = 8
	name := printable(kind)
	if len(p.plan.Tracks) < maximum && !slices.Contains(p.plan.Tracks, name) {
		p.plan.Tracks = append(p.plan.Tracks, name)
	}
}

// descriptions finds what the samples of a timed metadata track are: its handler is "meta", which says
// little.
func (m *movieWalk) descriptions(b bmff.Box) error {
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
	last, hasMeta := int64(0), false
	err = m.file.Walk(0, p.size, func(b bmff.Box) error {
		last = b.End
		switch {
		case b.Kind == "meta" && !hasMeta:
			hasMeta = true // it is the picture's; a further one is of a film behind it
			return nil
		case b.Kind == "free", b.Kind == "skip": // items may lie there
			return nil
		}
		return m.box(b, "")
	})
	if err != nil {
		return err
	}
	return p.blank(last, p.size)
}
