package colors

import (
	"image"

	"crier/connectors/media/heif"
)

// Video is how films, and lossy WebP, have their colors: of video range, and BT.601.
var Video = heif.Colors{Primaries: 2, Transfer: 2, Matrix: 6}

// ToJFIF makes luma and chroma of films' kinds that of JPEG, which is what an image.YCbCr is: full
// range, and BT.601. It is linear, so that no pixel needs more than its own numbers.
func ToJFIF(m *image.YCbCr, c heif.Colors) {
	if c == (heif.Colors{}) {
		return // phones say nothing, and mean that
	}
	kr, kb := 0.299, 0.114
	switch c.Matrix {
	case 1: // BT.709
		kr, kb = 0.2126, 0.0722
	case 9: // BT.2020
		kr, kb = 0.2627, 0.0593
	}
	luma, chroma, black := 1.0, 1.0, 0.0
	if !c.FullRange {
		luma, chroma, black = 255.0/219, 255.0/224, 16
	}
	if kr == 0.299 && c.FullRange {
		return
	}
	convert := func(y, cb, cr float64) (float64, float64, float64) {
		r, b := y+2*(1-kr)*cr, y+2*(1-kb)*cb
		g := (y - kr*r - kb*b) / (1 - kr - kb)
		to := 0.299*r + 0.587*g + 0.114*b
		return to, (b - to) / 1.772, (r - to) / 1.402
	}
	for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y++ {
		for x := m.Rect.Min.X; x < m.Rect.Max.X; x++ {
			at, below := m.YOffset(x, y), m.COffset(x, y)
			cb, cr := chroma*(float64(m.Cb[below])-128), chroma*(float64(m.Cr[below])-128)
			to, _, _ := convert(luma*(float64(m.Y[at])-black), cb, cr)
			m.Y[at] = clamped(to)
		}
	}
	for i := range min(len(m.Cb), len(m.Cr)) {
		_, cb, cr := convert(0, chroma*(float64(m.Cb[i])-128), chroma*(float64(m.Cr[i])-128))
		m.Cb[i], m.Cr[i] = clamped(cb+128), clamped(cr+128)
	}
}

func clamped(x float64) uint8 { return uint8(min(255, max(0, x+0.5))) }
