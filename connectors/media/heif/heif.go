// Package heif reads what a HEIC or AVIF file says of its picture (ISO/IEC 23008-12): how large it is
// as shown, how it is turned, its colors, and where its Exif and XMP stand. Nothing is decoded.
//
// A file has items (iinf), each at a place (iloc) and with properties (iprp); the primary one (pitm)
// is the picture. A photo of a phone is a grid of tiles, each an item of its own.
package heif

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"crier/connectors/media/bmff"
	"crier/connectors/media/exif"
)

// Bounds of what is read into memory, in bytes and items. Photos of phones have some 60 items.
const (
	maxTable = 1 << 20 // of iloc, and of ipma
	maxColor = 1 << 20 // of a color profile
	maxItems = 10_000
)

// The types of media.
const (
	HEIC = "image/heic"
	AVIF = "image/avif"
)

// Picture is what is known of a file's primary item.
type Picture struct {
	Type          string
	Width, Height int              // as shown
	Turn          exif.Orientation // of the stored picture; that of Exif counts for nothing here
	Profile       []byte           // ICC; nil: Colors say it, or nothing does
	Colors        Colors
	Animated      bool     // it has a sequence besides
	Metadata      []Extent // Exif, XMP and what else is of no picture
}

// Colors are those of nclx (ITU-T H.273). The zero value is that the file does not say.
type Colors struct {
	Primaries, Transfer, Matrix uint16
	FullRange                   bool
}

// Extent is a part of a file.
type Extent struct{ Start, End int64 }

var errNoPicture = errors.New("the file has no picture that is known how to read")

// Read reads a file.
func Read(content io.ReaderAt, size int64) (Picture, error) {
	r := &reader{file: bmff.New(content), size: size, items: make(map[uint32]*item)}
	if err := r.file.Walk(0, size, r.top); err != nil {
		return Picture{}, err
	}
	return r.picture()
}

// Type returns the media type of a file of one of the two types, whose beginning may be that of the
// other; any other type stays.
func Type(content io.ReaderAt, size int64, mediaType string) string {
	if mediaType != HEIC && mediaType != AVIF {
		return mediaType
	}
	if p, err := Read(content, size); err == nil {
		return p.Type
	}
	return mediaType
}

// item is what is known of an item.
type item struct {
	kind       string
	isXMP      bool
	method     uint16 // of construction: where its extents count from
	extents    []Extent
	properties []uint16 // by their place in ipco, from 1
}

type reader struct {
	file       *bmff.File
	size       int64
	primary    uint32
	items      map[uint32]*item
	properties []property
	data       bmff.Box // idat
	hasMeta    bool
	hasMovie   bool
	media      []bmff.Box // mdat
	extents    int        // of all items so far
	spaces     []bmff.Box // free space, where items may lie too
	beside     []Extent   // what is of no picture in the boxes about them
}

// property is one of ipco.
type property struct {
	bmff.Box
	value []byte // of the small ones, and of profiles
}

func (r *reader) item(id uint32) (*item, error) {
	if found := r.items[id]; found != nil {
		return found, nil
	}
	if len(r.items) >= maxItems {
		return nil, errors.New("the file has too many items")
	}
	entry := &item{}
	r.items[id] = entry
	return entry, nil
}

func (r *reader) top(b bmff.Box) error {
	switch b.Kind {
	case "meta": // a second one is of something behind the picture
		if r.hasMeta {
			return nil
		}
		r.hasMeta = true
		return r.file.Children(b, 4, r.inMeta)
	case "moov":
		r.hasMovie = true
	case "mdat":
		return r.note(&r.media, b)
	case "free", "skip":
		return r.note(&r.spaces, b)
	}
	return nil
}

func (r *reader) note(boxes *[]bmff.Box, b bmff.Box) error {
	if len(*boxes) >= maxItems {
		return errors.New("the file has too many boxes of data")
	}
	*boxes = append(*boxes, b)
	return nil
}

// itemBoxes are the boxes that items are found by, besides those that are read (14496-12, 8.11).
var itemBoxes = []string{"hdlr", "iref", "dinf", "grpl", "ipro"}

func (r *reader) inMeta(b bmff.Box) error {
	switch b.Kind {
	case "pitm":
		return r.primaryItem(b)
	case "iinf":
		raw, err := r.file.Content(b, 6, 8)
		if err != nil {
			return err
		}
		own := int64(6)
		if raw[0] != 0 {
			own = 8
		}
		return r.file.Children(b, own, r.itemInfo)
	case "iloc":
		return r.locations(b)
	case "iprp":
		return r.file.Children(b, 0, r.inProperties)
	case "idat":
		r.data = b
	default:
		if !slices.Contains(itemBoxes, b.Kind) {
			r.beside = append(r.beside, Extent{b.Body, b.End})
		}
	}
	return nil
}

func (r *reader) primaryItem(b bmff.Box) error {
	raw, err := r.file.Content(b, 6, 8)
	if err != nil {
		return err
	}
	t := table{raw: raw[4:]}
	r.primary = t.id(raw[0] != 0)
	return t.err
}

// itemInfo reads an item's type (8.11.6).
func (r *reader) itemInfo(b bmff.Box) error {
	if b.Kind != "infe" {
		return nil
	}
	raw, err := r.file.Content(b, 8, 1024)
	if err != nil {
		return err
	}
	version := raw[0]
	t := table{raw: raw[4:]}
	found, err := r.item(t.id(version == 3))
	if err != nil {
		return err
	}
	t.uint16() // of protection
	if version < 2 {
		found.isXMP = true // without a type it is a file with a name
		return t.err
	}
	found.kind = string(t.take(4))
	found.isXMP = found.kind == "mime" || found.kind == "uri "
	return t.err
}

// locations reads iloc (8.11.3).
func (r *reader) locations(b bmff.Box) error {
	if b.End-b.Body > maxTable {
		return errors.New("the file has too many items")
	}
	raw, err := r.file.Content(b, 8, maxTable)
	if err != nil {
		return err
	}
	version := raw[0]
	offsetSize, lengthSize, baseSize, indexSize := raw[4]>>4, raw[4]&15, raw[5]>>4, raw[5]&15
	if version == 0 {
		indexSize = 0
	}
	t := table{raw: raw[6:]}
	for range t.id(version == 2) {
		found, err := r.item(t.id(version == 2))
		if err != nil {
			return err
		}
		if version > 0 {
			found.method = t.uint16() & 15
		}
		t.uint16() // of the data's reference
		base := t.number(baseSize)
		for range t.uint16() {
			t.number(indexSize)
			start, length := base+t.number(offsetSize), t.number(lengthSize)
			if t.err != nil {
				return t.err
			}
			if length == 0 { // to the end
				length = r.size - start
			}
			if r.extents++; r.extents > maxItems { // one may take no byte of the table, and tables may be many
				return errors.New("the file has too many items")
			}
			found.extents = append(found.extents, Extent{Start: start, End: start + length})
		}
		if t.err != nil {
			return t.err
		}
	}
	return t.err
}

func (r *reader) inProperties(b bmff.Box) error {
	switch b.Kind {
	case "ipco":
		return r.file.Children(b, 0, func(b bmff.Box) error {
			if len(r.properties) >= maxItems {
				return errors.New("the file has too many properties")
			}
			p := property{Box: b}
			var err error
			switch b.Kind {
			case "colr":
				if b.End-b.Body > maxColor {
					return errors.New("the file has too large a color profile")
				}
				p.value, err = r.file.Content(b, 4, maxColor)
			case "ispe", "irot", "imir", "clap":
				p.value, err = r.file.Content(b, 1, 32)
			default:
				r.noteProperty(b)
			}
			r.properties = append(r.properties, p)
			return err
		})
	case "ipma":
		return r.associations(b)
	default:
		r.beside = append(r.beside, Extent{b.Body, b.End})
	}
	return nil
}

// noteProperty notes what a property says that is not of how a picture is shown: what somebody wrote about
// it (udes, altt), when it was made and changed (crtt, mdft), and what programs keep for themselves.
func (r *reader) noteProperty(b bmff.Box) {
	const version, name = 4, 16 // bytes before the content
	switch b.Kind {
	case "udes", "altt", "crtt", "mdft":
		r.beside = append(r.beside, Extent{b.Body + version, b.End})
	case "uuid":
		r.beside = append(r.beside, Extent{b.Body + name, b.End})
	case "free", "skip":
		r.beside = append(r.beside, Extent{b.Body, b.End})
	}
}

// associations reads which item has which properties (23008-12, 9.3).
func (r *reader) associations(b bmff.Box) error {
	if b.End-b.Body > maxTable {
		return errors.New("the file has too many properties")
	}
	raw, err := r.file.Content(b, 8, maxTable)
	if err != nil {
		return err
	}
	version, isLong := raw[0], raw[3]&1 != 0
	t := table{raw: raw[4:]}
	for range t.uint32() {
		found, err := r.item(t.id(version > 0))
		if err != nil {
			return err
		}
		for range t.uint8() {
			if isLong {
				found.properties = append(found.properties, t.uint16()&0x7fff)
			} else {
				found.properties = append(found.properties, uint16(t.uint8()&0x7f))
			}
		}
		if t.err != nil {
			return t.err
		}
	}
	return t.err
}

// table reads numbers one after the other.
type table struct {
	raw []byte
	err error
}

func (t *table) take(n int) []byte {
	if t.err != nil || len(t.raw) < n {
		t.err = bmff.ErrDamaged
		return make([]byte, n)
	}
	taken := t.raw[:n]
	t.raw = t.raw[n:]
	return taken
}

func (t *table) uint8() uint8   { return t.take(1)[0] }
func (t *table) uint16() uint16 { return binary.BigEndian.Uint16(t.take(2)) }
func (t *table) uint32() uint32 { return binary.BigEndian.Uint32(t.take(4)) }

func (t *table) id(isLong bool) uint32 {
	if isLong {
		return t.uint32()
	}
	return uint32(t.uint16())
}

// number reads a number of 0, 4 or 8 bytes; one that no file has is an error.
func (t *table) number(size uint8) int64 {
	switch size {
	case 0:
		return 0
	case 4:
		return int64(t.uint32())
	case 8:
		if n := binary.BigEndian.Uint64(t.take(8)); n < 1<<60 {
			return int64(n)
		}
	}
	t.err = bmff.ErrDamaged
	return 0
}
