package colors_test

import (
	"bytes"
	"image"
	"image/color"
	"testing"

	"crier/connectors/media/colors"
	"crier/connectors/media/heif"
	"crier/connectors/media/mediatest"
)

var formats = map[string]string{"jpg": "image/jpeg", "png": "image/png", "webp": "image/webp", "heic": heif.HEIC, "avif": heif.AVIF}

func TestProfilesAreFoundInEveryFormat(t *testing.T) {
	for format, mediaType := range formats {
		content := mediatest.Photo(format)
		c := colors.Find(bytes.NewReader(content), int64(len(content)), mediaType)
		if c == nil {
			t.Errorf("%s: no profile", format)
			continue
		}
		m := image.NewRGBA(image.Rect(0, 0, 4, 1))
		for x, of := range []color.RGBA{{234, 51, 35, 255}, {117, 251, 76, 255}, {255, 255, 255, 255}, {}} {
			m.SetRGBA(x, 0, of)
		}
		c.Convert(m)
		red, green, white, clear := m.RGBAAt(0, 0), m.RGBAAt(1, 0), m.RGBAAt(2, 0), m.RGBAAt(3, 0)
		if mediatest.Name(red) != "red" || mediatest.Name(green) != "green" || white != (color.RGBA{255, 255, 255, 255}) || clear != (color.RGBA{}) {
			t.Errorf("%s: %v, %v, %v, %v", format, red, green, white, clear)
		}
	}
}

// TestVideoRangeBecomesThatOfPictures has white, black and gray of films.
func TestVideoRangeBecomesThatOfPictures(t *testing.T) {
	for _, matrix := range []uint16{1, 6, 9} {
		for luma, want := range map[uint8]uint8{16: 0, 235: 255, 126: 128} {
			m := image.NewYCbCr(image.Rect(0, 0, 2, 2), image.YCbCrSubsampleRatio420)
			for i := range m.Y {
				m.Y[i] = luma
			}
			m.Cb[0], m.Cr[0] = 128, 128
			colors.ToJFIF(m, heif.Colors{Primaries: 2, Transfer: 2, Matrix: matrix})
			if m.Y[3] != want || m.Cb[0] != 128 || m.Cr[0] != 128 {
				t.Errorf("matrix %d: luma %d becomes %d, %d, %d", matrix, luma, m.Y[3], m.Cb[0], m.Cr[0])
			}
		}
	}
}

// FuzzColors holds the reading of profiles against any bytes.
func FuzzColors(f *testing.F) {
	for format := range formats {
		f.Add(mediatest.Photo(format))
	}
	f.Fuzz(func(_ *testing.T, content []byte) {
		for _, mediaType := range formats {
			if c := colors.Find(bytes.NewReader(content), int64(len(content)), mediaType); c != nil {
				c.Convert(image.NewRGBA(image.Rect(0, 0, 2, 2)))
			}
		}
		if p, err := colors.Parse(content); err == nil {
			p.Converter()
		}
	})
}
