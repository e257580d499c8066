// Package exif reads the one thing of Exif that a picture needs to be shown as it was taken: its
// orientation (CIPA DC-008, 4.6.5). Everything else in it is about who took it, when and where.
package exif

import (
	"bytes"
	"encoding/binary"
	"image"

	"golang.org/x/image/math/f64"
)

// Orientation is how a stored picture is turned to be shown: 1 to 8, of which those from 5 on make
// the sides change places. Zero is none.
type Orientation int

// The orientations that are named.
const (
	Upright      Orientation = 1
	firstQuarter Orientation = 5
	lastTurn     Orientation = 8
)

// Prefix begins Exif in a JPEG's segment, and in some WebP and PNG files.
const Prefix = "Exif\x00\x00"

const (
	tagOrientation = 0x0112
	entryBytes     = 12
	typeShort      = 3
	typeLong       = 4
)

// Read returns the orientation that Exif gives, with its prefix or without; zero: none, or one that
// cannot be read, which turns nothing, as viewers have it.
func Read(content []byte) Orientation {
	tiff := bytes.TrimPrefix(content, []byte(Prefix))
	if len(tiff) < 8 {
		return 0
	}
	var order binary.ByteOrder
	switch string(tiff[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return 0
	}
	start := int64(order.Uint32(tiff[4:]))
	if start+2 > int64(len(tiff)) {
		return 0
	}
	entries := tiff[start+2:]
	for range order.Uint16(tiff[start:]) {
		if len(entries) < entryBytes {
			return 0
		}
		if order.Uint16(entries) == tagOrientation {
			return valueOf(order, entries)
		}
		entries = entries[entryBytes:]
	}
	return 0
}

func valueOf(order binary.ByteOrder, entry []byte) Orientation {
	value := int64(order.Uint16(entry[8:]))
	if order.Uint16(entry[2:]) == typeLong {
		value = int64(order.Uint32(entry[8:]))
	}
	if value < int64(Upright) || value > int64(lastTurn) {
		return 0
	}
	return Orientation(value)
}

// Bytes returns Exif, without its prefix, that holds the orientation and nothing else.
func (o Orientation) Bytes() []byte {
	raw := append([]byte("MM\x00*"), 0, 0, 0, 8, 0, 1)
	raw = binary.BigEndian.AppendUint16(raw, tagOrientation)
	raw = binary.BigEndian.AppendUint16(raw, typeShort)
	raw = binary.BigEndian.AppendUint32(raw, 1)
	raw = binary.BigEndian.AppendUint16(raw, uint16(o))
	return append(raw, 0, 0, 0, 0, 0, 0) // the rest of the value, and no further directory
}

// Turns reports whether the picture is shown otherwise than it is stored.
func (o Orientation) Turns() bool { return o > Upright && o <= lastTurn }

// Swaps reports whether the sides change places.
func (o Orientation) Swaps() bool { return o >= firstQuarter && o <= lastTurn }

// Of returns the stored size of a picture that is shown in a size, or the other way round.
func (o Orientation) Of(size image.Point) image.Point {
	if o.Swaps() {
		return image.Pt(size.Y, size.X)
	}
	return size
}

// Transform takes a stored picture of a size to how it is shown.
func (o Orientation) Transform(stored image.Point) f64.Aff3 {
	w, h := float64(stored.X), float64(stored.Y)
	switch o {
	case 2: // mirrored
		return f64.Aff3{-1, 0, w, 0, 1, 0}
	case 3: // on its head
		return f64.Aff3{-1, 0, w, 0, -1, h}
	case 4:
		return f64.Aff3{1, 0, 0, 0, -1, h}
	case 5:
		return f64.Aff3{0, 1, 0, 1, 0, 0}
	case 6: // by a quarter, clockwise
		return f64.Aff3{0, -1, h, 1, 0, 0}
	case 7:
		return f64.Aff3{0, -1, h, -1, 0, w}
	case 8:
		return f64.Aff3{0, 1, 0, -1, 0, w}
	default:
		return f64.Aff3{1, 0, 0, 0, 1, 0}
	}
}

// Stored returns where a part of a picture as shown is in it as stored, in a picture of the
// stored size.
func (o Orientation) Stored(part image.Rectangle, size image.Point) image.Rectangle {
	a := o.Transform(size)
	// A turn is its own inverse except for the sign, so that the inverse is the transposed.
	back := func(p image.Point) image.Point {
		x, y := float64(p.X)-a[2], float64(p.Y)-a[5]
		return image.Pt(int(a[0]*x+a[3]*y), int(a[1]*x+a[4]*y))
	}
	return image.Rectangle{Min: back(part.Min), Max: back(part.Max)}.Canon()
}
