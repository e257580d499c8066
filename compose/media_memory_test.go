package compose_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// uploadMemory is what uploads may take above what crier takes at rest, however large they
// are: each is larger, or all at once are.
const uploadMemory = 64 << 10 // KiB

// largeUpload is the size of an upload in bytes: one that would not fit into uploadMemory, by
// little or by far.
func largeUpload() int64 { return bySize[int64](160<<20, 1<<30) }

// largeFilm is an MP4 of largeUpload.
func largeFilm() io.Reader { return film(largeUpload()) }

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestUploadsAreNeverWholeInMemory measures the process that takes them.
func TestUploadsAreNeverWholeInMemory(t *testing.T) {
	besideOthers(t)
	w := newWorldWith(t, childConfig{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, MaxMedia: largeUpload()})
	source := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/film.mp4":
			_, _ = io.Copy(rw, largeFilm())
		default: // a picture that never ends; its reader does
			_, _ = io.Copy(rw, io.MultiReader(bytes.NewReader(blackField(t)), zeros{}))
		}
	}))
	t.Cleanup(source.Close)
	for name, upload := range map[string]func(){
		"by its address": func() {
			var given struct{ UploadURL string }
			if status := w.call(http.MethodPost, "/media/upload-url", nil, &given); status != http.StatusCreated {
				w.Fatalf("asking for an address: %d", status)
			}
			w.sendLarge(http.MethodPut, given.UploadURL, "", largeFilm(), http.StatusOK)
		},
		"from a url": func() {
			body := strings.NewReader(fmt.Sprintf(`{"url": %q}`, source.URL+"/film.mp4"))
			w.sendLarge(http.MethodPost, w.api("/media/from-url"), "application/json", body, http.StatusCreated)
		},
		"from a url that never ends": func() {
			body := strings.NewReader(fmt.Sprintf(`{"url": %q}`, source.URL+"/endless.png"))
			w.sendLarge(http.MethodPost, w.api("/media/from-url"), "application/json", body, http.StatusBadRequest)
		},
		"as eight forms at once": w.sendForms,
	} {
		t.Run(name, func(t *testing.T) {
			before := w.stored()
			rest := w.kibibytes("VmRSS:")
			w.forgetPeak()
			began := time.Now()
			upload()
			took := w.kibibytes("VmHWM:") - rest
			t.Logf("%d KiB above %d at rest, in %v", took, rest, time.Since(began).Round(time.Millisecond))
			if took > uploadMemory {
				t.Errorf("uploading took %d KiB, at most %d are allowed", took, uploadMemory)
			}
			if name == "from a url that never ends" && w.stored() != before {
				t.Errorf("%d bytes are stored, %d before", w.stored(), before)
			}
		})
	}
}

func (w *world) api(path string) string { return "http://" + w.config.Listen + "/api/v1" + path }

// sendLarge sends a body that is not held in memory here either.
func (w *world) sendLarge(method, address, contentType string, body io.Reader, want int) {
	w.Helper()
	request, err := http.NewRequest(method, address, body)
	if err != nil {
		w.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+w.key)
	request.Header.Set("Content-Type", contentType)
	response, err := new(http.Client).Do(request)
	if err != nil {
		w.Error(err)
		return
	}
	defer response.Body.Close()
	if answer, err := io.ReadAll(response.Body); err != nil || response.StatusCode != want {
		w.Errorf("%s: %d %s, %v; want %d", address, response.StatusCode, answer, err, want)
	}
}

// sendForms sends pictures of 30 MiB.
func (w *world) sendForms() {
	var sending sync.WaitGroup
	for range 8 {
		sending.Go(func() {
			var around bytes.Buffer
			form := multipart.NewWriter(&around)
			if _, err := form.CreateFormFile("file", "large.png"); err != nil {
				w.Error(err)
			}
			head := bytes.Clone(around.Bytes())
			form.Close()
			body := io.MultiReader(bytes.NewReader(head), bytes.NewReader(blackField(w.T)), io.LimitReader(zeros{}, 30<<20), bytes.NewReader(around.Bytes()[len(head):]))
			w.sendLarge(http.MethodPost, w.api("/media"), form.FormDataContentType(), body, http.StatusCreated)
		})
	}
	sending.Wait()
}

// kibibytes reads a figure of memory of crier's process as the kernel has it, in KiB.
func (w *world) kibibytes(figure string) int {
	w.Helper()
	status, err := os.ReadFile(w.proc("status"))
	if err != nil {
		w.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), figure)
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		w.Fatal(err)
	}
	return n
}

// forgetPeak makes the process's peak what it takes now (proc_pid_clear_refs, 5).
func (w *world) forgetPeak() {
	w.Helper()
	if err := os.WriteFile(w.proc("clear_refs"), []byte("5"), 0); err != nil {
		w.Fatal(err)
	}
}

func (w *world) proc(file string) string {
	return filepath.Join("/proc", strconv.Itoa(w.crier.Process.Pid), file)
}

// stored returns the bytes of media that are kept or arriving.
func (w *world) stored() (total int64) {
	w.Helper()
	for _, folder := range []string{"media", "media-arriving"} {
		err := filepath.WalkDir(filepath.Join(w.config.Data, folder), func(_ string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			info, err := entry.Info()
			if err == nil {
				total += info.Size()
			}
			return err
		})
		if err != nil {
			w.Fatal(err)
		}
	}
	return total
}
