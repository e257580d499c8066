package compose_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"crier/schema"
)

// filmInParts sends a film to crier in parts, in the background, whatever happens to crier and
// to its connections meanwhile.
type filmInParts struct {
	*world
	size  int64
	id    string
	cuts  int           // connections that the sender itself cuts off in the middle of a part
	sent  atomic.Int32  // parts that were answered
	lost  atomic.Int32  // and that were not
	ended chan struct{} // closed once every part is received
}

type uploadParts struct {
	MediaID string
	Parts   []struct {
		Number       int
		Offset, Size int64
		UploadURL    string
		Received     bool
	}
}

// sendInParts announces a film and begins to send it.
func (w *world) sendInParts(size int64, cuts int) *filmInParts {
	w.Helper()
	sum := sha256.New()
	if _, err := io.Copy(sum, film(size)); err != nil {
		w.Fatal(err)
	}
	f := &filmInParts{world: w, size: size, cuts: cuts, ended: make(chan struct{})}
	var given uploadParts
	announced := map[string]any{"size": size, "sha256": hex.EncodeToString(sum.Sum(nil))}
	if status := w.call(http.MethodPost, "/media/upload-url", announced, &given); status != http.StatusCreated || len(given.Parts) < 3 {
		w.Fatalf("announcing %d bytes: %d, %d parts", size, status, len(given.Parts))
	}
	f.id = given.MediaID
	go f.run()
	return f
}

// run asks which parts are missing and sends them, over and over, until none is or the test
// ends.
func (f *filmInParts) run() {
	for f.Context().Err() == nil {
		var now uploadParts
		status, err := f.tryCall(http.MethodGet, "/media/"+f.id+"/parts", nil, &now)
		if err != nil || status != http.StatusOK {
			time.Sleep(100 * time.Millisecond) // crier is dead, or starts
			continue
		}
		missing := 0
		for _, part := range now.Parts {
			if part.Received {
				continue
			}
			missing++
			if err := f.send(part.UploadURL, part.Offset, part.Size); err != nil {
				f.lost.Add(1)
				break // and asked again
			}
			f.sent.Add(1)
		}
		if missing == 0 {
			close(f.ended)
			return
		}
	}
}

// send sends a part at the pace of a fast line; for as long as there are cuts, every second
// connection ends in its middle.
func (f *filmInParts) send(address string, offset, size int64) error {
	var content io.Reader = zeros{}
	if offset == 0 {
		content = film(f.size)
	}
	body := &line{Reader: io.LimitReader(content, size), cutAt: -1}
	if f.cuts > 0 && (f.sent.Load()+f.lost.Load())%2 == 0 {
		f.cuts--
		body.cutAt = size / 2
	}
	request, err := http.NewRequestWithContext(f.Context(), http.MethodPut, address, body)
	if err != nil {
		return err
	}
	request.ContentLength = size
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if answer, err := io.ReadAll(response.Body); err != nil || response.StatusCode != http.StatusOK {
		return errors.Join(err, errors.New(string(answer)))
	}
	return nil
}

// line is content at 100 MiB a second, which may end before its end.
type line struct {
	io.Reader
	read, cutAt int64
}

func (l *line) Read(p []byte) (int, error) {
	if l.cutAt >= 0 && l.read >= l.cutAt {
		return 0, errors.New("the connection is cut")
	}
	n, err := l.Reader.Read(p)
	before := l.read >> 20
	l.read += int64(n)
	time.Sleep(time.Duration(l.read>>20-before) * 10 * time.Millisecond)
	return n, err
}

// interruptions are what happens while a film is on its way to platforms, one after another.
var interruptions = bySize([]string{"cut", "kill"}, []string{"cut", "cut", "kill", "cut", "cut", "kill", "cut"})

// published is what came of publishing a film.
type published struct {
	memory int // KiB above what crier took before, at the most
	took   time.Duration
}

// publish waits until all of a film is there, completes it twice and publishes it on platforms,
// over networks that are cut, by processes that are killed.
func (f *filmInParts) publish(t *testing.T, over map[schema.Platform]*proxy) published {
	t.Helper()
	select {
	case <-f.ended:
	case <-time.After(5 * time.Minute):
		t.Fatal("not all parts have come")
	}
	var platforms []any
	for p := range over {
		platforms = append(platforms, map[string]any{"platform": p.String(), "accountId": f.connect(p, 1)[0]})
	}
	rest := f.kibibytes("VmRSS:")
	f.forgetPeak()
	patient := *f.world
	patient.client = &http.Client{Timeout: time.Minute}
	for range 2 {
		if status := patient.call(http.MethodPost, "/media/"+f.id+"/complete", nil, nil); status != http.StatusOK {
			t.Fatalf("completing: %d", status)
		}
	}
	began := time.Now()
	var created postAnswer
	f.call(http.MethodPost, "/posts", map[string]any{
		"content": "a film in parts", "publishNow": true, "platforms": platforms, "platformSettings": smallestSettings(),
		"mediaItems": []any{map[string]any{"mediaId": f.id}},
	}, &created)
	peak := f.interrupt(over)
	f.eventually(5*time.Minute, "the film is published", func() bool { return f.done([]string{created.Post.ID}) })
	var answer postAnswer
	f.call(http.MethodGet, "/posts/"+created.Post.ID, nil, &answer)
	for _, target := range answer.Post.Platforms {
		if target.Status != "posted" {
			t.Errorf("the target is %+v", target)
		}
	}
	return published{max(peak, f.kibibytes("VmHWM:")) - rest, time.Since(began)}
}

// interrupt cuts all networks, or kills crier, at equal distances of what they carry. It
// returns the most memory that a killed process took, in KiB.
func (f *filmInParts) interrupt(over map[schema.Platform]*proxy) (peak int) {
	f.Helper()
	carried := func() (n int64) {
		for _, network := range over {
			n += network.carried.Load()
		}
		return n
	}
	whole := carried() + int64(len(over))*f.size
	from := carried()
	for i, what := range interruptions {
		at := from + (whole-from)*int64(i+1)/int64(len(interruptions)+1)
		f.eventually(3*time.Minute, "the film goes on", func() bool { return carried() >= at })
		if what == "kill" {
			peak = max(peak, f.kibibytes("VmHWM:"))
			f.kill()
			f.start()
			continue
		}
		for _, network := range over {
			network.change(func() { network.cut = true })
			network.change(func() { network.cut = false })
		}
	}
	return peak
}
