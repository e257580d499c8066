package media

import (
	"bytes"
	"encoding/binary"
	"image/png"
	"testing"

	"crier/connectors/media/mediatest"
	"crier/schema"
)

// fuzzProbe holds what Probe says of any bytes against what it promises. seeds are whole
// files of one format; content that is of no format ends at its first bytes.
func fuzzProbe(f *testing.F, seeds ...[]byte) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		facts, err := Probe(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			if schema.KindOf(err) != schema.Refused {
				t.Errorf("error = %v, want Refused", err)
			}
			return
		}
		switch {
		case facts.Width < 0 || facts.Height < 0 || facts.Duration < 0:
			t.Errorf("negative: %+v", facts)
		case int64(facts.Width)*int64(facts.Height) > maxPixels:
			t.Errorf("too large: %+v", facts)
		case facts.Kind == "" || facts.Type == "" || facts.Size != int64(len(content)):
			t.Errorf("incomplete: %+v", facts)
		}
	})
}

func FuzzProbeJPEG(f *testing.F) {
	photo := picture320x200(f, asJPEG)
	fuzzProbe(f, photo, withExif(photo, binary.BigEndian, 6), withExif(photo, binary.LittleEndian, 8))
}

func FuzzProbePNG(f *testing.F) {
	picture := picture320x200(f, png.Encode)
	fuzzProbe(f, picture, movingPNG(picture))
}

func FuzzProbeGIF(f *testing.F) { fuzzProbe(f, movingGIF(f, 1), movingGIF(f, 2)) }

func FuzzProbeWebP(f *testing.F) { fuzzProbe(f, asWebP(), movingWebP()) }

func FuzzProbeHEIF(f *testing.F) { fuzzProbe(f, mediatest.Photo("heic"), mediatest.Photo("avif")) }

func FuzzProbeMovie(f *testing.F) {
	fuzzProbe(f,
		movieOf("isom", box("moov", movieHeader(1, 1000), trackHeader(1, 640, 360, true))),
		movieOf("qt  ", box("wide"), box("moov", movieHeader(0, 1000), trackHeader(0, 640, 360, false))))
}

func FuzzProbeWebM(f *testing.F) {
	fuzzProbe(f, webmOf(webmInfo(1500), webmTracks(854, 480), element(ebmlCluster, make([]byte, 100))))
}

func FuzzProbeDocument(f *testing.F) {
	fuzzProbe(f, []byte("%PDF-1.7\n1 0 obj\n<< >>\nendobj\n%%EOF\n"), []byte("RIFF\x10\x00\x00\x00AVI LIST\x04\x00\x00\x00hdrl"))
}
