package media_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"
	"testing"

	"crier/gateway/gatewaytest"
)

const script = "<!DOCTYPE html><script>alert(document.domain)</script>"

// archive is a ZIP, as a JAR is one; its directory stands at its end, so that what comes
// before it may be anything.
func archive(t testing.TB) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	file, err := w.Create("Attack.class")
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(file, "\xca\xfe\xba\xbe")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func jpegOf(t testing.TB) []byte {
	t.Helper()
	var encoded bytes.Buffer
	if err := jpeg.Encode(&encoded, image.NewGray(image.Rect(0, 0, 8, 8)), nil); err != nil {
		t.Fatal(err)
	}
	return encoded.Bytes()
}

func gifOf(t testing.TB) []byte {
	t.Helper()
	var encoded bytes.Buffer
	if err := gif.Encode(&encoded, image.NewPaletted(image.Rect(0, 0, 8, 8), color.Palette{color.Black, color.White}), nil); err != nil {
		t.Fatal(err)
	}
	return encoded.Bytes()
}

// scriptGIF is a GIF that is JavaScript, too: its width reads as the start of a comment,
// which ends behind the picture.
func scriptGIF(t testing.TB) []byte {
	t.Helper()
	picture := gifOf(t)
	copy(picture[6:], "/*")
	return append(picture, "*/=1;alert(document.domain)"...)
}

// commentedJPEG has a page in a comment right after its first bytes.
func commentedJPEG(t testing.TB) []byte {
	t.Helper()
	picture := jpegOf(t)
	comment := binary.BigEndian.AppendUint16([]byte{0xff, 0xfe}, uint16(len(script)+2))
	return bytes.Join([][]byte{picture[:2], comment, []byte(script), picture[2:]}, nil)
}

func boxOf(kind string, content ...[]byte) []byte {
	all := bytes.Join(content, nil)
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(len(all)+8)), kind...), all...)
}

// filmOf is an MP4 without a track, which is as much of one as probing asks for.
func filmOf(boxes ...[]byte) []byte {
	return bytes.Join(append([][]byte{boxOf("ftyp", []byte("isom\x00\x00\x02\x00isom")), boxOf("moov")}, boxes...), nil)
}

const document = "%PDF-1.7\n1 0 obj\n<< /OpenAction << /S /JavaScript /JS (app.alert(1)) >> >>\nendobj\n%%EOF\n"

// TestFilesOfTwoKindsAreServedAsMedia uploads what is media and something a browser might
// run, under a name and a type that are lies.
func TestFilesOfTwoKindsAreServedAsMedia(t *testing.T) {
	a, _ := newMediaAPI(t)
	dot, zipped := gatewaytest.PNG(t, 8, 8), archive(t)
	for name, tt := range map[string]struct {
		content []byte
		want    string
	}{
		"a JPEG with a page after it":     {append(jpegOf(t), script...), "image/jpeg"},
		"a JPEG with a page in a comment": {commentedJPEG(t), "image/jpeg"},
		"a JPEG that is an archive":       {append(jpegOf(t), zipped...), "image/jpeg"},
		"a PNG with a page after it":      {append(bytes.Clone(dot), script...), "image/png"},
		"a GIF that is an archive":        {append(gifOf(t), zipped...), "image/gif"},
		"a GIF that is a script":          {scriptGIF(t), "image/gif"},
		"a PDF that is an archive":        {append([]byte(document), zipped...), "application/pdf"},
		"a PDF with a script":             {[]byte(document), "application/pdf"},
		"a film with a page in it":        {filmOf(boxOf("free", []byte(script))), "video/mp4"},
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			path := strings.TrimPrefix(awaitUpload(a), "/api/v1")
			media := a.RequestWith("", http.MethodPut, path, string(tt.content), "Content-Type", "text/html").Want(http.StatusOK).At("media")
			if got := media.At("mimeType").Text(); got != tt.want {
				t.Errorf("it is taken for %s, want %s", got, tt.want)
			}
			wantServedAs(a, media.At("url").Text(), tt.want, tt.content)
			if !strings.HasPrefix(tt.want, "image/") {
				return
			}
			body, contentType := pageForm(t, tt.content)
			media = a.Request(http.MethodPost, "/media", body, "Content-Type", contentType).Want(http.StatusCreated).At("media")
			wantServedAs(a, media.At("url").Text(), tt.want, tt.content)
		})
	}
}

// pageForm is a form whose file is said to be a page.
func pageForm(t testing.TB, file []byte) (body, contentType string) {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="file"; filename="page.html"`}, "Content-Type": {"text/html"},
	})
	if err != nil {
		t.Fatal(err)
	}
	part.Write(file)
	w.Close()
	return form.String(), w.FormDataContentType()
}

// wantServedAs checks that no browser runs what is served: the type is the one of media,
// is not guessed at, and gets no rights.
func wantServedAs(a *gatewaytest.API, url, mediaType string, content []byte) {
	a.Helper()
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		response := a.Fetch(method, url)
		if response.Status != http.StatusOK || (method == http.MethodGet && !bytes.Equal(response.Body, content)) {
			a.Errorf("%s: %d, %d bytes of %d", method, response.Status, len(response.Body), len(content))
		}
		for name, want := range map[string]string{
			"Content-Type": mediaType, "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox",
		} {
			if got := response.Header.Get(name); got != want {
				a.Errorf("%s: %s = %q, want %q", method, name, got, want)
			}
		}
	}
	if strings.HasSuffix(url, ".html") {
		a.Errorf("its address ends as its sender wished: %s", url)
	}
}

// hugePNG claims 100,000 × 100,000 pixels.
func hugePNG(t testing.TB) []byte {
	t.Helper()
	picture := gatewaytest.PNG(t, 8, 8)
	const header = 8 + 4 // where the type of IHDR stands
	binary.BigEndian.PutUint32(picture[header+4:], 100_000)
	binary.BigEndian.PutUint32(picture[header+8:], 100_000)
	binary.BigEndian.PutUint32(picture[header+17:], crc32.ChecksumIEEE(picture[header:header+17]))
	return picture
}

// TestFilesThatAreNotWhatTheySayAreRefused sends each every way, and looks that nothing
// stays behind.
func TestFilesThatAreNotWhatTheySayAreRefused(t *testing.T) {
	a, shelf := newMediaAPI(t)
	dot := gatewaytest.PNG(t, 8, 8)
	path := strings.TrimPrefix(awaitUpload(a), "/api/v1")
	for name, content := range map[string][]byte{
		"SVG":                                []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`),
		"SVG behind a declaration":           []byte(`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`),
		"a page":                             []byte(script),
		"a page behind a picture's mark":     append([]byte("\xff\xd8\xff\xe0"), script...),
		"a page behind a PNG's":              append(bytes.Clone(dot[:8]), script...),
		"a page behind a GIF's":              append([]byte("GIF89a"), script...),
		"a page before a document":           []byte(script + document),
		"an archive":                         archive(t),
		"an archive with a picture after it": append(archive(t), dot...),
		"a picture of 100,000 by 100,000":    hugePNG(t),
		"a picture cut off":                  dot[:len(dot)-1],
		"a film with an archive after it":    append(filmOf(), archive(t)...),
		"nothing":                            {},
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			form, contentType := gatewaytest.MediaForm(t, content)
			for field, got := range map[string]*gatewaytest.Response{
				"file": a.Request(http.MethodPost, "/media", form, "Content-Type", contentType),
				"data": a.Request(http.MethodPost, "/media", map[string]any{"data": content, "mimeType": "image/png"}),
				"body": a.RequestWith("", http.MethodPut, path, string(content), "Content-Type", "image/png"),
			} {
				detail := got.WantError(http.StatusBadRequest, "validation_error").At("details", 0)
				if detail.At("field").Text() != field || detail.At("code").Text() != "media_refused" {
					t.Errorf("%s: %v", field, detail)
				}
			}
			if files := shelf.Files(t); len(files) != 0 {
				t.Errorf("files stay behind: %v", files)
			}
		})
	}
	if total := a.Request(http.MethodGet, "/media", nil).Want(http.StatusOK).At("pagination", "total").Value; total != 0.0 {
		t.Errorf("%v uploads are listed", total)
	}
}
