package media

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"crier/connectors/egress"
	"crier/schema"
)

const mib = 1 << 20

func newFetcher(t *testing.T, timeout time.Duration) (*Fetcher, string) {
	t.Helper()
	e := egress.New(egress.Config{Resolver: net.DefaultResolver, Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	t.Cleanup(e.CloseIdle)
	dir := t.TempDir()
	return NewFetcher(Config{HTTP: e.Client(), Dir: dir, Timeout: timeout, Limits: Limits{MaxBytes: mib}}), dir
}

func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func bytesOf(content []byte, contentType string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Write(content)
	}
}

func wantNothingLeft(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 0 {
		t.Errorf("files stay behind: %v, %v", left, err)
	}
}

func picture320x200(t testing.TB, encode func(io.Writer, image.Image) error) []byte {
	t.Helper()
	canvas := image.NewPaletted(image.Rect(0, 0, 320, 200), color.Palette{color.Black, color.White})
	var encoded bytes.Buffer
	if err := encode(&encoded, canvas); err != nil {
		t.Fatal(err)
	}
	return encoded.Bytes()
}

func asJPEG(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) }
func asGIF(w io.Writer, m image.Image) error  { return gif.Encode(w, m, nil) }

// asWebP is the header of a lossy WebP of 320×200 (RFC 9649), which is all that is read.
func asWebP() []byte {
	frame := []byte{0x10, 0, 0, 0x9d, 0x01, 0x2a, 0x40, 0x01, 0xc8, 0x00}
	frame = append(frame, make([]byte, 30)...)
	chunk := append([]byte("VP8 "), binary.LittleEndian.AppendUint32(nil, uint32(len(frame)))...)
	chunk = append(chunk, frame...)
	head := append([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, uint32(len(chunk)+4))...)
	return append(append(head, "WEBP"...), chunk...)
}

func box(kind string, content ...[]byte) []byte {
	all := bytes.Join(content, nil)
	head := binary.BigEndian.AppendUint32(nil, uint32(len(all)+8))
	return append(append(head, kind...), all...)
}

// movieHeader is an mvhd with 1,000 units a second.
func movieHeader(version byte, units uint64) []byte {
	raw := []byte{version, 0, 0, 0}
	if version == 1 {
		raw = append(raw, make([]byte, 16)...)
		raw = binary.BigEndian.AppendUint32(raw, 1000)
		raw = binary.BigEndian.AppendUint64(raw, units)
	} else {
		raw = append(raw, make([]byte, 8)...)
		raw = binary.BigEndian.AppendUint32(raw, 1000)
		raw = binary.BigEndian.AppendUint32(raw, uint32(units))
	}
	return box("mvhd", append(raw, make([]byte, 80)...))
}

func trackHeader(version byte, width, height uint32, upright bool) []byte {
	raw := make([]byte, 40)
	if version == 1 {
		raw = make([]byte, 52)
	}
	raw[0] = version
	matrix := [9]uint32{0: 0x10000, 4: 0x10000, 8: 0x40000000}
	if upright {
		matrix = [9]uint32{1: 0x10000, 3: 0xffff0000, 8: 0x40000000}
	}
	for _, entry := range matrix {
		raw = binary.BigEndian.AppendUint32(raw, entry)
	}
	raw = binary.BigEndian.AppendUint32(raw, width<<16)
	raw = binary.BigEndian.AppendUint32(raw, height<<16)
	return box("trak", box("tkhd", raw), handledBy("vide"))
}

// handledBy is what a track is of, and no data.
func handledBy(kind string) []byte {
	return box("mdia", box("hdlr", make([]byte, 8), []byte(kind), make([]byte, 13)), box("minf", box("stbl")))
}

// soundTrack is a track without a size.
func soundTrack() []byte { return box("trak", box("tkhd", make([]byte, 84)), handledBy("soun")) }

func movieOf(brand string, boxes ...[]byte) []byte {
	return bytes.Join(append([][]byte{box("ftyp", []byte(brand+"\x00\x00\x02\x00"+brand))}, boxes...), nil)
}

func element(id uint32, content ...[]byte) []byte {
	all := bytes.Join(content, nil)
	head := bytes.TrimLeft(binary.BigEndian.AppendUint32(nil, id), "\x00")
	return append(binary.BigEndian.AppendUint64(head, 1<<56|uint64(len(all))), all...)
}

func webmOf(segment ...[]byte) []byte {
	head := element(0x1A45DFA3, element(0x4282, []byte("webm")))
	return append(head, element(ebmlSegment, segment...)...)
}

func webmTracks(width, height uint16) []byte {
	return element(ebmlTracks, element(ebmlTrack, element(ebmlVideo,
		element(ebmlPixelWidth, binary.BigEndian.AppendUint16(nil, width)),
		element(ebmlPixelHeight, binary.BigEndian.AppendUint16(nil, height)))))
}

func webmInfo(milliseconds float64) []byte {
	return element(ebmlInfo, element(ebmlDuration, binary.BigEndian.AppendUint64(nil, math.Float64bits(milliseconds))))
}

func TestFetchProbesByContent(t *testing.T) {
	mdat := box("mdat", make([]byte, 500))
	for name, tt := range map[string]struct {
		content []byte
		want    schema.MediaFacts
	}{
		"JPEG": {picture320x200(t, asJPEG), schema.MediaFacts{Type: "image/jpeg", Kind: schema.Image, Width: 320, Height: 200}},
		"PNG":  {picture320x200(t, png.Encode), schema.MediaFacts{Type: "image/png", Kind: schema.Image, Width: 320, Height: 200}},
		"GIF":  {picture320x200(t, asGIF), schema.MediaFacts{Type: "image/gif", Kind: schema.GIF, Width: 320, Height: 200, Frames: 1}},
		"WebP": {asWebP(), schema.MediaFacts{Type: "image/webp", Kind: schema.Image, Width: 320, Height: 200}},
		"PDF":  {[]byte("%PDF-1.7\n%%EOF"), schema.MediaFacts{Type: "application/pdf", Kind: schema.PDF}},
		"AVI":  {append([]byte("RIFF\x00\x10\x00\x00AVI LIST\xf4\x0f\x00\x00movi"), make([]byte, 0xff0)...), schema.MediaFacts{Type: "video/x-msvideo", Kind: schema.Video}},
		"MP4, header last": {
			movieOf("isom", mdat, box("moov", movieHeader(0, 2500), soundTrack(), trackHeader(0, 1280, 720, false))),
			schema.MediaFacts{Type: "video/mp4", Kind: schema.Video, Width: 1280, Height: 720, Duration: 2500 * time.Millisecond},
		},
		"MP4 with long times, upright": {
			movieOf("mp42", box("moov", movieHeader(1, 3000), trackHeader(1, 1280, 720, true)), mdat),
			schema.MediaFacts{Type: "video/mp4", Kind: schema.Video, Width: 720, Height: 1280, Duration: 3 * time.Second},
		},
		"MP4 of unknown length": {
			movieOf("isom", box("moov", movieHeader(0, math.MaxUint32), trackHeader(0, 640, 360, false))),
			schema.MediaFacts{Type: "video/mp4", Kind: schema.Video, Width: 640, Height: 360},
		},
		"MOV": {
			movieOf("qt  ", box("wide"), mdat, box("moov", movieHeader(0, 1000), trackHeader(0, 640, 360, false))),
			schema.MediaFacts{Type: "video/quicktime", Kind: schema.Video, Width: 640, Height: 360, Duration: time.Second},
		},
		"WebM": {
			webmOf(webmInfo(1500), webmTracks(854, 480), element(ebmlCluster, make([]byte, 100))),
			schema.MediaFacts{Type: "video/webm", Kind: schema.Video, Width: 854, Height: 480, Duration: 1500 * time.Millisecond},
		},
		"WebM without a length": {
			webmOf(webmTracks(854, 480), element(ebmlCluster)),
			schema.MediaFacts{Type: "video/webm", Kind: schema.Video, Width: 854, Height: 480},
		},
	} {
		t.Run(name, func(t *testing.T) {
			fetcher, dir := newFetcher(t, time.Minute)
			url := serve(t, bytesOf(tt.content, "text/html")) // a lie that counts for nothing
			file, err := fetcher.Open(t.Context(), schema.Media{Kind: schema.Image, URL: url})
			if err != nil {
				t.Fatal(err)
			}
			tt.want.Size, tt.want.Decoded = int64(len(tt.content)), file.Decoded // see TestDecodingTakesWhatProbingSays
			if file.MediaFacts != tt.want {
				t.Errorf("file = %+v, want %+v", file.MediaFacts, tt.want)
			}
			reader, err := file.Open()
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(reader)
			reader.Close()
			if err != nil || !bytes.Equal(got, tt.content) {
				t.Errorf("content of %d bytes, %v", len(got), err)
			}
			if err := file.Close(); err != nil {
				t.Error(err)
			}
			wantNothingLeft(t, dir)
		})
	}
}

func TestHugePictureIsNotDecoded(t *testing.T) {
	// IHDR claims 100,000 × 100,000 pixels of 4 bytes.
	ihdr := append([]byte("IHDR"), 0, 1, 0x86, 0xa0, 0, 1, 0x86, 0xa0, 8, 6, 0, 0, 0)
	content := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), ihdr...)
	content = binary.BigEndian.AppendUint32(content, crc32.ChecksumIEEE(ihdr))
	content = append(content, 0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	file, err := Save(t.TempDir(), bytes.NewReader(content), Limits{MaxBytes: mib})
	runtime.ReadMemStats(&after)
	if schema.KindOf(err) != schema.Refused {
		t.Fatalf("Save = %+v, %v; want Refused", file, err)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > mib {
		t.Errorf("probing took %d bytes of memory", got)
	}
}

func TestSaveRefuses(t *testing.T) {
	whole := movieOf("isom", box("moov", movieHeader(0, 1000), trackHeader(0, 640, 360, false)), box("mdat", make([]byte, 5000)))
	huge := append(movieOf("isom"), 0, 0, 0, 1, 'm', 'o', 'o', 'v', 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf0)
	webm := webmOf(webmInfo(1500), webmTracks(854, 480), element(ebmlCluster, make([]byte, 1000)))
	for name, content := range map[string][]byte{
		"nothing":                     nil,
		"text":                        []byte("hello"),
		"a web page":                  []byte("<!DOCTYPE html><html><body>404</body></html>"),
		"a program":                   []byte("\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 100)),
		"SVG":                         []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>`),
		"HEIC":                        movieOf("heic", box("meta", make([]byte, 100))),
		"audio":                       movieOf("M4A ", box("moov", movieHeader(0, 1000))),
		"a JPEG's first bytes":        picture320x200(t, asJPEG)[:20],
		"a PNG's first bytes":         picture320x200(t, png.Encode)[:20],
		"a GIF's first bytes":         []byte("GIF89a"),
		"an MP4 cut in its data":      whole[:len(whole)-100],
		"an MP4 cut in its header":    whole[:60],
		"an MP4 without a header":     movieOf("isom", box("mdat", make([]byte, 500))),
		"an MP4 with a negative size": huge,
		"an MP4 with a size below 8":  append(movieOf("isom"), 0, 0, 0, 4, 'f', 'r', 'e', 'e', 0, 0, 0, 0),
		"a track header too short":    movieOf("isom", box("moov", movieHeader(0, 1), box("trak", box("tkhd", make([]byte, 20))))),
		"a WebM cut in its data":      webm[:len(webm)-100],
		"a WebM without a segment":    element(0x1A45DFA3, element(0x4282, []byte("webm"))),
		"a WebM with a long number":   webmOf(element(ebmlInfo, element(ebmlDuration, make([]byte, 5000)))),
		"more than its limit":         append(picture320x200(t, asJPEG), make([]byte, mib)...),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file, err := Save(dir, bytes.NewReader(content), Limits{MaxBytes: mib})
			if schema.KindOf(err) != schema.Refused {
				t.Errorf("Save = %+v, %v; want Refused", file, err)
			}
			wantNothingLeft(t, dir)
		})
	}
}

func TestFetchFails(t *testing.T) {
	photo := picture320x200(t, asJPEG)
	closed := httptest.NewServer(nil)
	closed.Close()
	for name, tt := range map[string]struct {
		url  string
		want schema.ErrorKind
	}{
		"not there":             {serve(t, http.NotFound), schema.Refused},
		"forbidden":             {serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) }), schema.Refused},
		"server fails":          {serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) }), schema.Retryable},
		"too many requests":     {serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) }), schema.Retryable},
		"nobody there":          {closed.URL, schema.Retryable},
		"no such name":          {"http://no-such-name.invalid/", schema.Retryable},
		"a private address":     {"http://10.0.0.1/a.jpg", schema.Refused},
		"another of loopback":   {"http://127.0.0.2/a.jpg", schema.Refused},
		"a redirect to private": {serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "http://169.254.169.254/", 302) }), schema.Refused},
		"no url":                {"::", schema.Refused},
		"says it is too large": {serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "99999999999")
			w.Write(photo)
		}), schema.Refused},
		"cut short": {serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100000")
			w.Write(photo)
		}), schema.Retryable},
		"without an end": {serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Write(photo)
			for chunk := make([]byte, 1<<16); ; {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}), schema.Refused},
	} {
		t.Run(name, func(t *testing.T) {
			fetcher, dir := newFetcher(t, time.Minute)
			file, err := fetcher.Fetch(t.Context(), tt.url, Limits{MaxBytes: mib})
			if schema.KindOf(err) != tt.want {
				t.Errorf("Fetch = %+v, %v; want kind %d", file, err, tt.want)
			}
			wantNothingLeft(t, dir)
		})
	}
}

func TestFetchEndsWithASlowBody(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for {
			if _, err := w.Write([]byte{0xff}); err != nil {
				return
			}
			http.NewResponseController(w).Flush()
			select {
			case <-r.Context().Done():
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	})
	fetcher, dir := newFetcher(t, 300*time.Millisecond)
	file, err := fetcher.Fetch(t.Context(), url, Limits{MaxBytes: mib})
	if schema.KindOf(err) != schema.Retryable {
		t.Errorf("Fetch = %+v, %v; want Retryable", file, err)
	}
	wantNothingLeft(t, dir)
}

func TestErrorsShowNoURL(t *testing.T) {
	closed := httptest.NewServer(nil)
	closed.Close()
	fetcher, _ := newFetcher(t, time.Minute)
	_, err := fetcher.Fetch(t.Context(), closed.URL+"/a.jpg?signature=S3CRET", Limits{MaxBytes: mib})
	if err == nil || strings.Contains(err.Error(), "S3CRET") {
		t.Errorf("error = %v", err)
	}
}

func TestStoredMediaComesFromTheStore(t *testing.T) {
	id := schema.MediaID{15: 9}
	want := &File{Path: "kept"}
	fetcher := NewFetcher(Config{Stored: func(_ context.Context, got schema.MediaID) (*File, error) {
		if got != id {
			t.Errorf("asked for %s, want %s", got, id)
		}
		return want, nil
	}})
	if got, err := fetcher.Open(t.Context(), schema.Media{MediaID: id}); err != nil || got != want {
		t.Errorf("Open = %+v, %v", got, err)
	}
}

// A packet of Opus lasts 20 ms, of which mkvmerge makes a note too.
func TestTheRateOfAWebMIsOfItsPictures(t *testing.T) {
	const videoTrack, audioTrack = 1, 2
	track := func(kind byte, codec string, lasts uint32) []byte {
		return element(ebmlTrack, element(ebmlTrackType, []byte{kind}), element(ebmlCodec, []byte(codec)),
			element(ebmlFrame, binary.BigEndian.AppendUint32(nil, lasts)), element(ebmlVideo, element(ebmlPixelWidth, []byte{64})))
	}
	content := webmOf(element(ebmlTracks, track(videoTrack, "V_VP9", 100_000_000), track(audioTrack, "A_OPUS", 20_000_000)))
	if facts, err := Probe(bytes.NewReader(content), int64(len(content))); err != nil || facts.Film.FrameRate != 10 {
		t.Errorf("%+v, %v", facts.Film, err)
	}
}
