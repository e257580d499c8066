package metadata

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"crier/connectors/media/heif"
	"crier/connectors/media/walk"
)

// heic is a HEIC of an item of a picture and one of Exif.
type heic struct {
	inData     bool   // Exif stands in idat
	more       []byte // boxes beside those of items
	properties []byte // beside the picture's size
	space      string // behind the items' content in mdat
	behind     []byte // boxes behind all others
}

// exifItem is the content of an item of Exif: where TIFF begins, and that.
const exifItem = "\x00\x00\x00\x00MM\x00*" + secret

func (h heic) bytes() []byte {
	full := func(kind string, version byte, content ...[]byte) []byte {
		return box(kind, append([][]byte{{version, 0, 0, 0}}, content...)...)
	}
	entry := func(id byte, kind string) []byte { return full("infe", 2, []byte{0, id, 0, 0}, []byte(kind+"\x00")) }
	size := full("ispe", 0, []byte{0, 0, 0, 8, 0, 0, 0, 8})
	ftyp := box("ftyp", []byte("heic\x00\x00\x00\x00mif1heic"))
	meta := func(at int) []byte {
		place := func(id, method byte, start, length int) []byte {
			raw := []byte{0, id, 0, method, 0, 0, 0, 1}
			return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(raw, uint32(start)), uint32(length))
		}
		ofExif := place(2, 0, at+len(needed), len(exifItem))
		var data []byte
		if h.inData {
			ofExif, data = place(2, 1, 0, len(exifItem)), box("idat", []byte(exifItem))
		}
		return full("meta", 0,
			full("hdlr", 0, []byte("\x00\x00\x00\x00pict"), make([]byte, 13)),
			full("pitm", 0, []byte{0, 1}),
			full("iinf", 0, []byte{0, 2}, entry(1, "hvc1"), entry(2, "Exif")),
			full("iloc", 1, []byte{0x44, 0, 0, 2}, place(1, 0, at, len(needed)), ofExif),
			box("iprp", box("ipco", size, h.properties), full("ipma", 0, []byte{0, 0, 0, 1, 0, 1, 1, 1})),
			data, h.more)
	}
	media := needed + exifItem
	if h.inData {
		media = needed
	}
	head := len(ftyp) + len(meta(0))
	return slices.Concat(ftyp, meta(head+8), box("mdat", []byte(media+h.space)), h.behind)
}

// TestWhatDevicesWriteIsRemoved has what phones, cameras, drones and recorders in cars write, each in ways
// that are known of them, and what programs leave over.
func TestWhatDevicesWriteIsRemoved(t *testing.T) {
	brand, data := box("ftyp", []byte("isom\x00\x00\x02\x00isom")), box("mdat", []byte(needed))
	userData := box("udta", box("\xa9xyz", []byte(secret)))
	keys := box("meta", make([]byte, 4), box("hdlr", make([]byte, 24)), box("ilst", []byte(secret)))
	film := func(moov ...[]byte) []byte { return slices.Concat(brand, data, box("moov", moov...)) }
	inTrack := func(boxes ...string) []byte { // each in the one before
		inner := slices.Concat(userData, keys, box("uuid", make([]byte, 16), []byte(secret)), box("free", []byte(secret)))
		for _, kind := range slices.Backward(boxes) {
			inner = box(kind, inner)
		}
		return film(box("trak", box("tkhd", make([]byte, 84)), inner))
	}
	block := func(content string) []byte { // as recorders in cars write them between pictures
		return slices.Concat(binary.BigEndian.AppendUint32(nil, uint32(len(content)+12)), []byte("freeGPS "), []byte(content))
	}
	notes := func(content string) []byte { // as cameras append them: their length, a version and a mark are the end
		length := binary.LittleEndian.AppendUint32(make([]byte, 32), uint32(len(content)+72))
		return slices.Concat([]byte(content), length, []byte("\x03\x00\x00\x008db42d694ccc418790edff439fe026bf"))
	}
	inCar := func() []byte {
		media := slices.Concat([]byte(needed), block(secret), []byte(needed))
		table := binary.BigEndian.AppendUint32(make([]byte, 8), uint32(len(brand)+8+len(needed)))
		table = binary.BigEndian.AppendUint32(table, uint32(len(block(secret))))
		return slices.Concat(brand, box("mdat", media), box("moov", box("gps ", table, []byte("\x00\x00\x00\x01\xff\xff\xff\xff"))))
	}
	withItems := func() []byte { // Exif of a film, as items have it
		photo := heic{}.bytes()
		at := bytes.Index(photo, []byte("meta")) - 4
		return slices.Concat(box("ftyp", []byte("isom\x00\x00\x02\x00isommp42")), photo[at:], box("moov")) // at the same places
	}
	soi, eoi := []byte{0xff, walk.SOI}, []byte{0xff, walk.EOI}
	photo := func(before, behind []byte) []byte {
		return slices.Concat(soi, before, segment(0xc0, needed), segment(walk.SOS, "scan"), []byte("\x01\x02"), eoi, behind)
	}
	little := "Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00" + secret
	still, frame := riff("VP8 ", needed), "0123456789012345"+string(riff("VP8 ", needed))
	avi := func(inStream, beside []byte) []byte {
		head := slices.Concat(riff("avih", needed), riff("LIST", "strl"+string(slices.Concat(riff("strh", "vids"+needed), riff("strf", needed), inStream))))
		return riff("RIFF", "AVI "+string(slices.Concat(riff("LIST", "hdrl"+string(head)), riff("LIST", "movi"+needed), beside)))
	}
	for _, tt := range []struct {
		name, mediaType string
		content         []byte
	}{
		{"JPEG, Exif of the other order of bytes", "image/jpeg", photo(segment(walk.APP1, little), nil)},
		{"JPEG, a gain map behind it", "image/jpeg", photo(
			slices.Concat(segment(walk.APP1, little), segment(walk.APP2, "urn:iso:std:iso:ts:21496:-1\x00"+secret), segment(walk.APP2, "MPF\x00MM\x00*"+secret)),
			photo(slices.Concat(segment(walk.APP1, little), segment(walk.APP1, "http://ns.adobe.com/xap/1.0/\x00"+secret)), nil))},
		{"JPEG, a trailer of a phone", "image/jpeg", photo(nil, slices.Concat(film(userData), []byte("MotionPhoto_Data"+secret+"SEFHSEFT")))},
		{"JPEG, a marker of extensions", "image/jpeg", photo(segment(0xf5, secret), nil)},
		{"PNG, a palette that is named", "image/png", slices.Concat([]byte("\x89PNG\r\n\x1a\n"), pngChunk("IHDR", "0123456789012"), pngChunk("sPLT", secret+"\x00\x08"), pngChunk("IDAT", needed), pngChunk("IEND", ""))},
		{"PNG, what was cropped", "image/png", slices.Concat([]byte("\x89PNG\r\n\x1a\n"), pngChunk("IHDR", "0123456789012"), pngChunk("IDAT", needed), pngChunk("IEND", ""), pngChunk("IDAT", secret), pngChunk("IEND", ""))},
		{"WebP that moves", "image/webp", webpOf(riff("VP8X", "\x0e\x00\x00\x00\x01\x00\x00\x01\x00\x00"), riff("ANIM", "\x00\x00\x00\x00\x00\x00"), riff("ANMF", frame), riff("ANMF", frame), riff("EXIF", little[6:]), riff("XMP ", secret))},
		{"WebP, Exif before the picture", "image/webp", webpOf(riff("VP8X", "\x08\x00\x00\x00\x01\x00\x00\x01\x00\x00"), riff("EXIF", little[6:]), riff("EXIF", little[6:]), still)},
		{"WebP, Exif that goes beyond the file", "image/webp", webpOf(riff("VP8X", "\x08\x00\x00\x00\x01\x00\x00\x01\x00\x00"), still, []byte("EXIF\xff\xff\x00\x00"+little[6:]))},
		{"MOV, of a track", "video/quicktime", inTrack()},
		{"MOV, of its media", "video/quicktime", inTrack("mdia")},
		{"MOV, of the media's information", "video/quicktime", inTrack("mdia", "minf")},
		{"MOV, beside its tables", "video/quicktime", inTrack("mdia", "minf", "stbl")},
		{"MOV, where the data is", "video/quicktime", inTrack("mdia", "minf", "dinf")},
		{"MOV, the disk it was made on", "video/quicktime", film(box("trak", box("mdia", box("minf", box("dinf", box("dref", []byte("\x00\x00\x00\x00\x00\x00\x00\x01"), box("alis", []byte("\x00\x00\x00\x01"+secret))))))))},
		{"MP4, of fragments", "video/mp4", slices.Concat(brand, box("moov", box("mvex", userData, keys)), box("moof", box("traf", userData, keys, box("uuid", make([]byte, 16), []byte(secret)))), data)},
		{"MP4, events and clocks", "video/mp4", slices.Concat(brand, box("moov"), box("prft", []byte(secret)), box("emsg", []byte(secret)), data)},
		{"MP4, keys of a phone", "video/mp4", film(box("meta", make([]byte, 4), box("keys", []byte("com.apple.quicktime.location.ISO6709")), box("ilst", []byte(secret))))},
		{"MP4, a recorder in a car", "video/mp4", inCar()},
		{"MP4, Exif among the data", "video/mp4", withItems()},
		{"MP4, notes of a camera behind it", "video/mp4", slices.Concat(film(userData), notes(secret))},
		{"MP4, the same in a box", "video/mp4", slices.Concat(film(userData), box("inst", notes(secret)))},
		{"HEIC, Exif among the data", heif.HEIC, heic{}.bytes()},
		{"HEIC, Exif beside the places", heif.HEIC, heic{inData: true}.bytes()},
		{"HEIC, boxes beside those of items", heif.HEIC, heic{more: slices.Concat(box("uuid", make([]byte, 16), []byte(secret)), box("xml ", []byte(secret)), box("free", []byte(secret)), userData)}.bytes()},
		{"HEIC, when it was made", heif.HEIC, heic{properties: slices.Concat(box("crtt", make([]byte, 4), []byte(secret)), box("udes", make([]byte, 4), []byte(secret)), box("uuid", make([]byte, 16), []byte(secret)))}.bytes()},
		{"HEIC, what no item is of", heif.HEIC, heic{space: secret}.bytes()},
		{"HEIC, in free space", heif.HEIC, heic{behind: slices.Concat(box("free", []byte(secret)), box("skip", []byte(secret)))}.bytes()},
		{"HEIC, a film in a box behind it", heif.HEIC, heic{behind: slices.Concat(box("mpvd", film(userData)), box("sefd", []byte(secret)))}.bytes()},
		{"HEIC, a film behind it", heif.HEIC, heic{behind: slices.Concat(brand, box("moov", userData, keys), keys)}.bytes()},
		{"WebM, behind it", "video/webm", append(webmOf(element(ebmlCluster, needed)), "GPS 48.8584"...)},
		{"WebM, behind a cluster", "video/webm", webmOf(element(ebmlCluster, needed), "\x3f"+secret)},
		{"WebM, elements that nobody heard of", "video/webm", slices.Concat(webmOf(element(ebmlInfo, element(0x73A4, secret)+element(0xBF, "sums")), element(0x4DBA, secret), element(ebmlCluster, needed)), []byte(element(0xBF, secret)))},
		{"AVI, notes of a camera", "video/x-msvideo", avi(slices.Concat(riff("strd", "AVIF"+secret), riff("strn", secret)), nil)},
		{"AVI, lists of cameras", "video/x-msvideo", avi(nil, slices.Concat(riff("LIST", "ncdt"+string(riff("nctg", secret))), riff("LIST", "hydt"+secret), riff("GPSd", secret)))},
		{"AVI, behind it", "video/x-msvideo", slices.Concat(avi(nil, nil), riff("mine", secret), []byte("48.8584"))},
		{"AVI, a chunk that was cut off", "video/x-msvideo", slices.Concat(avi(nil, nil), []byte("mine\xff\xff\xff\x00"+secret))},
		{"AVI, a damaged list before others", "video/x-msvideo", avi([]byte("strn\xff\xff\xff\x00"+secret), riff("LIST", "INFO"+secret))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if len(marksIn(tt.content)) == 0 {
				t.Fatal("the file says nothing")
			}
			left, _ := bare(t, tt.content, tt.mediaType)
			if found := marksIn(left); len(found) > 0 {
				t.Errorf("it still says %q: %q", found, left)
			}
			if got, want := strings.Count(string(left), needed), strings.Count(string(tt.content), needed); got == 0 || strings.HasPrefix(tt.mediaType, "video/") && got != want {
				t.Errorf("the picture is gone: %q", left)
			}
		})
	}
}

// TestAWebPThatIsCutOffIsRefused has chunks beyond the end that a picture may be in, or be lost with.
func TestAWebPThatIsCutOffIsRefused(t *testing.T) {
	extended, still, beyond := riff("VP8X", "\x08\x00\x00\x00\x01\x00\x00\x01\x00\x00"), riff("VP8 ", needed), "\xff\xff\x00\x00"
	for name, content := range map[string][]byte{
		"Exif before the picture":         webpOf(extended, []byte("EXIF"+beyond), still),
		"something else":                  webpOf(extended, still, []byte("P8 ?"+beyond), still),
		"a picture that is one byte away": webpOf(extended, []byte("P8 ?"+beyond), still),
	} {
		if _, err := Find(bytes.NewReader(content), int64(len(content)), "image/webp"); !errors.Is(err, walk.ErrCut) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAHeaderThatIsCompressedIsRefused has what cannot be overwritten at the same length.
func TestAHeaderThatIsCompressedIsRefused(t *testing.T) {
	film := slices.Concat(box("ftyp", []byte("qt  ")), box("moov", box("cmov", []byte("zlib"))))
	if _, err := Find(bytes.NewReader(film), int64(len(film)), "video/quicktime"); !errors.Is(err, errCompressed) {
		t.Errorf("error = %v", err)
	}
}

// TestEncryptedFilmsArePlayed has the vectors by which samples are decrypted where programs leave them.
func TestEncryptedFilmsArePlayed(t *testing.T) {
	vectors := box("senc", []byte(needed))
	for name, track := range map[string][]byte{"in the track": vectors, "among the tables": box("mdia", box("minf", box("stbl", vectors)))} {
		film := slices.Concat(box("ftyp", []byte("isom\x00\x00\x02\x00isom")), box("moov", box("trak", track)))
		if left, _ := bare(t, film, "video/mp4"); !bytes.Equal(left, film) {
			t.Errorf("%s: %q", name, left)
		}
	}
}

// TestATableThatIsTooLongIsRead has the last table of a film end behind what it is in, which players forgive.
func TestATableThatIsTooLongIsRead(t *testing.T) {
	table := box("stco", []byte(needed))
	table[3] += 4
	film := slices.Concat(box("ftyp", []byte("isom\x00\x00\x02\x00isom")), box("moov", box("trak", box("mdia", box("minf", box("stbl", table))))))
	if left, _ := bare(t, film, "video/mp4"); !bytes.Equal(left, film) {
		t.Errorf("%q", left)
	}
}

// TestRecordingsThatWereCutOffArePlayed has films whose end is missing, which play to there.
func TestRecordingsThatWereCutOffArePlayed(t *testing.T) {
	whole := riff("RIFF", "AVI "+string(riff("LIST", "movi"+needed)))
	running := func(name string) []byte { // its size is not written yet
		at := bytes.Index(whole, []byte(name)) - 4
		return slices.Concat(whole[:at], make([]byte, 4), whole[at+4:])
	}
	const unknown = "\x01\xff\xff\xff\xff\xff\xff\xff" // size
	live := element(ebmlHead, element(0x4282, "webm")) + "\x18\x53\x80\x67" + unknown
	cluster := []byte(live + element(ebmlCluster, needed) + element(ebmlCluster, needed))
	open := []byte(live + "\x1f\x43\xb6\x75" + unknown + element(ebmlBlock, needed) + element(ebmlBlock, needed))
	for name, tt := range map[string]struct {
		mediaType string
		content   []byte
	}{
		"an AVI":                        {"video/x-msvideo", whole[:len(whole)-2]},
		"an AVI without its size":       {"video/x-msvideo", running("AVI ")},
		"an AVI without its pictures'":  {"video/x-msvideo", running("movi")},
		"a WebM":                        {"video/webm", cluster[:len(cluster)-2]},
		"a WebM, blocks one by one":     {"video/webm", open[:len(open)-2]},
		"a WebM that ends with a block": {"video/webm", open},
	} {
		if left, plan := bare(t, tt.content, tt.mediaType); len(plan.Edits) > 0 {
			t.Errorf("%s: %d edits: %q", name, len(plan.Edits), left)
		}
	}
}
