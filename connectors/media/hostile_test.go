package media

import (
	"bytes"
	"encoding/binary"
	"image/png"
	"runtime"
	"slices"
	"testing"

	"crier/schema"
)

// claimingJPEG claims a size in its frame header (ITU T.81, B.2.2).
func claimingJPEG(t testing.TB, width, height uint16) []byte {
	t.Helper()
	photo := picture320x200(t, asJPEG)
	frame := bytes.Index(photo, []byte{0xff, 0xc0})
	binary.BigEndian.PutUint16(photo[frame+5:], height)
	binary.BigEndian.PutUint16(photo[frame+7:], width)
	return photo
}

func claimingGIF(t testing.TB, width, height uint16) []byte {
	t.Helper()
	picture := movingGIF(t, 1)
	binary.LittleEndian.PutUint16(picture[6:], width)
	binary.LittleEndian.PutUint16(picture[8:], height)
	return picture
}

// claimingWebP claims a canvas in the extended header, where a side is one less, in 24 bits.
func claimingWebP(width, height uint32) []byte {
	picture := movingWebP()
	for i, side := range []uint32{width - 1, height - 1} {
		copy(picture[24+3*i:], binary.LittleEndian.AppendUint32(nil, side)[:3])
	}
	return picture
}

func smallWebP(width, height uint16) []byte {
	picture := asWebP()
	binary.LittleEndian.PutUint16(picture[26:], width)
	binary.LittleEndian.PutUint16(picture[28:], height)
	return picture
}

func claimingWebM(width, height uint32) []byte {
	side := func(id, value uint32) []byte { return element(id, binary.BigEndian.AppendUint32(nil, value)) }
	return webmOf(element(ebmlTracks, element(ebmlTrack, element(ebmlVideo, side(ebmlPixelWidth, width), side(ebmlPixelHeight, height)))))
}

// nestedBoxes are boxes of a kind in each other.
func nestedBoxes(kind string, depth int) []byte {
	whole := make([]byte, 0, 8*depth)
	for left := depth; left > 0; left-- {
		whole = append(binary.BigEndian.AppendUint32(whole, uint32(8*left)), kind...)
	}
	return whole
}

// nestedElements are elements of an id of four bytes in each other, each of unknown size.
func nestedElements(id uint32, depth int) []byte {
	return bytes.Repeat(append(binary.BigEndian.AppendUint32(nil, id), 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), depth)
}

// sized is a box that claims a size of its own choosing.
func sized(size uint32, kind string, content []byte) []byte {
	return append(append(binary.BigEndian.AppendUint32(nil, size), kind...), content...)
}

// TestProbeRefusesLies has files whose structure says what cannot be, or what nobody could
// show. None of them costs more than its bytes.
func TestProbeRefusesLies(t *testing.T) {
	header := box("moov", movieHeader(0, 1000), trackHeader(0, 640, 360, false))
	still := picture320x200(t, png.Encode)
	longChunk := bytes.Clone(still)
	binary.BigEndian.PutUint32(longChunk[33:], 0xfffffff0) // the chunk after the header
	longWebP := asWebP()
	binary.LittleEndian.PutUint32(longWebP[4:], 1<<31)
	longSegment := picture320x200(t, asJPEG)
	binary.BigEndian.PutUint16(longSegment[4:], 0xffff)
	emptySegment := picture320x200(t, asJPEG)
	binary.BigEndian.PutUint16(emptySegment[4:], 1)
	for name, content := range map[string][]byte{
		"a JPEG of 65,535 × 65,535":                 claimingJPEG(t, 65535, 65535),
		"a GIF of 65,535 × 65,535":                  claimingGIF(t, 65535, 65535),
		"a WebP of 100,000 × 100,000":               claimingWebP(100_000, 100_000),
		"an MP4 of 65,535 × 65,535":                 movieOf("isom", box("moov", trackHeader(0, 65535, 65535, false))),
		"a MOV of 65,535 × 65,535":                  movieOf("qt  ", box("moov", trackHeader(0, 65535, 65535, false))),
		"a WebM of 100,000 × 100,000":               claimingWebM(100_000, 100_000),
		"a WebM of more than can be counted":        claimingWebM(0xffffffff, 0xffffffff),
		"a JPEG without a width":                    claimingJPEG(t, 0, 200),
		"a GIF without a size":                      claimingGIF(t, 0, 0),
		"a WebP without a height":                   smallWebP(320, 0),
		"a JPEG with a segment beyond its end":      longSegment,
		"a JPEG with a segment shorter than itself": emptySegment,
		"a PNG with a chunk beyond its end":         longChunk,
		"a WebP that says it is longer":             longWebP,
		"an MP4 of sound alone":                     movieOf("isom", box("moov", movieHeader(0, 1000), soundTrack())),
		"a MOV of sound alone":                      movieOf("qt  ", box("moov", movieHeader(0, 1000), soundTrack())),
		"an MP4 whose track says not of what it is": movieOf("isom", box("moov", box("trak", box("mdia", box("hdlr", make([]byte, 8)))))),
		"a WebM of sound alone":                     webmOf(element(ebmlTracks, element(ebmlTrack, element(ebmlTrackType, []byte{2})))),
		"an AVI that says it is longer":             append([]byte("RIFF\x00\x10\x00\x00AVI LIST"), make([]byte, 500)...),
		"a GIF with a block that is none":           append(movingGIF(t, 1)[:len(movingGIF(t, 1))-1], 0x99, 0x99),
		"a 3GP that does not say that it is MP4":    named(movieOf("3gp4", header), "3gp5"),
		"an MP4 with notes and no header":           append(movieOf("isom", box("free")), notes()...),
		"an MP4 with something else behind it":      append(movieOf("isom", header), "\x0a\x0eIXSE1234"...),
		"an MP4 with notes behind what is cut off":  append(append(movieOf("isom", header), sized(1<<30, "mdat", make([]byte, 100))...), notes()...),
		"an MP4 with a box beyond its end":          append(movieOf("isom", header), sized(1<<30, "mdat", make([]byte, 100))...),
		"a MOV with a box beyond its end":           append(movieOf("qt  ", header), sized(1<<30, "mdat", make([]byte, 100))...),
		"an MP4 with a track beyond its header":     movieOf("isom", box("moov", sized(1<<20, "trak", make([]byte, 100))), box("mdat", make([]byte, 500))),
		"an MP4 with a long size beyond its end":    append(movieOf("isom", header), append(sized(1, "mdat", nil), 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)...),
		"an MP4 whose data hides its header":        append(movieOf("isom"), append(sized(0, "mdat", nil), header...)...),
		"a WebM with elements in each other":        append(element(0x1A45DFA3, element(0x4282, []byte("webm"))), nestedElements(ebmlSegment, 50_000)...),
		"a PDF behind a page":                       []byte("<!DOCTYPE html><script>alert(1)</script>\n%PDF-1.7\n%%EOF"),
		"a PDF that says nothing of its end":        append([]byte("%PDF-1.7\n%%EOF"), make([]byte, 2000)...),
	} {
		t.Run(name, func(t *testing.T) {
			var facts schema.MediaFacts
			var err error
			if took := allocated(func() { facts, err = Probe(bytes.NewReader(content), int64(len(content))) }); took > mib {
				t.Errorf("probing took %d bytes of memory", took)
			}
			if schema.KindOf(err) != schema.Refused {
				t.Errorf("Probe = %+v, %v; want Refused", facts, err)
			}
		})
	}
}

// notes are what a camera of Insta360 appends to a film.
func notes() []byte {
	const content, mark = "\x0a\x0eIXSE1234", "8db42d694ccc418790edff439fe026bf"
	length := binary.LittleEndian.AppendUint32([]byte(content), uint32(len(content)+8+len(mark)))
	return append(length, "\x03\x00\x00\x00"+mark...)
}

// named gives a film's first box more brands.
func named(film []byte, brands string) []byte {
	size := binary.BigEndian.Uint32(film)
	head := binary.BigEndian.AppendUint32(nil, size+uint32(len(brands)))
	return slices.Concat(head, film[4:size], []byte(brands), film[size:])
}

// TestProbeTakesWhatIsUnusual has files that look wrong and are not.
func TestProbeTakesWhatIsUnusual(t *testing.T) {
	header := box("moov", movieHeader(0, 1000), trackHeader(0, 320, 200, false))
	for name, tt := range map[string]struct {
		content []byte
		width   int
	}{
		"an MP4 whose last box goes to the end":     {append(movieOf("isom", header), sized(0, "mdat", make([]byte, 500))...), 320},
		"an MP4 with 10,000 boxes in each other":    {append(movieOf("isom", header), nestedBoxes("moov", 10_000)...), 320},
		"an MP4 with 10,000 tracks in each other":   {movieOf("isom", header, box("moov", nestedBoxes("trak", 10_000))), 320},
		"a MOV with 10,000 boxes in each other":     {append(movieOf("qt  ", header), nestedBoxes("udta", 10_000)...), 320},
		"an MP4 that tells the size of no track":    {movieOf("isom", box("moov", movieHeader(0, 1000), box("trak", box("tkhd", make([]byte, 84)), handledBy("vide")), soundTrack())), 0},
		"an MP4 of a camera of Sony's":              {named(movieOf("MSNV", header), "mp42isom"), 320},
		"an MP4 of a phone that names 3GPP first":   {named(movieOf("3gp4", header), "isom3gp4"), 320},
		"an MP4 with notes of a camera behind it":   {append(movieOf("isom", box("mdat", make([]byte, 500)), header), notes()...), 320},
		"an MP4 whose header is its last box":       {append(movieOf("isom", box("mdat", make([]byte, 500))), sized(0, "moov", header[8:])...), 320},
		"a WebM whose segment is of an unknown end": {append(element(0x1A45DFA3, element(0x4282, []byte("webm"))), append(nestedElements(ebmlSegment, 1), webmTracks(320, 200)...)...), 320},
	} {
		t.Run(name, func(t *testing.T) {
			var facts schema.MediaFacts
			var err error
			if took := allocated(func() { facts, err = Probe(bytes.NewReader(tt.content), int64(len(tt.content))) }); took > mib {
				t.Errorf("probing took %d bytes of memory", took)
			}
			if err != nil || facts.Kind != schema.Video || facts.Width != tt.width {
				t.Errorf("Probe = %+v, %v", facts, err)
			}
		})
	}
}

// allocated returns how much memory work takes, its stack included.
func allocated(work func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	work()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc + after.StackSys - min(after.StackSys, before.StackSys)
}

// TestProbeRefusesFilmsCutAnywhere cuts films whose header comes first, and last.
func TestProbeRefusesFilmsCutAnywhere(t *testing.T) {
	header, data := box("moov", movieHeader(0, 1000), trackHeader(0, 640, 360, false)), box("mdat", make([]byte, 2000))
	for name, tt := range map[string]struct {
		content []byte
		whole   int // bytes that are a film by themselves: there the data is not missed
	}{
		"MP4, header first": {movieOf("isom", header, data), len(movieOf("isom", header))},
		"MP4, header last":  {movieOf("isom", data, header), -1},
		"MOV, header first": {movieOf("qt  ", header, data), len(movieOf("qt  ", header))},
		"MOV, header last":  {movieOf("qt  ", data, header), -1},
		"WebM":              {webmOf(webmInfo(1500), webmTracks(854, 480), element(ebmlCluster, make([]byte, 2000))), -1},
	} {
		t.Run(name, func(t *testing.T) {
			for length := range tt.content {
				isWhole := tt.whole >= 0 && length >= tt.whole && length < tt.whole+8 // less than a box is passed over
				if facts, err := Probe(bytes.NewReader(tt.content[:length]), int64(length)); err == nil && !isWhole {
					t.Errorf("the first %d of %d bytes: %+v", length, len(tt.content), facts)
				}
			}
		})
	}
}
