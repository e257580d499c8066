package film

import (
	"bytes"
	"embed"
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"crier/schema"
)

// files were made by ffmpeg, of 32 × 32 pixels.
//
//go:embed testdata/*.*
var files embed.FS

func content(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := files.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestFilmsSayHowTheyAreCoded(t *testing.T) {
	for name, want := range map[string]Film{
		"h264.mp4":        {Duration: 400 * time.Millisecond, FilmFacts: schema.FilmFacts{Codec: "h264", Chroma: "4:2:0", Depth: 8, FrameRate: 25}},
		"h264-422-10.mp4": {Duration: 400 * time.Millisecond, FilmFacts: schema.FilmFacts{Codec: "h264", Chroma: "4:2:2", Depth: 10, FrameRate: 25}},
		"hvc1.mp4":        {Duration: 400 * time.Millisecond, FilmFacts: schema.FilmFacts{Codec: "hevc", Chroma: "4:2:0", Depth: 10, FrameRate: 25}},
		"hev1.mp4":        {Duration: 400 * time.Millisecond, FilmFacts: schema.FilmFacts{Codec: "hevc", Chroma: "4:2:0", Depth: 8, FrameRate: 25}},
		"av1.mp4":         {Duration: 400 * time.Millisecond, FilmFacts: schema.FilmFacts{Codec: "av1", Chroma: "4:2:0", Depth: 8, FrameRate: 25}},
		"vp9.mp4":         {Duration: 400 * time.Millisecond, FilmFacts: schema.FilmFacts{Codec: "vp9", Chroma: "4:2:0", Depth: 8, FrameRate: 25}},
		"prores.mov":      {Duration: 80 * time.Millisecond, FilmFacts: schema.FilmFacts{Codec: "prores", Chroma: "4:2:2", Depth: 10, FrameRate: 25}},
		"mpeg4.mp4":       {Duration: 400 * time.Millisecond, FilmFacts: schema.FilmFacts{Codec: "mpeg4", FrameRate: 25}},
		"mjpeg.mov":       {Duration: 120 * time.Millisecond, FilmFacts: schema.FilmFacts{Codec: "mjpeg", FrameRate: 25}},
		"ntsc.mp4":        {Duration: time.Second, FilmFacts: schema.FilmFacts{Codec: "h264", Chroma: "4:4:4", Depth: 8, FrameRate: 29.97}},
		"vfr.mp4":         {Duration: 6 * time.Second, FilmFacts: schema.FilmFacts{Codec: "h264", Chroma: "4:4:4", Depth: 8, FrameRate: 8.562, Unsteady: true}},
		"fragments.mp4":   {Duration: 2 * time.Second, FilmFacts: schema.FilmFacts{Codec: "h264", Chroma: "4:4:4", Depth: 8, FrameRate: 10}},
		"index.mp4":       {Duration: 2 * time.Second, FilmFacts: schema.FilmFacts{Codec: "h264", Chroma: "4:4:4", Depth: 8, FrameRate: 10}},
		"cut.mp4":         {Duration: 2 * time.Second, FilmFacts: schema.FilmFacts{Codec: "h264", Chroma: "4:4:4", Depth: 8, FrameRate: 10, Edited: true}},
	} {
		want.Width, want.Height = 32, 32
		raw := content(t, name)
		got, err := Read(bytes.NewReader(raw), int64(len(raw)))
		if d := got.Duration - want.Duration; err == nil && d.Abs() < 200*time.Millisecond {
			got.Duration = want.Duration // the last picture of some lasts a little longer
		}
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, want)
		}
	}
}

func box(kind string, content ...[]byte) []byte {
	all := slices.Concat(content...)
	return slices.Concat(binary.BigEndian.AppendUint32(nil, uint32(len(all)+8)), []byte(kind), all)
}

func numbers(all ...uint32) (raw []byte) {
	for _, n := range all {
		raw = binary.BigEndian.AppendUint32(raw, n)
	}
	return raw
}

// recorded is a film in fragments: of a track, of 1,000 units a second, with what says its length.
func recorded(extends []byte, behind ...[]byte) []byte {
	track := box("trak",
		box("tkhd", numbers(0, 0, 0, 1), make([]byte, 68)),
		box("mdia", box("hdlr", numbers(0, 0), []byte("vide"), make([]byte, 13)), box("mdhd", numbers(0, 0, 0, 1000, 0, 0))))
	header := box("moov", box("mvhd", numbers(0, 0, 0, 1000, 0), make([]byte, 80)), track, box("mvex", extends))
	return slices.Concat(box("ftyp", []byte("isom\x00\x00\x02\x00isom")), header, slices.Concat(behind...))
}

// fragment begins at a time, and has pictures of the same length.
func fragment(begins, pictures, each uint32) []byte {
	return slices.Concat(box("moof", box("mfhd", numbers(0, 1)), box("traf",
		box("tfhd", numbers(0x8, 1, each)), box("tfdt", numbers(0, begins)), box("trun", numbers(0, pictures)))), box("mdat", make([]byte, 8)))
}

func TestLengthOfWhatWasRecordedInFragments(t *testing.T) {
	index := box("sidx", numbers(0, 1, 1000, 0, 0, 2, 100, 3000, 0, 100, 2500, 0))
	each := box("trun", numbers(0x100, 3, 500, 700, 300))
	for name, tt := range map[string]struct {
		content []byte
		want    time.Duration
	}{
		"its header says it":      {recorded(box("mehd", numbers(0, 7000)), fragment(0, 10, 100)), 7 * time.Second},
		"its header, in 64 bits":  {recorded(box("mehd", numbers(0x01000000, 0, 7000))), 7 * time.Second},
		"its index says it":       {recorded(nil, index, fragment(0, 10, 100)), 5500 * time.Millisecond},
		"its fragments do":        {recorded(nil, fragment(0, 10, 100), fragment(1000, 20, 100)), 3 * time.Second},
		"they begin later":        {recorded(nil, fragment(60_000, 10, 100), fragment(61_000, 10, 100)), 2 * time.Second},
		"by pictures of each own": {recorded(nil, box("moof", box("traf", box("tfhd", numbers(0, 1)), each))), 1500 * time.Millisecond},
		"by a length of all":      {recorded(box("trex", numbers(0, 1, 1, 250, 0, 0)), box("moof", box("traf", box("tfhd", numbers(0, 1)), box("trun", numbers(0, 4))))), time.Second},
		"nothing does":            {recorded(nil), 0},
		"one that is damaged":     {recorded(nil, fragment(0, 10, 100), box("moof", box("traf", box("trun", numbers(0x100, 1<<31))))), 0},
	} {
		got, err := Read(bytes.NewReader(tt.content), int64(len(tt.content)))
		if err != nil || got.Duration != tt.want {
			t.Errorf("%s: %v, %v; want %v", name, got.Duration, err, tt.want)
		}
	}
}

// TestEditListsThatLeaveSomethingOut tells them from those that encoders write into nearly every film.
func TestEditListsThatLeaveSomethingOut(t *testing.T) {
	film := func(entries ...uint32) []byte {
		list := box("edts", box("elst", numbers(0, uint32(len(entries)/3)), numbers(entries...)))
		track := box("trak", box("tkhd", make([]byte, 84)), list, box("mdia",
			box("mdhd", numbers(0, 0, 0, 600, 6000, 0)), box("hdlr", numbers(0, 0), []byte("vide"), make([]byte, 13))))
		return slices.Concat(box("ftyp", []byte("isom")), box("moov", box("mvhd", numbers(0, 0, 0, 1000, 10_000), make([]byte, 80)), track))
	}
	const rate = 0x10000
	for name, tt := range map[string]struct {
		content []byte
		want    bool
	}{
		"all of it":                       {film(10_000, 0, rate), false},
		"without what encoders put first": {film(9_933, 40, rate), false},
		"a wait of a tenth":               {film(100, 0xffffffff, rate, 10_000, 0, rate), false},
		"without its beginning":           {film(8_000, 1200, rate), true},
		"without its end":                 {film(7_000, 0, rate), true},
		"two parts":                       {film(2_000, 0, rate, 2_000, 3000, rate), true},
		"a long wait":                     {film(2_000, 0xffffffff, rate, 10_000, 0, rate), true},
		"none":                            {film(), false},
	} {
		got, err := Read(bytes.NewReader(tt.content), int64(len(tt.content)))
		if err != nil || got.Edited != tt.want {
			t.Errorf("%s: %t, %v", name, got.Edited, err)
		}
	}
}

// FuzzFilm holds what Read says of any bytes against what it promises.
func FuzzFilm(f *testing.F) {
	entries, err := files.ReadDir("testdata")
	if err != nil {
		f.Fatal(err)
	}
	for _, entry := range entries {
		f.Add(content(f, entry.Name()))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := Read(bytes.NewReader(raw), int64(len(raw)))
		if err == nil && (got.Width < 0 || got.Height < 0 || got.Duration < 0 || got.FrameRate < 0 || len(got.Codec) > 16) {
			t.Errorf("film = %+v", got)
		}
	})
}

// TestSoundIsNamed has entries as phones, cameras and browsers write them: AAC says its channels in its own
// description, and QuickTime has longer entries.
func TestSoundIsNamed(t *testing.T) {
	entry := func(kind string, version, channels uint16, more ...[]byte) []byte {
		raw := make([]byte, 28)
		binary.BigEndian.PutUint16(raw[8:], version)
		binary.BigEndian.PutUint16(raw[16:], channels)
		return box(kind, raw, slices.Concat(more...))
	}
	esds := func(object byte, specific ...byte) []byte {
		specific = append([]byte{5, 0x80, 0x80, 0x80, byte(len(specific))}, specific...) // a length may have four bytes
		decoder := slices.Concat([]byte{object}, make([]byte, 12), specific)
		stream := slices.Concat([]byte{0, 1, 0, 4, byte(len(decoder))}, decoder)
		return box("esds", slices.Concat([]byte{0, 0, 0, 0, 3, byte(len(stream))}, stream))
	}
	track := func(handler string, entries ...[]byte) []byte {
		return box("trak", box("mdia", box("hdlr", numbers(0, 0), []byte(handler), make([]byte, 13)),
			box("minf", box("stbl", box("stsd", numbers(0, uint32(len(entries))), slices.Concat(entries...))))))
	}
	const aac, mp3 = 0x40, 0x6b
	stereo, surround := entry("mp4a", 0, 2, esds(aac, 0x12, 0x10)), entry("mp4a", 0, 2, esds(aac, 0x11, 0xb0))
	for name, tt := range map[string]struct {
		tracks   [][]byte
		codec    string
		channels int
	}{
		"none":                        {nil, "", 0},
		"AAC of a phone":              {[][]byte{track("soun", stereo)}, "aac", 2},
		"AAC of six channels":         {[][]byte{track("soun", surround)}, "aac", 6},
		"AAC whose band is made up":   {[][]byte{track("soun", entry("mp4a", 0, 2, esds(aac, 0x2b, 0x11, 0x88)))}, "he-aac", 2},
		"AAC of QuickTime":            {[][]byte{track("soun", entry("mp4a", 1, 2, make([]byte, 16), box("wave", box("frma", []byte("mp4a")), esds(aac, 0x12, 0x08))))}, "aac", 1},
		"AAC that says nothing":       {[][]byte{track("soun", entry("mp4a", 0, 2))}, "", 2},
		"MP3":                         {[][]byte{track("soun", entry("mp4a", 0, 2, esds(mp3)))}, "mp3", 2},
		"Opus of a browser":           {[][]byte{track("soun", entry("Opus", 0, 1, box("dOps", make([]byte, 11))))}, "opus", 1},
		"AMR of a phone":              {[][]byte{track("soun", entry("samr", 0, 1))}, "amr", 1},
		"PCM of a camera":             {[][]byte{track("soun", entry("twos", 0, 2))}, "pcm", 2},
		"PCM of a long entry":         {[][]byte{track("soun", entry("lpcm", 2, 3, numbers(72, 0, 0, 4), make([]byte, 20)))}, "pcm", 4},
		"what nobody heard of":        {[][]byte{track("soun", entry("WHO?", 0, 2))}, "who?", 2},
		"AAC beside what Apple plays": {[][]byte{track("soun", entry("apac", 0, 4)), track("soun", stereo)}, "aac", 2},
		"an entry that is cut off":    {[][]byte{track("soun", box("mp4a", make([]byte, 10)))}, "", 0},
	} {
		film := slices.Concat(box("ftyp", []byte("isom")), box("moov", box("mvhd", numbers(0, 0, 0, 1000, 1000), make([]byte, 80)), track("vide", nil), slices.Concat(tt.tracks...)))
		got, err := Read(bytes.NewReader(film), int64(len(film)))
		if err != nil || got.Sound != tt.codec || got.Channels != tt.channels {
			t.Errorf("%s: %q with %d channels, %v", name, got.Sound, got.Channels, err)
		}
	}
}
