package media

import (
	"bytes"
	"cmp"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rclone/gofakes3"
	"github.com/rclone/gofakes3/s3mem"

	"crier/schema"
)

// faulty is an S3 with a fault before it; signatures are not verified.
func faulty(t *testing.T, fault func(rw http.ResponseWriter, r *http.Request, next http.Handler)) (*S3, *s3mem.Backend) {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket(t.Context(), bucket); err != nil {
		t.Fatal(err)
	}
	next := gofakes3.New(backend).Server()
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { fault(rw, r, next) }))
	t.Cleanup(server.Close)
	return newS3(t, s3At(t, server.URL, secretKey)), backend
}

// undecoded stores the framing of an aws-chunked body, as some servers do.
func undecoded(rw http.ResponseWriter, r *http.Request, next http.Handler) {
	if strings.HasPrefix(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING-") {
		r.Header.Del("X-Amz-Content-Sha256")
		r.Header.Del("X-Amz-Decoded-Content-Length")
	}
	next.ServeHTTP(rw, r)
}

// storing replaces what is sent by what a function makes of it.
func storing(change func([]byte) []byte) func(http.ResponseWriter, *http.Request, http.Handler) {
	return func(rw http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method == http.MethodPut && r.Header.Get("X-Amz-Copy-Source") == "" {
			sent, err := io.ReadAll(r.Body)
			if err != nil {
				panic(err)
			}
			changed := change(sent)
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(changed)), int64(len(changed))
			r.Header.Set("Content-Length", strconv.Itoa(len(changed)))
		}
		next.ServeHTTP(rw, r)
	}
}

func forbidding(method string) func(http.ResponseWriter, *http.Request, http.Handler) {
	return func(rw http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method != method {
			next.ServeHTTP(rw, r)
			return
		}
		rw.Header().Set("Content-Type", "application/xml")
		rw.WriteHeader(http.StatusForbidden)
		io.WriteString(rw, `<Error><Code>AccessDenied</Code><Message>Access Denied.</Message></Error>`)
	}
}

// otherETags answers as a server does whose ETags are no MD5s, since it encrypts.
func otherETags(rw http.ResponseWriter, r *http.Request, next http.Handler) {
	r.Header.Del("If-Match") // of one of these
	next.ServeHTTP(etagless{rw}, r)
}

type etagless struct{ http.ResponseWriter }

func (e etagless) WriteHeader(status int) {
	if e.Header().Get("ETag") != "" {
		e.Header().Set("ETag", `"0123456789abcdef0123456789abcdef"`)
	}
	e.ResponseWriter.WriteHeader(status)
}

func (e etagless) Write(p []byte) (int, error) {
	if e.Header().Get("ETag") != "" {
		e.Header().Set("ETag", `"0123456789abcdef0123456789abcdef"`)
	}
	return e.ResponseWriter.Write(p)
}

func corrupted(sent []byte) []byte {
	sent[len(sent)-1] ^= 1
	return sent
}

func halved(sent []byte) []byte { return sent[:len(sent)/2] }

func TestS3ThatDoesNotKeepWhatWasSent(t *testing.T) {
	both := func(fault func(http.ResponseWriter, *http.Request, http.Handler)) func(http.ResponseWriter, *http.Request, http.Handler) {
		return func(rw http.ResponseWriter, r *http.Request, next http.Handler) {
			otherETags(rw, r, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { fault(rw, r, next) }))
		}
	}
	for name, tt := range map[string]struct {
		fault   func(http.ResponseWriter, *http.Request, http.Handler)
		trouble string // in the error of an upload; empty: it is kept as it is
		check   string // in that of the check at the start; empty: that of the upload
	}{
		"no decoding of aws-chunked":        {fault: undecoded},
		"ETags that are no MD5s":            {fault: otherETags},
		"half of it":                        {fault: storing(halved), trouble: "bytes where"},
		"another byte":                      {fault: storing(corrupted), trouble: "other bytes than were sent"},
		"another byte, and ETags like that": {fault: both(storing(corrupted)), trouble: "other bytes than were sent"},
		"no word about it":                  {fault: forbidding(http.MethodHead), trouble: "does not answer", check: "writing an object: Access Denied"},
	} {
		t.Run(name, func(t *testing.T) {
			store, backend := faulty(t, tt.fault)
			library, arriving := newLibrary(t, store)
			id, picture := schema.NewID[schema.MediaID](time.Now()), picture320x200(t, png.Encode)
			_, err := library.Keep(t.Context(), id, bytes.NewReader(picture), pictures)
			checked := store.Check(t.Context())
			wantNothingLeft(t, arriving)
			if tt.trouble == "" {
				if err != nil || checked != nil {
					t.Fatalf("Keep: %v; Check: %v", err, checked)
				}
				wantContent(t, library, id, picture)
				return
			}
			wantError(t, err, schema.Unavailable)
			if err == nil || !strings.Contains(err.Error(), tt.trouble) {
				t.Errorf("Keep = %v, want %q", err, tt.trouble)
			}
			if want := cmp.Or(tt.check, "writing an object: the media store does not keep uploads as they are sent"); checked == nil || !strings.Contains(checked.Error(), want) {
				t.Errorf("Check = %v, want %q", checked, want)
			}
			if tt.check == "" {
				wantEmpty(t, backend)
			}
		})
	}
}

func wantEmpty(t *testing.T, backend *s3mem.Backend) {
	t.Helper()
	list, err := backend.ListBucket(t.Context(), bucket, &gofakes3.Prefix{}, gofakes3.ListBucketPage{})
	if err != nil || len(list.Contents) > 0 {
		t.Errorf("the bucket has %+v, %v", list, err)
	}
}

func TestCheckOfABucketNamesWhatFails(t *testing.T) {
	for method, want := range map[string]string{
		http.MethodPut:    "writing an object",
		http.MethodGet:    "reading an object",
		http.MethodDelete: "deleting an object",
	} {
		store, _ := faulty(t, forbidding(method))
		if err := store.Check(t.Context()); err == nil || !strings.Contains(err.Error(), want+": Access Denied") {
			t.Errorf("without %s: %v", method, err)
		}
	}
	store, backend := faulty(t, undecoded)
	if err := store.Check(t.Context()); err != nil {
		t.Error(err)
	}
	wantEmpty(t, backend)
}

// Of two that send the same upload at once, the first to look removes nothing of the other's.
func TestS3UploadThatAnotherOvertakes(t *testing.T) {
	var overtake func()
	store, _ := faulty(t, func(rw http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method == http.MethodHead && overtake != nil {
			then := overtake
			overtake = nil
			then()
		}
		next.ServeHTTP(rw, r)
	})
	library, _ := newLibrary(t, store)
	id, ours, theirs := schema.NewID[schema.MediaID](time.Now()), picture320x200(t, png.Encode), picture320x200(t, asJPEG)
	overtake = func() {
		if _, err := library.Keep(t.Context(), id, bytes.NewReader(theirs), pictures); err != nil {
			t.Error(err)
		}
	}
	if facts, err := library.Keep(t.Context(), id, bytes.NewReader(ours), pictures); err != nil || facts.Type != "image/jpeg" {
		t.Errorf("Keep = %+v, %v", facts, err)
	}
	wantContent(t, library, id, theirs)
}
