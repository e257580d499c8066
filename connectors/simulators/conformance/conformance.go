package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

// docsVariable names the folder of the platforms' descriptions.
const docsVariable = "CRIER_PLATFORM_DOCS"

// Exchange is one request and its answer, whole.
type Exchange struct {
	Method        string
	URL           *url.URL // path and query
	RequestHeader http.Header
	RequestBody   []byte
	Status        int
	Header        http.Header
	Body          []byte
}

// Checker holds exchanges against one platform's description.
type Checker struct {
	// violations says in what an exchange departs from the description.
	violations func(Exchange) []string
	checked    atomic.Int64
}

// Checked returns how many exchanges were checked.
func (c *Checker) Checked() int { return int(c.checked.Load()) }

// Report says how many exchanges were checked, and fails where there were none.
func (c *Checker) Report(t testing.TB) {
	t.Helper()
	if c.Checked() == 0 {
		t.Error("nothing was checked")
	}
	t.Logf("%d exchanges", c.Checked())
}

// Watch has the exchanges with a simulator checked for which covers reports that the description is of
// them, and which it may rewrite into what that knows; nil: all are.
func (c *Checker) Watch(t testing.TB, covers func(*Exchange) bool) func(http.Handler) http.Handler {
	return func(simulator http.Handler) http.Handler {
		return Watch(simulator, func(e Exchange) {
			if covers == nil || covers(&e) {
				c.Check(t, e)
			}
		})
	}
}

// serialized lets one exchange be checked at a time: schemas are compiled on first use.
func serialized(violations func(Exchange) []string) func(Exchange) []string {
	var mu sync.Mutex
	return func(e Exchange) []string {
		mu.Lock()
		defer mu.Unlock()
		return violations(e)
	}
}

// Check fails the test for everything in which an exchange departs from the
// platform's description. A request that was refused may depart from it: that may be
// why.
func (c *Checker) Check(t testing.TB, e Exchange) {
	t.Helper()
	c.checked.Add(1)
	for _, violation := range c.violations(e) {
		t.Errorf("%s %s → %d: %s", e.Method, e.URL.Path, e.Status, violation)
	}
}

// Watch passes requests on and shows every exchange to see, which may be called from
// several goroutines at once.
func Watch(next http.Handler, see func(Exchange)) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		sent, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler) // the client is gone
		}
		r.Body = io.NopCloser(bytes.NewReader(sent))
		answer := &capture{ResponseWriter: rw, status: http.StatusOK}
		next.ServeHTTP(answer, r)
		see(Exchange{
			Method: r.Method, URL: r.URL, RequestHeader: r.Header, RequestBody: sent,
			Status: answer.status, Header: rw.Header(), Body: answer.body.Bytes(),
		})
		rw.WriteHeader(answer.status)
		rw.Write(answer.body.Bytes())
	})
}

// capture holds an answer back until it was seen: afterwards the test may be over.
type capture struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (c *capture) WriteHeader(status int)      { c.status = status }
func (c *capture) Write(p []byte) (int, error) { return c.body.Write(p) }

// descriptionPath returns the path of a platform's description.
func descriptionPath(t testing.TB, path string) string {
	t.Helper()
	folder := os.Getenv(docsVariable)
	if folder == "" {
		t.Fatalf("%s must name the folder that holds %s", docsVariable, path)
	}
	return filepath.Join(folder, path)
}

// readDescription decodes a platform's description.
func readDescription(t testing.TB, path string, into any) {
	t.Helper()
	content, err := os.ReadFile(descriptionPath(t, path))
	if err != nil {
		t.Fatalf("reading description: %v", err)
	}
	if err := json.Unmarshal(content, into); err != nil {
		t.Fatalf("reading description %s: %v", path, err)
	}
}

// decode reads one JSON value; numbers stay as they are written.
func decode(content []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("something follows the JSON value")
	}
	return value, nil
}

// form is the fields of a form; files stand under the name of their field.
type form struct {
	values url.Values
	files  map[string]string // file name by field
}

func (e Exchange) isRefused() bool { return e.Status >= http.StatusBadRequest }

// mediaType returns the type of a body without its parameters.
func mediaType(header http.Header) string {
	name, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return name
}

// readForm reads the body of a request as a form of either kind.
func (e Exchange) readForm() (form, error) {
	r := http.Request{Method: e.Method, URL: &url.URL{}, Header: e.RequestHeader, Body: io.NopCloser(bytes.NewReader(e.RequestBody))}
	read := form{files: map[string]string{}}
	if mediaType(e.RequestHeader) != "multipart/form-data" {
		err := r.ParseForm()
		read.values = r.PostForm
		return read, err
	}
	if err := r.ParseMultipartForm(int64(len(e.RequestBody)) + 1); err != nil {
		return read, err
	}
	read.values = r.MultipartForm.Value
	for field, files := range r.MultipartForm.File {
		read.files[field] = files[0].Filename
	}
	return read, nil
}
