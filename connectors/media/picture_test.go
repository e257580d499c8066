package media

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"testing"

	"crier/connectors/media/walk"
	"crier/schema"
)

// withExif puts an Exif segment with an orientation right after the start of a JPEG.
func withExif(photo []byte, order binary.AppendByteOrder, orientation uint16) []byte {
	mark := map[binary.AppendByteOrder]string{binary.LittleEndian: "II*\x00", binary.BigEndian: "MM\x00*"}[order]
	tiff := order.AppendUint32([]byte(mark), 8)
	tiff = order.AppendUint16(tiff, 1)
	tiff = order.AppendUint16(tiff, 0x0112)
	tiff = order.AppendUint16(tiff, 3)
	tiff = order.AppendUint32(tiff, 1)
	tiff = order.AppendUint16(tiff, orientation)
	tiff = append(tiff, make([]byte, 6)...)
	segment := append([]byte("Exif\x00\x00"), tiff...)
	head := binary.BigEndian.AppendUint16([]byte{0xff, walk.APP1}, uint16(len(segment)+2))
	return bytes.Join([][]byte{photo[:2], head, segment, photo[2:]}, nil)
}

// sampledOtherwise gives the last color of a photo twice the rows of the one before.
func sampledOtherwise(photo []byte) []byte {
	const ofLast = 4 + 6 + 2*3 + 1 // from the marker on
	other := bytes.Clone(photo)
	other[bytes.Index(other, []byte{0xff, walk.SOF0})+ofLast] = 0x12
	return other
}

func movingGIF(t testing.TB, pictures int) []byte {
	t.Helper()
	all := &gif.GIF{}
	for range pictures {
		all.Image = append(all.Image, image.NewPaletted(image.Rect(0, 0, 320, 200), color.Palette{color.Black, color.White}))
		all.Delay = append(all.Delay, 10)
	}
	var encoded bytes.Buffer
	if err := gif.EncodeAll(&encoded, all); err != nil {
		t.Fatal(err)
	}
	return encoded.Bytes()
}

func chunk(kind string, content []byte) []byte {
	named := append([]byte(kind), content...)
	all := append(binary.BigEndian.AppendUint32(nil, uint32(len(content))), named...)
	return binary.BigEndian.AppendUint32(all, crc32.ChecksumIEEE(named))
}

// movingPNG puts the chunk that announces an animation after the header.
func movingPNG(still []byte) []byte {
	const header = 8 + 25
	return bytes.Join([][]byte{still[:header], chunk("acTL", make([]byte, 8)), still[header:]}, nil)
}

// movingWebP is the extended header with the flag of animations.
func movingWebP() []byte {
	content := append([]byte("VP8X"), binary.LittleEndian.AppendUint32(nil, 10)...)
	content = append(content, 0x02, 0, 0, 0, 0x3f, 1, 0, 0xc7, 0, 0)
	head := append([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, uint32(len(content)+4))...)
	return append(append(head, "WEBP"...), content...)
}

func TestProbeReadsHowPicturesAreShown(t *testing.T) {
	photo := picture320x200(t, asJPEG)
	picture := picture320x200(t, png.Encode)
	upright := func(f *schema.MediaFacts) { f.Width, f.Height = 200, 320 }
	moving := func(f *schema.MediaFacts) { f.Animated = true }
	frames := func(n int) func(*schema.MediaFacts) {
		return func(f *schema.MediaFacts) { f.Animated, f.Frames = n > 1, n }
	}
	for name, tt := range map[string]struct {
		content []byte
		want    func(*schema.MediaFacts)
	}{
		"a photo turned by a quarter":      {withExif(photo, binary.BigEndian, 6), upright},
		"the same of another byte order":   {withExif(photo, binary.LittleEndian, 8), upright},
		"a photo turned by half":           {withExif(photo, binary.BigEndian, 3), nil},
		"a photo with a senseless mark":    {withExif(photo, binary.BigEndian, 60), nil},
		"a photo with a film after it":     {append(bytes.Clone(photo), make([]byte, 100_000)...), nil},
		"a photo that Go does not decode":  {sampledOtherwise(photo), nil},
		"a GIF with zeros before its end":  {append(bytes.TrimSuffix(movingGIF(t, 3), []byte{walk.GIFTrailer}), 0, 0, walk.GIFTrailer), frames(3)},
		"a GIF of one picture":             {movingGIF(t, 1), frames(1)},
		"a GIF of three":                   {movingGIF(t, 3), frames(3)},
		"a GIF without its last byte":      {bytes.TrimSuffix(movingGIF(t, 3), []byte{walk.GIFTrailer}), frames(3)},
		"a PNG that moves":                 {movingPNG(picture), moving},
		"a WebP that moves":                {movingWebP(), moving},
		"a PNG with something after it":    {append(bytes.Clone(picture), "more"...), nil},
		"a photo with fill before markers": {bytes.Join([][]byte{photo[:2], {0xff, 0xff}, photo[2:]}, nil), nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Probe(bytes.NewReader(tt.content), int64(len(tt.content)))
			if err != nil {
				t.Fatal(err)
			}
			want := schema.MediaFacts{Kind: got.Kind, Type: got.Type, Size: int64(len(tt.content)), Width: 320, Height: 200, Decoded: got.Decoded, Metadata: got.Metadata}
			if tt.want != nil {
				tt.want(&want)
			}
			if got != want {
				t.Errorf("facts = %+v, want %+v", got, want)
			}
		})
	}
}

func TestProbeRefusesWhatWasCutOff(t *testing.T) {
	for name, whole := range map[string][]byte{
		"JPEG": picture320x200(t, asJPEG),
		"PNG":  picture320x200(t, png.Encode),
		"GIF":  movingGIF(t, 1),
		"WebP": asWebP(),
		"PDF":  append([]byte("%PDF-1.7\n"), append(make([]byte, 2000), "%%EOF"...)...),
	} {
		t.Run(name, func(t *testing.T) {
			for cut := 3; cut < len(whole); cut += 1 + len(whole)/40 {
				part := whole[:len(whole)-cut]
				if facts, err := Probe(bytes.NewReader(part), int64(len(part))); err == nil {
					t.Errorf("without its last %d of %d bytes: %+v", cut, len(whole), facts)
				}
			}
		})
	}
}
