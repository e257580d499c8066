package media

import (
	"bytes"
	"context"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"crier/schema"
)

// changing is a server whose content is another with every request.
type changing struct {
	url      string
	requests int
}

func newChanging(t *testing.T) *changing {
	c := new(changing)
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		c.requests++
		rw.Write(append(picture320x200(t, png.Encode), make([]byte, c.requests)...))
	}))
	t.Cleanup(server.Close)
	c.url = server.URL
	return c
}

func keepingFetcher(t *testing.T, folder string, quota *DiskQuota, stored func(context.Context, schema.MediaID) (*File, error)) *Fetcher {
	t.Helper()
	return NewFetcher(Config{
		HTTP: http.DefaultClient, Dir: folder, Folder: folder, MinFetched: 100, Timeout: time.Minute, Limits: Limits{MaxBytes: mib, Quota: quota}, Stored: stored,
	})
}

// wantOpened opens an item, holds its size against what is wanted and closes it.
func wantOpened(t *testing.T, f *Fetcher, item schema.Media, want int64) {
	item.KeepMetadata = true // which makes the file as long as it was sent
	t.Helper()
	file, err := f.Open(t.Context(), item)
	if err != nil {
		t.Fatal(err)
	}
	content, err := file.Open()
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, content)
	content.Close()
	if err != nil || n != want || file.Size != want || file.Width != 320 {
		t.Errorf("%d bytes of %+v, %v; want %d", n, file.MediaFacts, err, want)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
}

func TestFetchedMediaIsKeptBetweenSteps(t *testing.T) {
	folder, source := t.TempDir(), newChanging(t)
	size := int64(len(picture320x200(t, png.Encode)))
	fetcher := keepingFetcher(t, folder, nil, nil)
	first := schema.Media{URL: source.url + "/a.png", Upload: "first"}
	wantOpened(t, fetcher, first, size+1)
	wantOpened(t, fetcher, first, size+1) // whatever is at the url by now
	fetcher = keepingFetcher(t, folder, nil, nil)
	wantOpened(t, fetcher, first, size+1) // in the next process
	second := schema.Media{URL: first.URL, Upload: "second"}
	wantOpened(t, fetcher, second, size+2) // another upload gets what is there now
	wantOpened(t, fetcher, schema.Media{URL: first.URL}, size+3)
	wantOpened(t, fetcher, schema.Media{URL: first.URL}, size+4)
	wantFiles(t, folder, 2)

	file, err := fetcher.Open(t.Context(), second)
	if err != nil {
		t.Fatal(err)
	}
	for _, upload := range []string{"first", "second", "nobody's"} {
		if err := fetcher.Forget(upload); err != nil {
			t.Fatal(err)
		}
	}
	wantFiles(t, folder, 1) // which is open
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if err := fetcher.Forget("second"); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, folder, 0)
	wantOpened(t, fetcher, first, size+5)
	if err := fetcher.RemoveIdle(); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, folder, 1)
	old := time.Now().Add(-2 * fetchedLife)
	if err := os.Chtimes(filepath.Join(folder, cacheName(first)), old, old); err != nil {
		t.Fatal(err)
	}
	if err := fetcher.RemoveIdle(); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, folder, 0)
}

func wantFiles(t *testing.T, folder string, want int) {
	t.Helper()
	if files, err := os.ReadDir(folder); err != nil || len(files) != want {
		t.Errorf("%v, %v; want %d", files, err, want)
	}
}

// What a bucket keeps never changes: it is fetched once for all.
func TestMediaOfABucketIsFetchedOnce(t *testing.T) {
	library, _ := newLibrary(t, newS3(t, service(t)))
	id, picture := schema.NewID[schema.MediaID](time.Now()), picture320x200(t, png.Encode)
	if _, err := library.Keep(t.Context(), id, bytes.NewReader(picture), pictures); err != nil {
		t.Fatal(err)
	}
	fetched := 0
	fetcher := keepingFetcher(t, t.TempDir(), nil, func(ctx context.Context, id schema.MediaID) (*File, error) {
		fetched++
		return library.Stored(ctx, id)
	})
	for _, upload := range []string{"first", "first", "second"} {
		wantOpened(t, fetcher, schema.Media{MediaID: id, Upload: upload}, int64(len(picture)))
	}
	if fetched != 1 {
		t.Errorf("it was fetched %d times", fetched)
	}
	wantNothingLeft(t, library.arriving)
}

func TestMediaHasItsRoom(t *testing.T) {
	dir := t.TempDir()
	picture := picture320x200(t, png.Encode)
	size := int64(len(picture))
	quota := NewDiskQuota(dir, 3*size+10)
	wantUsed := func(want int64) {
		t.Helper()
		if used := quota.Used(); used != want {
			t.Errorf("%d bytes are used, want %d", used, want)
		}
	}
	folder, err := NewFolder(filepath.Join(dir, "media"))
	if err != nil {
		t.Fatal(err)
	}
	fetching := filepath.Join(dir, "fetching")
	if err := os.Mkdir(fetching, 0o700); err != nil {
		t.Fatal(err)
	}
	library, err := NewLibrary(LibraryConfig{Blobs: folder, Arriving: filepath.Join(dir, "arriving"), MaxBytes: mib, Quota: quota})
	if err != nil {
		t.Fatal(err)
	}
	fetcher, source := keepingFetcher(t, fetching, quota, nil), newChanging(t)
	keep := func() (schema.MediaID, error) {
		id := schema.NewID[schema.MediaID](time.Now())
		_, err := library.Keep(t.Context(), id, bytes.NewReader(picture), pictures)
		return id, err
	}
	first, err := keep()
	if err != nil {
		t.Fatal(err)
	}
	wantUsed(size)
	if _, err := library.Keep(t.Context(), schema.NewID[schema.MediaID](time.Now()), bytes.NewReader(picture[:size-1]), pictures); schema.KindOf(err) != schema.Refused {
		t.Errorf("half a picture: %v", err)
	}
	wantUsed(size)
	if _, err := library.Keep(t.Context(), first, bytes.NewReader(picture), pictures); err != nil {
		t.Error(err)
	}
	wantUsed(size) // it was there
	if _, err := keep(); err != nil {
		t.Fatal(err)
	}
	wantOpened(t, fetcher, schema.Media{URL: source.url, Upload: "an upload"}, size+1)
	wantUsed(3*size + 1)
	wantOpened(t, fetcher, schema.Media{URL: source.url, Upload: "an upload"}, size+1)
	wantUsed(3*size + 1)
	if err := library.Sweep(t.Context(), time.Now().Add(-time.Hour), func(schema.MediaID) error { return nil }); err != nil {
		t.Fatal(err)
	}
	wantUsed(3*size + 1) // counted again
	third, err := keep() // what was fetched gives way
	if err != nil {
		t.Fatal(err)
	}
	wantUsed(3 * size)
	wantFiles(t, fetching, 0)
	_, err = keep()
	wantError(t, err, schema.Unavailable)
	_, err = fetcher.Open(t.Context(), schema.Media{URL: source.url, Upload: "another"})
	wantError(t, err, schema.Retryable)
	_, err = library.Announce(t.Context(), schema.Upload{Announced: schema.Announced{Size: size}})
	wantError(t, err, schema.Unavailable)
	wantUsed(3 * size)
	wantNothingLeft(t, library.arriving)
	for range 2 {
		if err := library.Remove(t.Context(), third); err != nil {
			t.Fatal(err)
		}
	}
	wantUsed(2 * size)
}

func TestPartsHaveTheirRoom(t *testing.T) {
	dir := t.TempDir()
	quota := NewDiskQuota(dir, 4*testPart)
	folder, err := NewFolder(filepath.Join(dir, "media"))
	if err != nil {
		t.Fatal(err)
	}
	library, err := NewLibrary(LibraryConfig{Blobs: folder, Arriving: filepath.Join(dir, "arriving"), MaxBytes: mib, PartBytes: testPart, Quota: quota})
	if err != nil {
		t.Fatal(err)
	}
	s := announce(t, library, threeParts(), "")
	other := announce(t, library, threeParts(), "")
	for _, number := range []int{1, 2, 2, 4} {
		s.send(number, s.part(number))
	}
	if want := int64(2*testPart + len(s.part(4))); quota.Used() != want {
		t.Errorf("%d bytes are used, want %d", quota.Used(), want)
	}
	other.send(1, other.part(1))
	_, err = library.KeepPart(other.upload, 2, bytes.NewReader(other.part(2)))
	wantError(t, err, schema.Unavailable)
	if err := library.Remove(t.Context(), other.upload.ID); err != nil {
		t.Fatal(err)
	}
	s.send(3, s.part(3))
	if _, err := library.Assemble(t.Context(), s.upload, films); err != nil {
		t.Fatal(err)
	}
	if err := library.Sweep(t.Context(), time.Now().Add(-time.Hour), func(schema.MediaID) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if want := int64(len(s.content)); quota.Used() != want {
		t.Errorf("%d bytes are used, want %d", quota.Used(), want)
	}
}

func TestADiskWithoutABound(t *testing.T) {
	quota := NewDiskQuota(t.TempDir(), 0)
	wantError(t, quota.Take(1<<60), schema.Unavailable)
	if err := quota.Take(1); err != nil && schema.KindOf(err) != schema.Unavailable { // a full disk is one, too
		t.Error(err)
	}
}
