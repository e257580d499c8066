package media

import (
	"image"

	"golang.org/x/image/math/f64"
)

// orientation is how a stored picture is turned to be shown, as Exif numbers it (CIPA DC-008,
// 4.6): 1 to 8, of which those from 5 on make the sides change places.
type orientation int

const (
	upright      orientation = 1
	firstQuarter orientation = 5
	lastTurn     orientation = 8
)

func (o orientation) swaps() bool { return o >= firstQuarter && o <= lastTurn }

// shown takes a stored picture of a size to how it is shown.
func (o orientation) shown(stored image.Point) f64.Aff3 {
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

// stored returns where a part of a picture as shown is in it as stored, in a picture of the
// stored size.
func (o orientation) stored(part image.Rectangle, size image.Point) image.Rectangle {
	a := o.shown(size)
	// A turn is its own inverse except for the sign, so that the inverse is the transposed.
	back := func(p image.Point) image.Point {
		x, y := float64(p.X)-a[2], float64(p.Y)-a[5]
		return image.Pt(int(a[0]*x+a[3]*y), int(a[1]*x+a[4]*y))
	}
	return image.Rectangle{Min: back(part.Min), Max: back(part.Max)}.Canon()
}
