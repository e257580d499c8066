package catalog_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"crier/connectors"
	"crier/connectors/catalog"
	"crier/connectors/media"
	"crier/connectors/simulators/sandbox"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// edgeStage is the sandbox of all platforms without their rate limits, their connectors, and files that
// are what they say to whom they are sent, and pass for others with the connectors.
type edgeStage struct {
	connectors map[schema.Platform]connectors.Connector
	files      *fileServer
	wire       *wire
	gentle     map[string]bool // rows of the table of that name, of which a platform was seen to be
	ahead      atomic.Int64    // of the clock
}

func newEdgeStage(t *testing.T) *edgeStage {
	t.Helper()
	s := &edgeStage{connectors: map[schema.Platform]connectors.Connector{}, files: newFileServer(t), gentle: map[string]bool{}}
	s.wire = &wire{files: s.files, sockets: &http.Transport{}}
	client := &http.Client{Transport: s.wire}
	t.Cleanup(s.wire.sockets.CloseIdleConnections)
	var address string
	simulators, err := sandbox.New(sandbox.Config{
		Simulators: catalog.Simulators(), Unlimited: true, Gallery: t.TempDir(),
		BaseURL: func() string { return address }, Now: s.now, HTTP: client,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.wire.simulators = simulators.Handler()
	server := httptest.NewUnstartedServer(s.wire.simulators)
	address = "http://" + server.Listener.Addr().String()
	server.Start()
	t.Cleanup(server.Close)
	metrics := connectors.NewMetrics(prometheus.NewRegistry())
	for _, p := range schema.Platforms() {
		description := catalog.Description(p)
		s.connectors[p] = description.New(connectors.Parts{
			Client: connectors.NewClient(connectors.ClientConfig{ // without limits of its own
				Calls: description.Calls, HTTP: client, Logger: slog.New(slog.DiscardHandler), Metrics: metrics, Now: s.now,
			}),
			Base: address + "/" + p.String(), App: connectors.App{ID: simulation.AppID, Secret: simulation.AppSecret},
			Media: s.files, Now: s.now,
		})
	}
	return s
}

func (s *edgeStage) now() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }

func (s *edgeStage) pass(d time.Duration) { s.ahead.Add(int64(d)) }

// account connects an account of a platform.
func (s *edgeStage) account(t *testing.T, p schema.Platform) schema.Account {
	t.Helper()
	a := schema.Account{ID: schema.NewID[schema.AccountID](s.now()), Platform: p, Sandbox: true}
	checker, ok := connectors.Able[connectors.Checker](s.connectors[p])
	if !ok {
		t.Fatalf("%s checks nothing", p)
	}
	profile, err := checker.Check(t.Context(), a, catalog.SandboxCredentials(p, "edges"))
	if err != nil {
		t.Fatal(err)
	}
	a.NativeID, a.Name, a.Server, a.Settings = profile.NativeID, profile.Name, profile.Server, profile.Settings
	return a
}

// media is the media of a piece, of which nothing is sent.
func (s *edgeStage) media(p piece) []schema.Media {
	var all []schema.Media
	for _, f := range p.files {
		facts := f.facts
		all = append(all, schema.Media{Kind: facts.Kind.APIKind(), URL: "https://example.com/m", AltText: f.altText, Facts: &facts})
	}
	return all
}

// publish publishes a piece past validation, to its end. Its files pass for those of another one. The
// error is the refusal.
func (s *edgeStage) publish(t *testing.T, a schema.Account, p, passing piece) error {
	t.Helper()
	s.pass(25 * time.Hour) // after which texts may be repeated, and days are new
	c := catalog.Constraints(a.Platform)
	d := schema.Delivery{
		Claim: 1, Account: a, Credentials: catalog.SandboxCredentials(a.Platform, "edges"),
		Entries: 1 + p.follow, Settings: p.rawSettings(c), Tries: schema.DefaultTries,
	}
	for i, f := range p.files {
		d.Media = append(d.Media, s.files.item(f, passing.files[i].facts))
	}
	for entry := range d.Entries {
		d.Step, d.Entry, d.Text, d.Key, d.Progress = schema.StepPublish, entry, p.textOf(entry), uuid.NewString(), nil
		s.claim(&d)
		receipt, err := s.run(t, d, p)
		if err != nil {
			return err
		}
		d.Media, d.Receipts = nil, append(d.Receipts, receipt)
	}
	return nil
}

func (s *edgeStage) claim(d *schema.Delivery) {
	d.Since = s.now()
	d.DueAt, d.Deadline, d.Until = d.Since, d.Since.Add(schema.CallDeadline), d.Since.Add(24*time.Hour)
}

const maxSteps = 60

func (s *edgeStage) run(t *testing.T, d schema.Delivery, p piece) (schema.Receipt, error) {
	connector := s.connectors[d.Account.Platform]
	ready := !catalog.Constraints(d.Account.Platform).Prepares(schema.Entry{Media: d.Media}, d.Text, d.Settings)
	for step := 0; !ready; step++ {
		progress, err := connector.Prepare(t.Context(), d)
		if progress.State != nil {
			d.Progress = progress.State
		}
		if err != nil || step > maxSteps {
			return schema.Receipt{}, err
		}
		ready = progress.Ready
		s.pass(progress.RetryIn)
	}
	s.claim(&d)
	receipt, err := connector.Publish(t.Context(), d)
	if err == nil && receipt.Open {
		err = s.settle(t, d, receipt)
	}
	if err != nil || p.comment == "" {
		return receipt, err
	}
	d.Key = uuid.NewString()
	d.Receipts, d.Comment = []schema.Receipt{receipt}, &schema.Comment{Text: p.comment}
	_, err = connector.Comment(t.Context(), d)
	return receipt, err
}

// settle looks at what a platform has taken until it is through with it.
func (s *edgeStage) settle(t *testing.T, d schema.Delivery, receipt schema.Receipt) error {
	d.Step, d.Receipts = schema.StepFind, []schema.Receipt{receipt}
	for range maxSteps {
		s.pass(schema.SettleTime)
		found, verdict, err := s.connectors[d.Account.Platform].Find(t.Context(), d)
		if verdict == schema.NotThere || verdict == schema.Found && !found.Open {
			return err
		}
	}
	return fmt.Errorf("it is never settled")
}

// file is one of a piece: what it is, and what validation and connectors take it for.
type file struct {
	content, facts schema.MediaFacts
	altText        string
}

// usualRatio is in the middle of what a platform takes.
func usualRatio(c schema.Constraints) float64 {
	if c.Media.MinAspect == 0 {
		return 1
	}
	return math.Sqrt(c.Media.MinAspect * c.Media.MaxAspect)
}

// usualFile is a file that a platform takes.
func usualFile(c schema.Constraints, kind schema.MediaKind) file {
	f := schema.MediaFacts{Kind: kind, Height: 2000}
	f.Width = int(float64(f.Height) * usualRatio(c))
	switch kind {
	case schema.Image:
		f.Type = first(c.Media.ImageTypes, "image/jpeg")
	case schema.GIF:
		f.Type, f.Width, f.Height, f.Animated = "image/gif", f.Width/4, f.Height/4, true
	case schema.PDF:
		f.Type, f.Width, f.Height = "application/pdf", 0, 0
	case schema.Video:
		f.Type, f.Duration = first(c.Media.VideoTypes, "video/mp4"), 10*time.Second
		f.Film = schema.FilmFacts{Codec: "h264", FrameRate: 30}
	}
	return file{content: f, facts: f}
}

// fileServer has files, for platforms at their addresses and for connectors as a media source. Nothing is
// written of them but what says what they are.
type fileServer struct {
	base, folder string

	mu    sync.Mutex
	files []file
}

func newFileServer(t *testing.T) *fileServer {
	return &fileServer{folder: t.TempDir(), base: "http://files.example.com"}
}

// item is a file as media that passes for another.
func (s *fileServer) item(f file, passing schema.MediaFacts) schema.Media {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.content.Size = max(f.content.Size, int64(len(headOf(f.content))))
	f.facts = passing
	f.facts.Size = f.content.Size
	s.files = append(s.files, f)
	facts := f.facts
	return schema.Media{
		Kind: facts.Kind.APIKind(), AltText: f.altText, Facts: &facts,
		URL: fmt.Sprintf("%s/%d/file%s", s.base, len(s.files)-1, schema.Ending(f.content.Type)),
	}
}

// host is where its files are.
func (s *fileServer) host() string { return strings.TrimPrefix(s.base, "http://") }

func (s *fileServer) file(path string) file {
	s.mu.Lock()
	defer s.mu.Unlock()
	number, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	n, err := strconv.Atoi(number)
	if err != nil || n >= len(s.files) {
		panic("no such file: " + path)
	}
	return s.files[n]
}

// Open implements media.Source.
func (s *fileServer) Open(_ context.Context, m schema.Media) (*media.File, error) {
	f := s.file(strings.TrimPrefix(m.URL, s.base))
	opened, err := os.CreateTemp(s.folder, "")
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	if _, err := opened.Write(headOf(f.content)); err != nil {
		return nil, err
	}
	return &media.File{Path: opened.Name(), MediaFacts: f.facts}, opened.Truncate(f.content.Size)
}

// answer serves a file of any size to a platform.
func (s *fileServer) answer(r *http.Request) *http.Response {
	f := s.file(r.URL.Path)
	head := headOf(f.content)
	return &http.Response{
		StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {f.content.Type}},
		Body:          io.NopCloser(io.MultiReader(bytes.NewReader(head), io.LimitReader(zeros{}, f.content.Size-int64(len(head))))),
		ContentLength: f.content.Size, Request: r,
	}
}

// zeros are without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// headOf writes as much of a file as says what it is.
func headOf(f schema.MediaFacts) []byte {
	switch f.Type {
	case "image/jpeg":
		return jpegHead(f)
	case "image/png":
		return pngHead(f)
	case "image/gif":
		return append([]byte("GIF89a"), byte(f.Width), byte(f.Width>>8), byte(f.Height), byte(f.Height>>8), 0, 0, 0)
	case "image/webp":
		return []byte("RIFF\x10\x00\x00\x00WEBPVP8X\x00\x00\x00\x00")
	case "application/pdf":
		return []byte("%PDF-1.7\n")
	case "video/webm":
		return []byte("\x1a\x45\xdf\xa3\x87\x42\x82\x84webm")
	case "video/x-msvideo":
		return []byte("RIFF\x10\x00\x00\x00AVI LIST")
	case "video/quicktime":
		return filmHead(f, "qt  ")
	default:
		return filmHead(f, "mp42")
	}
}

func jpegHead(f schema.MediaFacts) []byte {
	frame := []byte{0xff, 0xc0, 0, 11, 8, byte(f.Height >> 8), byte(f.Height), byte(f.Width >> 8), byte(f.Width), 1, 1, 0x11, 0}
	return slices.Concat([]byte{0xff, 0xd8}, frame, []byte{0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0xff, 0xd9})
}

func pngHead(f schema.MediaFacts) []byte {
	header := append([]byte("IHDR"), bigEndian(uint32(f.Width), uint32(f.Height))...)
	header = append(header, 8, 0, 0, 0, 0)
	return slices.Concat([]byte("\x89PNG\r\n\x1a\n"), bigEndian(13), header, bigEndian(crc32.ChecksumIEEE(header)))
}

// codecs are what files call them.
var codecs = map[string]string{"h264": "avc1", "hevc": "hvc1", "vp8": "vp08", "vp9": "vp09", "prores": "apcn"}

// filmHead is a film without pictures (ISO/IEC 14496-12).
func filmHead(f schema.MediaFacts, brand string) []byte {
	const scale = 1000
	lasts := uint32(f.Duration.Milliseconds())
	matrix := bigEndian(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
	samples := uint32(math.Round(f.Film.FrameRate * f.Duration.Seconds()))
	table := box("stbl", box("stsd", bigEndian(0, 1, 16), []byte(codecs[f.Film.Codec]), make([]byte, 8)), box("stts", bigEndian(0, 1, samples, 1)))
	track := box("mdia", box("mdhd", bigEndian(0, 0, 0, scale, lasts, 0)), box("hdlr", bigEndian(0, 0), []byte("vide"), make([]byte, 13)), box("minf", table))
	header := box("tkhd", bigEndian(7, 0, 0, 1, 0, lasts, 0, 0, 0, 0), matrix, bigEndian(uint32(f.Width)<<16, uint32(f.Height)<<16))
	return slices.Concat(
		box("ftyp", []byte(brand), bigEndian(0), []byte(brand)),
		box("moov", box("mvhd", bigEndian(0, 0, 0, scale, lasts, 0x10000, 0x01000000, 0, 0), matrix, make([]byte, 24), bigEndian(2)), box("trak", header, track)),
		box("mdat", make([]byte, 64)),
	)
}

func box(kind string, content ...[]byte) []byte {
	body := bytes.Join(content, nil)
	return slices.Concat(bigEndian(uint32(8+len(body))), []byte(kind), body)
}

func bigEndian(values ...uint32) []byte {
	var encoded []byte
	for _, v := range values {
		encoded = binary.BigEndian.AppendUint32(encoded, v)
	}
	return encoded
}
