package metadata

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"testing"

	"crier/connectors/media/walk"
)

// secret stands for what must go, and needed for what must stay.
const secret, needed = "SECRETMARK 48.8584", "NEEDED"

func box(kind string, content ...[]byte) []byte {
	all := slices.Concat(content...)
	return slices.Concat(binary.BigEndian.AppendUint32(nil, uint32(len(all)+8)), []byte(kind), all)
}

// longBox is a box whose size has 64 bits.
func longBox(kind string, content []byte) []byte {
	head := append([]byte{0, 0, 0, 1}, kind...)
	return append(binary.BigEndian.AppendUint64(head, uint64(len(content)+16)), content...)
}

func segment(marker byte, content ...string) []byte {
	return jpegSegment(marker, []byte(fmt.Sprint(content)[1:len(fmt.Sprint(content))-1]))
}

func pngChunk(kind, content string) []byte {
	named := kind + content
	all := append(binary.BigEndian.AppendUint32(nil, uint32(len(content))), named...)
	return binary.BigEndian.AppendUint32(all, crc32.ChecksumIEEE([]byte(named)))
}

func riff(kind, content string) []byte {
	all := append(binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(content))), content...)
	if len(content)%2 != 0 {
		all = append(all, 0)
	}
	return all
}

func webpOf(chunks ...[]byte) []byte { return riff("RIFF", "WEBP"+string(slices.Concat(chunks...))) }

func subBlocks(content string) string {
	out := ""
	for len(content) > 0 {
		n := min(len(content), 255)
		out, content = out+string(rune(n))+content[:n], content[n:]
	}
	return out + "\x00"
}

// TestMetadataIsRemovedWhereverItStands has places that programs and phones are known to use, and some
// that only somebody who hides something would.
func TestMetadataIsRemovedWhereverItStands(t *testing.T) {
	soi, eoi := []byte{0xff, walk.SOI}, []byte{0xff, walk.EOI}
	frame := segment(0xc0, needed)
	scan := append(segment(walk.SOS, "scan"), "\x01\xff\x00\x02\xff\xd0"+needed...)
	photo := func(before, within, behind []byte) []byte {
		return slices.Concat(soi, before, frame, within, scan, eoi, behind)
	}
	exifOf := "Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x00" + secret
	jfif := "JFIF\x00\x01\x02\x00\x00\x01\x00\x01"
	signature := "\x89PNG\r\n\x1a\n"
	header, data, end := pngChunk("IHDR", "0123456789012"), pngChunk("IDAT", needed), pngChunk("IEND", "")
	still, extended := riff("VP8 ", needed), riff("VP8X", "\x0c\x00\x00\x00\x01\x00\x00\x01\x00\x00")
	gifHead := "GIF89a\x01\x00\x01\x00\x00\x00\x00"
	gifPicture := "\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02" + subBlocks(needed)
	brand, track := box("ftyp", []byte("isom\x00\x00\x02\x00isom")), box("tkhd", make([]byte, 84))
	trackOf := func(more ...[]byte) []byte { return box("trak", append([][]byte{track}, more...)...) }
	movieData := box("mdat", []byte(needed))
	user := func(kind string) []byte { return box("udta", box(kind, []byte(secret))) }
	for _, tt := range []struct {
		name, mediaType string
		content         []byte
	}{
		{"JPEG, Exif before JFIF", "image/jpeg", photo(slices.Concat(segment(walk.APP1, exifOf), segment(walk.APP0, jfif+"\x00\x00")), nil, nil)},
		{"JPEG, Exif behind the frame", "image/jpeg", photo(nil, segment(walk.APP1, exifOf), nil)},
		{"JPEG, Exif twice", "image/jpeg", photo(slices.Concat(segment(walk.APP1, exifOf), segment(walk.APP1, exifOf)), nil, nil)},
		{"JPEG, Exif between two scans", "image/jpeg", slices.Concat(soi, frame, scan, segment(walk.APP1, exifOf), segment(walk.SOS, "scan"), []byte("\x01\xff\xd0\x02"), eoi)},
		{"JPEG, XMP", "image/jpeg", photo(segment(walk.APP1, "http://ns.adobe.com/xap/1.0/\x00"+secret), nil, nil)},
		{"JPEG, extended XMP", "image/jpeg", photo(segment(walk.APP1, "http://ns.adobe.com/xmp/extension/\x00"+secret), nil, nil)},
		{"JPEG, IPTC", "image/jpeg", photo(segment(0xed, "Photoshop 3.0\x008BIM"+secret), nil, nil)},
		{"JPEG, several pictures", "image/jpeg", photo(segment(walk.APP2, "MPF\x00"+secret), nil, photo(segment(walk.APP1, exifOf), nil, nil))},
		{"JPEG, a film behind it", "image/jpeg", photo(nil, nil, slices.Concat(brand, box("moov", user("\xa9xyz"))))},
		{"JPEG, a comment", "image/jpeg", photo(segment(walk.COM, secret), nil, nil)},
		{"JPEG, content credentials", "image/jpeg", photo(segment(0xeb, "JP"+secret), nil, nil)},
		{"JPEG, between two segments", "image/jpeg", photo([]byte(secret), nil, nil)},
		{"JPEG, a thumbnail of JFIF", "image/jpeg", photo(segment(walk.APP0, jfif+"\x02\x03"+secret), nil, nil)},
		{"JPEG, a thumbnail of its extension", "image/jpeg", photo(segment(walk.APP0, "JFXX\x00\x13"+secret), nil, nil)},
		{"JPEG, behind Adobe's transformation", "image/jpeg", photo(segment(walk.APP14, "Adobe\x00d\x00\x00\x00\x00\x01"+secret), nil, nil)},
		{"PNG, texts", "image/png", slices.Concat([]byte(signature), header, pngChunk("tEXt", "Author\x00"+secret), pngChunk("iTXt", "XML:com.adobe.xmp\x00"+secret), pngChunk("zTXt", secret), data, end)},
		{"PNG, Exif behind the picture", "image/png", slices.Concat([]byte(signature), header, data, pngChunk("eXIf", exifOf), end)},
		{"PNG, Exif twice", "image/png", slices.Concat([]byte(signature), header, pngChunk("eXIf", exifOf[6:]), pngChunk("eXIf", exifOf[6:]), data, end)},
		{"PNG, a chunk of a program", "image/png", slices.Concat([]byte(signature), header, pngChunk("caBX", secret), data, pngChunk("prVw", secret), end)},
		{"PNG, behind its end", "image/png", slices.Concat([]byte(signature), header, data, end, []byte(secret))},
		{"WebP, XMP and Exif", "image/webp", webpOf(extended, still, riff("EXIF", exifOf[6:]), riff("XMP ", secret))},
		{"WebP, Exif as JPEGs have it", "image/webp", webpOf(extended, riff("EXIF", exifOf), still)},
		{"WebP, Exif in a simple one", "image/webp", webpOf(still, riff("EXIF", exifOf))},
		{"WebP, a chunk of a program", "image/webp", webpOf(extended, riff("mine", secret+"."), still)},
		{"WebP, in a moving picture", "image/webp", webpOf(extended, riff("ANMF", "0123456789012345"+string(still)+string(riff("mine", secret))))},
		{"WebP, behind its end", "image/webp", append(webpOf(still), secret...)},
		{"GIF, a comment", "image/gif", []byte(gifHead + "\x21\xfe" + subBlocks(secret) + gifPicture + "\x21\xfe" + subBlocks(secret) + gifPicture + ";")},
		{"GIF, XMP", "image/gif", []byte(gifHead + "\x21\xff" + subBlocks("XMP DataXMP") + gifPicture + "\x21\xff\x0bXMP DataXMP" + subBlocks(secret) + ";")},
		{"GIF, behind its end", "image/gif", []byte(gifHead + gifPicture + ";" + secret)},
		{"GIF, zeros between blocks", "image/gif", []byte(gifHead + "\x21\xfe" + subBlocks(secret) + gifPicture + "\x00\x00" + gifPicture + "\x00;")},
		{"GIF without an end", "image/gif", []byte(gifHead + "\x21\xfe" + subBlocks(secret) + gifPicture)},
		{"MP4, ©xyz", "video/mp4", slices.Concat(brand, box("moov", trackOf(), user("\xa9xyz")), movieData)},
		{"MP4, loci, header last", "video/mp4", slices.Concat(brand, movieData, box("moov", user("loci"), trackOf()))},
		{"MP4, a track's own", "video/mp4", slices.Concat(brand, movieData, box("moov", trackOf(user("\xa9xyz"))))},
		{"MP4, in the media of a track", "video/mp4", slices.Concat(brand, movieData, box("moov", trackOf(box("mdia", user("loci")))))},
		{"MP4, with sizes of 64 bits", "video/mp4", slices.Concat(brand, longBox("mdat", []byte(needed)), longBox("moov", longBox("udta", []byte(secret))))},
		{"MP4, XMP", "video/mp4", slices.Concat(brand, box("moov", trackOf()), box("uuid", []byte("\xbe\x7a\xcf\xcb\x97\xa9\x42\xe8\x9c\x71\x99\x94\x91\xe3\xaf\xac"), []byte(secret)), movieData)},
		{"MP4, a track's XMP", "video/mp4", slices.Concat(brand, box("moov", trackOf(box("uuid", make([]byte, 16), []byte(secret)))), movieData)},
		{"MP4, in free space", "video/mp4", slices.Concat(brand, box("free", []byte(secret)), box("moov", box("skip", []byte(secret))), movieData)},
		{"MP4, a box of a phone", "video/mp4", slices.Concat(brand, box("moov", trackOf()), movieData, box("sefd", []byte(secret)))},
		{"MP4, in its fragments", "video/mp4", slices.Concat(brand, box("moov", trackOf()), box("moof", box("uuid", make([]byte, 16), []byte(secret)), box("udta", []byte(secret))), movieData)},
		{"MP4, behind all boxes", "video/mp4", slices.Concat(brand, box("moov", trackOf()), movieData, []byte("48.8584"))},
		{"MOV, keys", "video/quicktime", slices.Concat(brand, movieData, box("moov", box("meta", box("keys", []byte("com.apple.quicktime.location.ISO6709")), box("ilst", []byte(secret)))))},
		{"MOV, without ftyp", "video/quicktime", slices.Concat(box("wide"), movieData, box("moov", user("\xa9xyz"), []byte{0, 0, 0, 0}))},
		{"WebM, tags before the film", "video/webm", webmOf(element(ebmlTags, secret), element(ebmlCluster, needed))},
		{"WebM, tags behind it", "video/webm", webmOf(element(ebmlCluster, needed), element(ebmlTags, secret))},
		{"WebM, behind clusters of no known size", "video/webm", webmOf("\x1f\x43\xb6\x75\x01\xff\xff\xff\xff\xff\xff\xff", element(ebmlBlock, needed), element(ebmlTags, secret))},
		{"WebM, a title", "video/webm", webmOf(element(ebmlInfo, element(ebmlTitle, secret)), element(ebmlAttachments, secret), element(ebmlCluster, needed))},
		{"AVI, INFO", "video/x-msvideo", riff("RIFF", "AVI "+string(riff("LIST", "hdrl"+string(riff("IDIT", secret))))+string(riff("LIST", "INFO"+secret))+string(riff("LIST", "movi"+needed)))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if len(marksIn(tt.content)) == 0 {
				t.Fatal("the file says nothing")
			}
			left, _ := bare(t, tt.content, tt.mediaType)
			if found := marksIn(left); len(found) > 0 {
				t.Errorf("it still says %q: %q", found, left)
			}
			if !bytes.Contains(left, []byte(needed)) {
				t.Errorf("the picture is gone: %q", left)
			}
		})
	}
}

func element(id uint32, content string) string {
	head := bytes.TrimLeft(binary.BigEndian.AppendUint32(nil, id), "\x00")
	return string(binary.BigEndian.AppendUint64(head, 1<<56|uint64(len(content)))) + content
}

// The elements of a WebM that say where it was made, and what stands in it.
const (
	ebmlTags        = 0x1254C367
	ebmlAttachments = 0x1941A469
	ebmlTitle       = 0x7BA9
	ebmlBlock       = 0xA3
)

func webmOf(segment ...string) []byte {
	all := ""
	for _, s := range segment {
		all += s
	}
	return []byte(element(0x1A45DFA3, element(0x4282, "webm")) + element(ebmlSegment, all))
}

// TestWhatShowsAPictureStays has what a picture or film would be shown otherwise without.
func TestWhatShowsAPictureStays(t *testing.T) {
	soi, eoi := []byte{0xff, walk.SOI}, []byte{0xff, walk.EOI}
	sphere := box("uuid", []byte(spherical), []byte(needed))
	for name, tt := range map[string]struct {
		mediaType string
		content   []byte
	}{
		"a JPEG's color profile":    {"image/jpeg", slices.Concat(soi, segment(walk.APP2, "ICC_PROFILE\x00\x01\x01"+needed), segment(walk.SOS, "x"), eoi)},
		"a JPEG's transformation":   {"image/jpeg", slices.Concat(soi, segment(walk.APP14, "Adobe\x00"+needed), segment(walk.SOS, "x"), eoi)},
		"a PNG's color profile":     {"image/png", slices.Concat([]byte("\x89PNG\r\n\x1a\n"), pngChunk("iCCP", needed), pngChunk("IEND", ""))},
		"a moving PNG":              {"image/png", slices.Concat([]byte("\x89PNG\r\n\x1a\n"), pngChunk("acTL", needed), pngChunk("fdAT", needed), pngChunk("IEND", ""))},
		"a WebP's color profile":    {"image/webp", webpOf(riff("VP8X", "\x20\x00\x00\x00\x01\x00\x00\x01\x00\x00"), riff("ICCP", needed), riff("VP8 ", ""))},
		"how often a GIF repeats":   {"image/gif", []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00\x21\xff\x0bNETSCAPE2.0" + subBlocks(needed) + ";")},
		"that a film is all around": {"video/mp4", slices.Concat(box("ftyp", []byte("isom")), box("moov", box("trak", sphere)))},
	} {
		plan, err := Find(bytes.NewReader(tt.content), int64(len(tt.content)), tt.mediaType)
		if err != nil || len(plan.Edits) > 0 {
			t.Errorf("%s: %+v, %v", name, plan.Edits, err)
		}
	}
}

// TestAJPEGKeepsItsTransformation has more behind Adobe's transformation, without which its colors are others.
func TestAJPEGKeepsItsTransformation(t *testing.T) {
	photo := slices.Concat([]byte{0xff, walk.SOI}, segment(walk.APP14, "Adobe\x00"+needed+secret), segment(walk.SOS, "x"), []byte{0xff, walk.EOI})
	plan, err := Find(bytes.NewReader(photo), int64(len(photo)), "image/jpeg")
	if err != nil || len(plan.Edits) != 1 || !bytes.HasSuffix(plan.Edits[0].With, []byte("Adobe\x00"+needed)) {
		t.Errorf("%+v, %v", plan.Edits, err)
	}
}

// TestHostileFilesCostLittle has files that are all metadata, or cut anywhere.
func TestHostileFilesCostLittle(t *testing.T) {
	comments := bytes.Repeat(segment(walk.COM, "x"), 300_000)
	content := slices.Concat([]byte{0xff, walk.SOI}, comments, segment(walk.SOS, "x"), []byte{0xff, walk.EOI})
	plan, err := Find(bytes.NewReader(content), int64(len(content)), "image/jpeg")
	if err != nil || len(plan.Edits) != 1 {
		t.Errorf("comments beside each other: %d edits, %v", len(plan.Edits), err)
	}
	spread := bytes.Repeat(slices.Concat(segment(walk.COM, "x"), segment(0xdd, "xx")), maxEdits+1)
	content = slices.Concat([]byte{0xff, walk.SOI}, spread, segment(walk.SOS, "x"), []byte{0xff, walk.EOI})
	if plan, err := Find(bytes.NewReader(content), int64(len(content)), "image/jpeg"); err == nil {
		t.Errorf("comments everywhere: %d edits", len(plan.Edits))
	}
	for name, mediaType := range map[string]string{"photo.jpg": "image/jpeg", "photo.heic": "image/heic", "header-last.mp4": "video/mp4"} {
		whole := read(t, name)
		for length := range whole {
			cut := whole[:length]
			if plan, err := Find(bytes.NewReader(cut), int64(length), mediaType); err == nil {
				if _, err := io.Copy(io.Discard, plan.View(bytes.NewReader(cut), int64(length))); err != nil {
					t.Fatalf("%s, %d bytes: %v", name, length, err)
				}
			}
		}
	}
}
