package colors

import (
	"image"
	"math"
)

// steps are how finely linear light is told apart.
const steps = 1 << 12

// Converter makes a picture's colors those of sRGB.
type Converter struct {
	light  [3][256]float64 // of each number of each color
	matrix [3][3]float64   // from the picture's linear light to that of sRGB
	number [steps + 1]uint8
}

// Converter returns what converts colors of a profile; nil: they are those of sRGB.
func (p *Profile) Converter() *Converter {
	c := &Converter{matrix: times(inverse(srgb), p.matrix)}
	for i, curve := range p.curves {
		for n := range c.light[i] {
			c.light[i][n] = min(1, max(0, curve(float64(n)/255)))
		}
	}
	for i := range c.number {
		c.number[i] = uint8(math.Round(255 * encoded(float64(i)/steps)))
	}
	if c.changesNothing() {
		return nil
	}
	return c
}

// changesNothing tries some colors.
func (c *Converter) changesNothing() bool {
	for _, color := range [][3]uint8{{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {128, 128, 128}, {40, 90, 200}, {220, 120, 60}} {
		for i, n := range c.color(color) {
			if d := int(n) - int(color[i]); d < -2 || d > 2 {
				return false
			}
		}
	}
	return true
}

func (c *Converter) color(from [3]uint8) (to [3]uint8) {
	var light [3]float64
	for i := range light {
		light[i] = c.light[i][from[i]]
	}
	for i, row := range c.matrix {
		sum := row[0]*light[0] + row[1]*light[1] + row[2]*light[2]
		to[i] = c.number[int(min(1, max(0, sum))*steps+0.5)]
	}
	return to
}

// Convert converts a picture where it stands.
func (c *Converter) Convert(m *image.RGBA) {
	last, lastConverted := [3]uint8{}, c.color([3]uint8{}) // neighbors are often alike
	for at := 0; at+4 <= len(m.Pix); at += 4 {
		pixel := m.Pix[at : at+4 : at+4]
		alpha := uint32(pixel[3])
		if alpha == 0 {
			continue
		}
		var from [3]uint8
		for i := range from {
			from[i] = uint8(min(255, uint32(pixel[i])*255/alpha))
		}
		if from != last {
			last, lastConverted = from, c.color(from)
		}
		for i, n := range lastConverted {
			pixel[i] = uint8(uint32(n) * alpha / 255)
		}
	}
}

func times(a, b [3][3]float64) (c [3][3]float64) {
	for i := range 3 {
		for j := range 3 {
			for k := range 3 {
				c[i][j] += a[i][k] * b[k][j]
			}
		}
	}
	return c
}

// inverse inverts a matrix that can be.
func inverse(m [3][3]float64) (inverted [3][3]float64) {
	minor := func(i, j int) float64 {
		a, b, c, d := (i+1)%3, (i+2)%3, (j+1)%3, (j+2)%3
		return m[a][c]*m[b][d] - m[a][d]*m[b][c]
	}
	determinant := m[0][0]*minor(0, 0) + m[0][1]*minor(0, 1) + m[0][2]*minor(0, 2)
	for i := range 3 {
		for j := range 3 {
			inverted[j][i] = minor(i, j) / determinant
		}
	}
	return inverted
}
