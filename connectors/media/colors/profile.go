// Package colors finds out what the numbers of a picture mean as colors, and makes them those of sRGB,
// which is what viewers take a picture without a profile for.
package colors

import (
	"encoding/binary"
	"errors"
	"math"
)

// Profile takes colors of a picture to linear light, and that to XYZ under the white of ICC (D50).
type Profile struct {
	curves [3]curve
	matrix [3][3]float64 // columns are what red, green and blue are in XYZ
}

// curve takes a number from 0 to 1 to linear light.
type curve func(float64) float64

var errNotKnown = errors.New("the profile is of a kind that is not known how to read")

// maxProfile bounds a profile, in bytes. Those of devices have a few kilobytes.
const maxProfile = 4 << 20

// Parse reads an ICC profile of three colors and a matrix (ICC.1:2010, 8.3), as cameras and screens have
// them. Those with tables of colors, of printers, are not read.
func Parse(raw []byte) (*Profile, error) {
	const head, entry = 128, 12
	if len(raw) < head+4 || string(raw[16:20]) != "RGB " || string(raw[20:24]) != "XYZ " || string(raw[36:40]) != "acsp" {
		return nil, errNotKnown
	}
	tags := make(map[string][]byte)
	table := raw[head+4:]
	for range min(binary.BigEndian.Uint32(raw[head:]), 100) {
		if len(table) < entry {
			return nil, errNotKnown
		}
		start, length := int64(binary.BigEndian.Uint32(table[4:])), int64(binary.BigEndian.Uint32(table[8:]))
		if start+length > int64(len(raw)) {
			return nil, errNotKnown
		}
		tags[string(table[:4])] = raw[start : start+length]
		table = table[entry:]
	}
	p := &Profile{}
	for i, name := range []string{"r", "g", "b"} {
		column, ok := xyz(tags[name+"XYZ"])
		if !ok {
			return nil, errNotKnown
		}
		for row := range 3 {
			p.matrix[row][i] = column[row]
		}
		if p.curves[i] = parseCurve(tags[name+"TRC"]); p.curves[i] == nil {
			return nil, errNotKnown
		}
	}
	return p, nil
}

func xyz(tag []byte) (c [3]float64, ok bool) {
	if len(tag) < 20 || string(tag[:4]) != "XYZ " {
		return c, false
	}
	for i := range c {
		c[i] = fixed(tag[8+4*i:])
	}
	return c, true
}

// fixed reads a number in 15.16 fixed point.
func fixed(raw []byte) float64 { return float64(int32(binary.BigEndian.Uint32(raw))) / 65536 }

// parseCurve reads a curve (10.6, 10.18); nil: it is none.
func parseCurve(tag []byte) curve {
	if len(tag) < 12 {
		return nil
	}
	switch string(tag[:4]) {
	case "curv":
		n := int(min(binary.BigEndian.Uint32(tag[8:]), maxProfile))
		if len(tag) < 12+2*n {
			return nil
		}
		return sampled(tag[12:], n)
	case "para":
		return parametric(tag)
	}
	return nil
}

// sampled is a curve of so many points; of none it is straight, of one it is a gamma.
func sampled(points []byte, n int) curve {
	point := func(i int) float64 { return float64(binary.BigEndian.Uint16(points[2*i:])) }
	switch n {
	case 0:
		return func(x float64) float64 { return x }
	case 1:
		gamma := point(0) / 256
		return func(x float64) float64 { return math.Pow(x, gamma) }
	}
	return func(x float64) float64 {
		at := x * float64(n-1)
		i := min(int(at), n-2)
		part := at - float64(i)
		return (point(i)*(1-part) + point(i+1)*part) / 65535
	}
}

// parametric is a curve of a gamma and up to six more numbers.
func parametric(tag []byte) curve {
	counts := []int{1, 3, 4, 5, 7}
	kind := int(binary.BigEndian.Uint16(tag[8:]))
	if kind >= len(counts) || len(tag) < 12+4*counts[kind] {
		return nil
	}
	var v [7]float64
	for i := range counts[kind] {
		v[i] = fixed(tag[12+4*i:])
	}
	g, a, b, c, d, e, f := v[0], v[1], v[2], v[3], v[4], v[5], v[6]
	switch kind {
	case 0:
		a, d = 1, -1
	case 1:
		if d = -1; a != 0 {
			d = -b / a
		}
		c, e, f = 0, 0, 0
	case 2:
		if d = -1; a != 0 {
			d = -b / a
		}
		e, f, c = v[3], v[3], 0
	}
	return func(x float64) float64 {
		if x >= d {
			return math.Pow(max(0, a*x+b), g) + e
		}
		return c*x + f
	}
}

// srgb is what sRGB's red, green and blue are in XYZ under D50 (IEC 61966-2-1, adapted by Bradford's
// method).
var srgb = [3][3]float64{{0.4360657, 0.3851515, 0.1430784}, {0.2224932, 0.7168870, 0.0606169}, {0.0139160, 0.0970764, 0.7140961}}

// displayP3 is the same of Display P3, the colors of phones (SMPTE EG 432-1).
var displayP3 = [3][3]float64{{0.5151215, 0.2919769, 0.1571045}, {0.2412262, 0.6922455, 0.0665283}, {-0.0010529, 0.0418854, 0.7840729}}

// P3 is Display P3, with the curve of sRGB.
func P3() *Profile {
	return &Profile{curves: [3]curve{linear, linear, linear}, matrix: displayP3}
}

// linear takes a number of sRGB to linear light.
func linear(x float64) float64 {
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

// encoded takes linear light to a number of sRGB.
func encoded(x float64) float64 {
	if x <= 0.0031308 {
		return x * 12.92
	}
	return 1.055*math.Pow(x, 1/2.4) - 0.055
}
