package heif

import (
	"encoding/binary"

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
	var err error
	if p.Metadata, err = r.metadata(); err != nil {
		return Picture{}, err
	}
	p.Metadata = append(p.Metadata, r.unused()...)
	return p, nil
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
	short := func(minimum int) bool { return len(v) < minimum }
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
