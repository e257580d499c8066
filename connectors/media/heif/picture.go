package heif

import (
	"encoding/binary"
	"slices"

	"crier/connectors/media/bmff"
	"crier/connectors/media/exif"
)

// codings are the types of items that hold pictures, with the media type of their files.
var codings = map[string]string{"hvc1": HEIC, "hev1": HEIC, "av01": AVIF}

// picture puts together what was read.
func (r *reader) picture() (Picture, error) {
	primary := r.items[r.primary]
	if primary == nil {
		return Picture{}, errNoPicture
	}
	p := Picture{Type: r.typeOf(primary), Animated: r.hasMovie}
	if p.Type == "" {
		return Picture{}, errNoPicture
	}
	var turn turn
	for _, index := range primary.properties {
		if index == 0 || int(index) > len(r.properties) {
			continue
		}
		if err := p.apply(r.properties[index-1], &turn); err != nil {
			return Picture{}, err
		}
	}
	if p.Turn = turn.orientation(); p.Turn.Swaps() {
		p.Width, p.Height = p.Height, p.Width
	}
	return p, r.findMetadata(&p)
}

// typeOf returns the media type of an item's file: of one that is made of others, theirs.
func (r *reader) typeOf(primary *item) string {
	if coding := codings[primary.kind]; coding != "" {
		return coding
	}
	if primary.kind != "grid" && primary.kind != "iden" && primary.kind != "iovl" {
		return ""
	}
	found := ""
	for _, other := range r.items {
		coding := codings[other.kind]
		if coding != "" && found != "" && coding != found {
			return ""
		}
		if coding != "" {
			found = coding
		}
	}
	return found
}

// apply takes a property into account.
func (p *Picture) apply(property property, turn *turn) error {
	v := property.value
	short := func(least int) bool { return len(v) < least }
	switch property.Kind {
	case "ispe":
		if short(12) {
			return bmff.ErrDamaged
		}
		p.Width, p.Height = side(v[4:]), side(v[8:])
	case "clap": // only its size matters: it is about the middle in all files that were met
		if short(16) {
			return bmff.ErrDamaged
		}
		p.Width, p.Height = min(p.Width, fraction(v)), min(p.Height, fraction(v[8:]))
	case "irot":
		turn.quarters = int(v[0] & 3)
	case "imir":
		turn.isMirrored, turn.sideways = true, v[0]&1 != 0
	case "colr":
		p.color(string(v[:4]), v[4:])
	}
	return nil
}

// color reads one of the ways to describe colors (14496-12, 12.1.5). A profile counts more.
func (p *Picture) color(kind string, v []byte) {
	switch {
	case kind == "prof" || kind == "rICC":
		p.Profile = v
	case kind == "nclx" && len(v) >= 7:
		number := func(at int) uint16 { return binary.BigEndian.Uint16(v[at:]) }
		p.Colors = Colors{number(0), number(2), number(4), v[6]&0x80 != 0}
	}
}

func side(raw []byte) int { return int(min(binary.BigEndian.Uint32(raw), 1<<30)) }

// fraction reads a number of pixels that is given as numerator and denominator.
func fraction(raw []byte) int {
	below := binary.BigEndian.Uint32(raw[4:])
	if below == 0 {
		return 0
	}
	return int(min(binary.BigEndian.Uint32(raw)/below, 1<<30))
}

// turn is what irot and imir do, in this order (23000-22, 7.3.6.7).
type turn struct {
	quarters             int // anticlockwise
	isMirrored, sideways bool
}

// orientation returns the turn as Exif numbers it.
func (t turn) orientation() exif.Orientation {
	switch {
	case !t.isMirrored:
		return [4]exif.Orientation{1, 8, 3, 6}[t.quarters]
	case t.sideways:
		return [4]exif.Orientation{2, 7, 4, 5}[t.quarters]
	default:
		return [4]exif.Orientation{4, 5, 2, 7}[t.quarters]
	}
}

// isMedia reports whether a part is of media data, as all that is written of items is: what is blanked
// elsewhere could be the file's own tables.
func (r *reader) isMedia(part Extent) bool {
	return slices.ContainsFunc(r.media, func(b bmff.Box) bool { return part.Start >= b.Body && part.End <= b.End })
}

// findMetadata finds where Exif and XMP stand. Those that are made of other items are damaged: no
// program writes them.
func (r *reader) findMetadata(p *Picture) error {
	for _, property := range r.properties {
		if property.Kind == "udes" { // what somebody wrote about it, behind a version
			p.Metadata = append(p.Metadata, Extent{Start: property.Body + 4, End: property.End})
		}
	}
	for _, it := range r.items {
		if it.kind != "Exif" && !it.isXMP {
			continue
		}
		start, end := int64(0), r.size
		switch it.method {
		case 0:
		case 1:
			start, end = r.data.Body, r.data.End
		default:
			return bmff.ErrDamaged
		}
		for _, e := range it.extents {
			placed := Extent{start + e.Start, start + e.End}
			if it.method == 1 && e.End == r.size {
				placed.End = end // to the end of the data
			}
			if placed.Start > placed.End || placed.End > end || it.method == 0 && !r.isMedia(placed) {
				return bmff.ErrDamaged
			}
			p.Metadata = append(p.Metadata, placed)
		}
	}
	return nil
}
