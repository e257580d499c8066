// Package mediatest has a photo in every format of phones, and a film, for tests of what becomes of
// them.
//
// The photo is shown as 600 × 480 pixels: its left upper quarter is red, its right upper one green, and
// below it is blue, as sRGB has them. It is stored lying, to be turned by a quarter (orientation 6), its
// numbers are of Display P3, and its Exif and XMP say where it was taken and by whom, as does the film.
package mediatest

import (
	"bytes"
	"embed"
	"image/color"
	"os"

	"crier/connectors/media/decoder"
)

//go:embed testdata
var files embed.FS

// The size of the photo as shown, in pixels.
const (
	Width  = 600
	Height = 480
)

// Photo returns the photo in a format: jpg, png, webp, heic or avif.
func Photo(format string) []byte { return file("photo." + format) }

// Film returns a film of half a second with a position in it, and its header behind its data.
func Film() []byte { return file("film.mp4") }

// Decoder decodes in the program that CRIER_TEST_PLAIN names, or in this one with arguments. Compiling WebAssembly takes
// the race detector several seconds of each process.
func Decoder(args ...string) decoder.Decoder {
	return decoder.Decoder{Program: os.Getenv("CRIER_TEST_PLAIN"), Args: args}
}

func file(name string) []byte {
	content, err := files.ReadFile("testdata/" + name)
	if err != nil {
		panic(err) // a test that names what is not there
	}
	return content
}

// marks are an author, and a latitude as text, as the rational numbers of Exif in both orders, and in
// 16.16 fixed point.
var marks = []string{
	"SECRETMARK", "48.8584", "\x00\x30\xdb\xc0", "\x00\x30\xdb\xbf",
	"\x00\x00\x00\x30\x00\x00\x00\x01\x00\x00\x00\x33\x00\x00\x00\x01", "\x30\x00\x00\x00\x01\x00\x00\x00\x33\x00\x00\x00\x01\x00\x00\x00",
}

// Says reports whether content says where the photo or film was taken, or by whom.
func Says(content []byte) bool {
	for _, mark := range marks {
		if bytes.Contains(content, []byte(mark)) {
			return true
		}
	}
	return false
}

// Name returns which of the photo's colors a color nearly is, as sRGB has it; empty: none.
func Name(c color.Color) string {
	const near, far = 0xe000, 0x2400
	r, g, b, _ := c.RGBA()
	switch {
	case r > near && g < far && b < far:
		return "red"
	case g > near && r < far && b < far:
		return "green"
	case b > near && r < far && g < far:
		return "blue"
	}
	return ""
}
