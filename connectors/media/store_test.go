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
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rclone/gofakes3"
	"github.com/rclone/gofakes3/s3mem"

	"crier/compose/embedded/embeddedtest"
	"crier/schema"
)

const (
	accessKey = "CRIER"
	secretKey = "correct-horse"
	bucket    = "media"
)

// service is an S3 that verifies signatures (SigV4, in headers and in presigned urls).
func service(t *testing.T) S3Config {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket(t.Context(), bucket); err != nil {
		t.Fatal(err)
	}
	fake := gofakes3.New(backend, gofakes3.WithV4Auth(map[string]string{accessKey: secretKey}))
	server := httptest.NewServer(fake.Server())
	t.Cleanup(server.Close)
	return s3At(t, server.URL, secretKey)
}

func s3At(t *testing.T, address, secret string) S3Config {
	t.Helper()
	c, err := ParseS3("s3://" + accessKey + ":" + secret + "@" + strings.TrimPrefix(address, "http://") + "/" + bucket + "/crier?tls=false")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func newS3(t *testing.T, c S3Config) *S3 {
	t.Helper()
	s, err := NewS3(c, &http.Transport{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newLibrary(t *testing.T, b blobs) (*Library, string) {
	t.Helper()
	arriving := filepath.Join(t.TempDir(), "arriving")
	l, err := NewLibrary(LibraryConfig{Blobs: b, Arriving: arriving, MaxBytes: mib})
	if err != nil {
		t.Fatal(err)
	}
	return l, arriving
}

func wantError(t *testing.T, err error, want schema.ErrorKind) {
	t.Helper()
	if schema.KindOf(err) != want {
		t.Errorf("error = %v, want kind %d", err, want)
	}
}

var pictures = []schema.MediaKind{schema.Image}

// TestStoresKeepMedia is the contract of a blob store, run against both.
func TestStoresKeepMedia(t *testing.T) {
	for name, open := range map[string]func(*testing.T) blobs{
		"folder": func(t *testing.T) blobs {
			f, err := NewFolder(filepath.Join(t.TempDir(), "media"))
			if err != nil {
				t.Fatal(err)
			}
			return f
		},
		"S3": func(t *testing.T) blobs { return newS3(t, service(t)) },
	} {
		t.Run(name, func(t *testing.T) {
			store := open(t)
			library, arriving := newLibrary(t, store)
			ctx, id := t.Context(), schema.NewID[schema.MediaID](time.Now())
			picture := picture320x200(t, png.Encode)
			facts, err := library.Keep(ctx, id, bytes.NewReader(picture), pictures)
			if err != nil || facts.Width != 320 || facts.Size != int64(len(picture)) {
				t.Fatalf("Keep = %+v, %v", facts, err)
			}
			wantNothingLeft(t, arriving)
			wantContent(t, library, id, picture)
			file, err := library.Stored(ctx, id)
			if err != nil || file.MediaFacts != facts {
				t.Fatalf("Stored = %+v, %v", file, err)
			}
			if err := file.Close(); err != nil {
				t.Error(err)
			}
			wantNothingLeft(t, arriving)
			wantContent(t, library, id, picture) // closing took nothing from the store
			wantVisited(t, store, time.Now().Add(time.Minute), id)
			wantVisited(t, store, time.Now().Add(-time.Minute))
			for range 2 { // the second time there is nothing to remove
				if err := library.Remove(ctx, id); err != nil {
					t.Error(err)
				}
			}
			_, err = library.Open(ctx, id)
			wantError(t, err, schema.NotFound)
			_, err = library.Stored(ctx, id)
			wantError(t, err, schema.Refused)
			_, err = library.Keep(ctx, id, strings.NewReader("<html>"), pictures)
			wantError(t, err, schema.Refused)
			_, err = library.Keep(ctx, id, bytes.NewReader(movingGIF(t, 2)), pictures)
			wantError(t, err, schema.Refused)
			wantNothingLeft(t, arriving)
			wantVisited(t, store, time.Now().Add(time.Minute))
		})
	}
}

func wantContent(t *testing.T, l *Library, id schema.MediaID, want []byte) {
	t.Helper()
	content, err := l.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer content.Close()
	if _, err := content.Seek(4, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(content); err != nil || !bytes.Equal(got, want[4:]) {
		t.Errorf("content from byte 4 on: %d bytes, %v", len(got), err)
	}
}

func wantVisited(t *testing.T, store blobs, before time.Time, want ...schema.MediaID) {
	t.Helper()
	var got []schema.MediaID
	err := store.Before(t.Context(), before, func(id schema.MediaID) error {
		got = append(got, id)
		return nil
	})
	if err != nil || len(got) != len(want) || len(got) == 1 && got[0] != want[0] {
		t.Errorf("Before = %v, %v; want %v", got, err, want)
	}
}

func TestS3RefusesAWrongSecret(t *testing.T) {
	c := service(t)
	c.Secret = "wrong"
	library, arriving := newLibrary(t, newS3(t, c))
	id := schema.NewID[schema.MediaID](time.Now())
	_, err := library.Keep(t.Context(), id, bytes.NewReader(picture320x200(t, png.Encode)), pictures)
	wantError(t, err, schema.Unavailable)
	wantNothingLeft(t, arriving)
	address, err := library.UploadURL(t.Context(), id, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if status := put(t, address, []byte("x")); status != http.StatusForbidden {
		t.Errorf("upload with a wrong signature: %d", status)
	}
}

func put(t *testing.T, address string, content []byte) int {
	t.Helper()
	request, err := http.NewRequest(http.MethodPut, address, bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}

func TestS3TakesUploadsByItself(t *testing.T) {
	store := newS3(t, service(t))
	library, _ := newLibrary(t, store)
	ctx := t.Context()
	film := movieOf("isom", box("mdat", make([]byte, 3*pageBytes)), box("moov", movieHeader(0, 2500), trackHeader(0, 1280, 720, false)))
	address := func(id schema.MediaID) string {
		t.Helper()
		address, err := library.UploadURL(ctx, id, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		return address
	}
	id := schema.NewID[schema.MediaID](time.Now())
	_, err := library.Accept(ctx, schema.Upload{ID: id})
	wantError(t, err, schema.NotFound)
	if status := put(t, address(id), film); status != http.StatusOK {
		t.Fatalf("upload: %d", status)
	}
	facts, err := library.Accept(ctx, schema.Upload{ID: id})
	want := schema.MediaFacts{Kind: schema.Video, Type: "video/mp4", Size: int64(len(film)), Width: 1280, Height: 720, Duration: 2500 * time.Millisecond}
	if err != nil || facts != want {
		t.Fatalf("Accept = %+v, %v", facts, err)
	}
	wantVisited(t, store, time.Now().Add(time.Minute), id) // it is kept once
	// The address still works, but reaches nothing that is published.
	if status := put(t, address(id), picture320x200(t, png.Encode)); status != http.StatusOK {
		t.Fatalf("second upload: %d", status)
	}
	if again, err := library.Accept(ctx, schema.Upload{ID: id}); err != nil || again != want {
		t.Errorf("Accept again = %+v, %v", again, err)
	}
	wantContent(t, library, id, film)

	moved := strings.Replace(address(id), id.String(), schema.NewID[schema.MediaID](time.Now()).String(), 1)
	if status := put(t, moved, film); status != http.StatusForbidden {
		t.Errorf("an address changed by hand: %d", status)
	}
	page := schema.NewID[schema.MediaID](time.Now())
	if status := put(t, address(page), []byte("<html>")); status != http.StatusOK {
		t.Fatalf("upload: %d", status)
	}
	_, err = library.Accept(ctx, schema.Upload{ID: page})
	wantError(t, err, schema.Refused)
	_, err = library.Accept(ctx, schema.Upload{ID: page})
	wantError(t, err, schema.NotFound) // it was removed
}

// Several requests may be the first to ask for what was uploaded.
func TestS3UploadIsAcceptedByAllAtOnce(t *testing.T) {
	library, _ := newLibrary(t, newS3(t, service(t)))
	id, picture := schema.NewID[schema.MediaID](time.Now()), picture320x200(t, png.Encode)
	address, err := library.UploadURL(t.Context(), id, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if status := put(t, address, picture); status != http.StatusOK {
		t.Fatalf("upload: %d", status)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if facts, err := library.Accept(t.Context(), schema.Upload{ID: id}); err != nil || facts.Width != 320 {
				t.Errorf("Accept = %+v, %v", facts, err)
			}
		})
	}
	all.Wait()
	wantContent(t, library, id, picture)
}

func TestS3ThatIsAway(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	library, arriving := newLibrary(t, newS3(t, s3At(t, gone.URL, secretKey)))
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := library.Stored(ctx, schema.NewID[schema.MediaID](time.Now()))
	wantError(t, err, schema.Retryable)
	_, err = library.Keep(ctx, schema.NewID[schema.MediaID](time.Now()), bytes.NewReader(picture320x200(t, png.Encode)), pictures)
	wantError(t, err, schema.Unavailable)
	wantNothingLeft(t, arriving)
}

func TestAddressOfABucket(t *testing.T) {
	c, err := ParseS3("s3://key:s%2Fcret@s3.example:9000/bucket/some/prefix?region=eu-west-1")
	want := S3Config{Host: "s3.example:9000", Key: "key", Secret: "s/cret", Bucket: "bucket", Prefix: "some/prefix", Region: "eu-west-1"}
	if err != nil || c != want {
		t.Errorf("ParseS3 = %+v, %v", c, err)
	}
	for name, address := range map[string]string{
		"no bucket": "s3://key:hidden@s3.example", "no secret": "s3://key@s3.example/bucket", "no key": "s3://:hidden@s3.example/bucket",
		"https": "https://key:hidden@s3.example/bucket", "no url": "s3://key:hidden@%zz/bucket",
	} {
		if _, err := ParseS3(address); err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if c, err := ParseS3("s3://s3.example/bucket"); err != nil || c.Key != "" {
		t.Errorf("no keys: %+v, %v", c, err)
	}
	if c.String() != "s3://s3.example:9000/bucket" || strings.Contains(c.GoString(), "cret@") {
		t.Errorf("shown as %s", c)
	}
}

func TestFullDisk(t *testing.T) {
	disk := filepath.Join(t.TempDir(), "disk")
	embeddedtest.SmallDisk(t, disk, "64k")
	folder, err := NewFolder(filepath.Join(disk, "media"))
	if err != nil {
		t.Fatal(err)
	}
	arriving := filepath.Join(disk, "arriving")
	library, err := NewLibrary(LibraryConfig{Blobs: folder, Arriving: arriving, MaxBytes: mib})
	if err != nil {
		t.Fatal(err)
	}
	content := append(picture320x200(t, png.Encode), make([]byte, mib)...)
	_, err = library.Keep(t.Context(), schema.NewID[schema.MediaID](time.Now()), bytes.NewReader(content), pictures)
	wantError(t, err, schema.Unavailable)
	wantNothingLeft(t, arriving)
}

func TestTheFirstOfTwoUploadsIsKept(t *testing.T) {
	folder, err := NewFolder(filepath.Join(t.TempDir(), "media"))
	if err != nil {
		t.Fatal(err)
	}
	library, arriving := newLibrary(t, folder)
	id := schema.NewID[schema.MediaID](time.Now())
	first, second := picture320x200(t, png.Encode), picture320x200(t, asJPEG)
	for _, content := range [][]byte{first, second} {
		facts, err := library.Keep(t.Context(), id, bytes.NewReader(content), pictures)
		if err != nil || facts.Type != "image/png" {
			t.Errorf("Keep = %+v, %v", facts, err)
		}
	}
	wantContent(t, library, id, first)
	wantNothingLeft(t, arriving)
}

func TestWhatNeverArrivedIsSwept(t *testing.T) {
	folder, err := NewFolder(filepath.Join(t.TempDir(), "media"))
	if err != nil {
		t.Fatal(err)
	}
	library, arriving := newLibrary(t, folder)
	if err := os.WriteFile(filepath.Join(arriving, "media-1"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	sweep := func(before time.Time) {
		t.Helper()
		if err := library.Sweep(t.Context(), before, func(schema.MediaID) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	sweep(time.Now().Add(-time.Hour))
	if left, _ := os.ReadDir(arriving); len(left) != 1 {
		t.Error("what is still arriving was removed")
	}
	sweep(time.Now().Add(time.Hour))
	wantNothingLeft(t, arriving)
}
