package media

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"crier/schema"
)

const testPart = 64 << 10

var films = []schema.MediaKind{schema.Video}

// threeParts is an MP4 of three parts and a bit.
func threeParts() []byte {
	return movieOf("isom", box("moov", movieHeader(0, 2500), trackHeader(0, 1280, 720, false)), box("mdat", bytes.Repeat([]byte("crier"), 3*testPart/5)))
}

func libraryOfParts(t *testing.T, b blobs) *Library {
	t.Helper()
	l, err := NewLibrary(LibraryConfig{Blobs: b, Arriving: filepath.Join(t.TempDir(), "arriving"), MaxBytes: mib, PartBytes: testPart})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// sender sends the parts of an upload, wherever they go.
type sender struct {
	*testing.T
	library *Library
	upload  schema.Upload
	content []byte
}

func announce(t *testing.T, l *Library, content []byte, sum string) sender {
	t.Helper()
	u := schema.Upload{ID: schema.NewID[schema.MediaID](time.Now()), Announced: schema.Announced{Size: int64(len(content)), SHA256: sum}}
	var err error
	if u.Announced, err = l.Announce(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	return sender{t, l, u, content}
}

func (s sender) part(number int) []byte {
	p := s.upload.Announced.Part(number)
	return s.content[p.Offset : p.Offset+p.Size]
}

// send sends a part as a client does.
func (s sender) send(number int, content []byte) {
	s.Helper()
	address := s.parts()[number-1].URL
	if address == "" {
		sum := md5.Sum(content)
		if got, err := s.library.KeepPart(s.upload, number, bytes.NewReader(content)); err != nil || !bytes.Equal(got, sum[:]) {
			s.Fatalf("part %d: %x, %v", number, got, err)
		}
	} else if status := put(s.T, address, content); status != http.StatusOK {
		s.Fatalf("part %d: %d", number, status)
	}
}

func (s sender) parts() []schema.UploadPart {
	s.Helper()
	parts, err := s.library.Parts(s.Context(), s.upload, time.Minute)
	if err != nil {
		s.Fatal(err)
	}
	return parts
}

func (s sender) wantReceived(want ...int) {
	s.Helper()
	var got []int
	for _, p := range s.parts() {
		if p.Received {
			got = append(got, p.Number)
		}
	}
	if !slices.Equal(got, want) {
		s.Errorf("received are %v, want %v", got, want)
	}
}

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// partStores are the stores that take parts.
func partStores() map[string]func(*testing.T) blobs {
	return map[string]func(*testing.T) blobs{
		"folder": func(t *testing.T) blobs {
			f, err := NewFolder(filepath.Join(t.TempDir(), "media"))
			if err != nil {
				t.Fatal(err)
			}
			return f
		},
		"S3": func(t *testing.T) blobs { return newS3(t, service(t)) },
	}
}

// TestUploadsInParts is the contract of parts, run against both stores.
func TestUploadsInParts(t *testing.T) {
	for name, open := range partStores() {
		t.Run(name, func(t *testing.T) {
			store := open(t)
			library := libraryOfParts(t, store)
			film := threeParts()
			small := announce(t, library, film[:testPart], "")
			if n := small.upload.Announced.Parts(); n != 0 {
				t.Errorf("a part's size comes in %d parts", n)
			}
			_, err := library.Assemble(t.Context(), small.upload, films)
			wantError(t, err, schema.InvalidState)
			s := announce(t, library, film, strings.ToUpper(sumOf(film)))
			if n := s.upload.Announced.Parts(); n != 4 {
				t.Fatalf("%d bytes come in %d parts", len(film), n)
			}
			s.wantReceived()
			s.send(4, s.part(4)) // in any order
			s.send(1, s.part(1))
			s.send(2, bytes.Repeat([]byte("wrong"), testPart/5+1)[:testPart])
			_, err = library.Assemble(t.Context(), s.upload, films)
			if wantError(t, err, schema.InvalidState); err == nil || !strings.Contains(err.Error(), "1 of 4 parts have not come: 3") {
				t.Errorf("Assemble without a part: %v", err)
			}
			_, err = library.Accept(t.Context(), s.upload)
			wantError(t, err, schema.NotFound)
			s.library = libraryAgain(t, library) // after a death
			s.wantReceived(1, 2, 4)
			s.send(2, s.part(2)) // once more
			s.send(3, s.part(3))
			s.wantReceived(1, 2, 3, 4)
			for range 2 { // the first answer was lost
				facts, err := s.library.Assemble(t.Context(), s.upload, films)
				want := schema.MediaFacts{Kind: schema.Video, Type: "video/mp4", Size: int64(len(film)), Width: 1280, Height: 720, Duration: 2500 * time.Millisecond}
				if err != nil || facts != want {
					t.Fatalf("Assemble = %+v, %v", facts, err)
				}
			}
			wantContent(t, s.library, s.upload.ID, film)
			wantVisited(t, store, time.Now().Add(time.Minute), s.upload.ID) // and nothing of parts
			wantNothingLeft(t, library.arriving)
		})
	}
}

// libraryAgain is the library of the same store and folder that the next process makes.
func libraryAgain(t *testing.T, l *Library) *Library {
	t.Helper()
	again, err := NewLibrary(LibraryConfig{Blobs: l.blobs, Arriving: l.arriving, MaxBytes: mib, PartBytes: testPart})
	if err != nil {
		t.Fatal(err)
	}
	return again
}

func TestPartsThatMakeWhatIsNotTaken(t *testing.T) {
	for name, open := range partStores() {
		for what, tt := range map[string]struct {
			content []byte
			sum     string
			kinds   []schema.MediaKind
		}{
			"another content than announced": {threeParts(), sumOf([]byte("another")), films},
			"another kind":                   {threeParts(), "", pictures},
			"half a film":                    {threeParts()[:3*testPart], "", films},
		} {
			t.Run(what+" in "+name, func(t *testing.T) {
				store := open(t)
				s := announce(t, libraryOfParts(t, store), tt.content, tt.sum)
				for i := range s.upload.Announced.Parts() {
					s.send(i+1, s.part(i+1))
				}
				_, err := s.library.Assemble(t.Context(), s.upload, tt.kinds)
				wantError(t, err, schema.Refused)
				wantVisited(t, store, time.Now().Add(time.Minute))
				wantNothingLeft(t, s.library.arriving)
			})
		}
	}
}

// Parts of an upload that is given up are removed with it, and of one that came in one piece
// after all; those of which nobody knows are found.
func TestPartsThatAreNotUsedGo(t *testing.T) {
	for name, open := range partStores() {
		t.Run(name, func(t *testing.T) {
			store := open(t)
			s := announce(t, libraryOfParts(t, store), threeParts(), "")
			s.send(2, s.part(2))
			if name == "S3" {
				wantVisited(t, store, time.Now().Add(time.Minute), s.upload.ID)
				wantVisited(t, store, time.Now().Add(-time.Minute))
			}
			if err := s.library.Remove(t.Context(), s.upload.ID); err != nil {
				t.Fatal(err)
			}
			wantVisited(t, store, time.Now().Add(time.Minute))
			wantNothingLeft(t, s.library.arriving)

			s = announce(t, s.library, threeParts(), "")
			s.send(1, s.part(1))
			if address, err := s.library.UploadURL(t.Context(), s.upload.ID, time.Minute); err != nil {
				t.Fatal(err)
			} else if address == "" {
				_, err = s.library.Keep(t.Context(), s.upload.ID, bytes.NewReader(s.content), films)
				if err != nil {
					t.Fatal(err)
				}
			} else if status := put(t, address, s.content); status != http.StatusOK {
				t.Fatalf("upload: %d", status)
			}
			if facts, err := s.library.Assemble(t.Context(), s.upload, films); err != nil || facts.Width != 1280 {
				t.Errorf("Assemble = %+v, %v", facts, err)
			}
			wantVisited(t, store, time.Now().Add(time.Minute), s.upload.ID)
			wantNothingLeft(t, s.library.arriving)
		})
	}
}

func TestPartsThatAreRefused(t *testing.T) {
	store, err := NewFolder(filepath.Join(t.TempDir(), "media"))
	if err != nil {
		t.Fatal(err)
	}
	s := announce(t, libraryOfParts(t, store), threeParts(), "")
	cut := errors.New("cut")
	for name, tt := range map[string]struct {
		number  int
		content io.Reader
		want    schema.ErrorKind
	}{
		"too short":    {2, bytes.NewReader(s.part(2)[1:]), schema.Refused},
		"too long":     {2, io.MultiReader(bytes.NewReader(s.part(2)), strings.NewReader("x")), schema.Refused},
		"no media":     {1, io.MultiReader(strings.NewReader("<html>"), bytes.NewReader(s.part(1)[6:])), schema.Refused},
		"cut off":      {2, io.MultiReader(bytes.NewReader(s.part(2)[:100]), iotest.ErrReader(cut)), schema.Internal},
		"of the large": {4, bytes.NewReader(s.part(3)), schema.Refused},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.library.KeepPart(s.upload, tt.number, tt.content)
			if wantError(t, err, tt.want); tt.want == schema.Internal && !errors.Is(err, cut) {
				t.Errorf("error = %v", err)
			}
			s.wantReceived()
		})
	}
	s.send(1, s.part(1))
	if err := os.WriteFile(s.library.partStore.mark(s.upload.ID, 1), nil, 0o600); err != nil { // the power failed
		t.Fatal(err)
	}
	s.wantReceived()
}

// A sender whose connection hangs sends the part again over another one.
func TestThePartThatIsSentLaterCounts(t *testing.T) {
	store, err := NewFolder(filepath.Join(t.TempDir(), "media"))
	if err != nil {
		t.Fatal(err)
	}
	s := announce(t, libraryOfParts(t, store), threeParts(), "")
	for i := range 4 {
		s.send(i+1, s.part(i+1))
	}
	hanging, rest := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		_, err := s.library.KeepPart(s.upload, 2, hanging)
		hanging.Close() // nobody reads on
		ended <- err
	}()
	if _, err := rest.Write([]byte("wrong")); err != nil { // so it has begun
		t.Fatal(err)
	}
	s.send(2, s.part(2))
	_, _ = rest.Write([]byte("wrong")) // which may be refused by now
	rest.Close()
	if err := <-ended; schema.KindOf(err) != schema.InvalidState {
		t.Errorf("the part that hung: %v", err)
	}
	if _, err := s.library.Assemble(t.Context(), s.upload, films); err != nil {
		t.Fatal(err)
	}
	wantContent(t, s.library, s.upload.ID, s.content)
}

// A bucket whose key may not list parts takes uploads in one piece.
func TestABucketWithoutParts(t *testing.T) {
	for name, deny := range map[string]func(*http.Request) bool{
		"no sessions": func(r *http.Request) bool { return r.Method == http.MethodPost && r.URL.Query().Has("uploads") },
		"no lists":    func(r *http.Request) bool { return r.Method == http.MethodGet && r.URL.Query().Has("uploadId") },
	} {
		t.Run(name, func(t *testing.T) {
			store, _ := faulty(t, func(rw http.ResponseWriter, r *http.Request, next http.Handler) {
				if deny(r) {
					next = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { forbidding(r.Method)(rw, r, nil) })
				}
				next.ServeHTTP(rw, r)
			})
			s := announce(t, libraryOfParts(t, store), threeParts(), "")
			if n := s.upload.Announced.Parts(); n != 0 {
				t.Errorf("%d parts are asked for", n)
			}
			wantVisited(t, store, time.Now().Add(time.Minute))
		})
	}
}

// What was announced holds for content that a bucket took in one piece, too.
func TestContentIsHeldAgainstItsSum(t *testing.T) {
	store := newS3(t, service(t))
	library := libraryOfParts(t, store)
	film := threeParts()
	s := announce(t, library, film, sumOf([]byte("another")))
	address, err := library.UploadURL(t.Context(), s.upload.ID, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if status := put(t, address, film); status != http.StatusOK {
		t.Fatalf("upload: %d", status)
	}
	_, err = library.Accept(t.Context(), s.upload)
	wantError(t, err, schema.Refused)
	wantVisited(t, store, time.Now().Add(time.Minute))
}
