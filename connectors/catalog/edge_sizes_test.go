package catalog_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"crier/connectors/catalog"
	"crier/schema"
)

// maxSent is how much of a file is sent in parts: that a platform takes more of it says nothing about the
// size, which it was told before the first.
const maxSent = 16 << 20

// publishTo publishes what is at an edge, or beyond it, of which a file in parts is not sent to its end. The
// error is a refusal.
func (s *edgeStage) publishTo(t *testing.T, a schema.Account, p, passing piece, size int64) error {
	t.Helper()
	s.wire.reset(size, 0)
	defer s.wire.reset(0, 0)
	err := s.publish(t, a, p, passing)
	switch {
	case errors.Is(err, errEnough):
		return nil
	case err != nil && schema.KindOf(err) != schema.Refused:
		t.Fatalf("neither published nor refused: %v", err)
	}
	return err
}

// holdSize has a platform see a file that is one byte larger than its connector believes, which sends
// nothing that it knows to be too large.
func (s *edgeStage) holdSize(t *testing.T, a schema.Account, c schema.Constraints, e edge) {
	t.Helper()
	wide := a
	wide.Limits = schema.PlatformLimits
	isWider := len(s.validate(wide, c.For(&wide), e.beyond)) == 0
	larger := *e.at
	larger.text += " and more"
	larger.files = slices.Clone(larger.files)
	if catalog.Constraints(a.Platform).Pulls {
		larger.files[0].content.Size++
	}
	s.wire.reset(e.size, 1)
	defer s.wire.reset(0, 0)
	err := s.publish(t, wide, larger, *e.at)
	if isTaken := err == nil || errors.Is(err, errEnough); isTaken != isWider {
		t.Errorf("of one byte more the simulator says %v; taken by the platform's limits: %t", err, isWider)
	}
}

// errEnough ends an upload of which the platform has taken the first parts.
var errEnough = errors.New("enough was sent")

// wire carries the calls of connectors to the simulators, and files to simulators that fetch them.
type wire struct {
	files      *fileServer
	simulators http.Handler
	sockets    *http.Transport

	size int64 // of the file that is held to an edge; 0: none is
	more int64 // by how much it is larger than its connector says
	sent int64 // of the file, in parts
}

func (w *wire) reset(size, more int64) { w.size, w.more, w.sent = size, more, 0 }

// RoundTrip implements http.RoundTripper.
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host == w.files.host() {
		return w.files.answer(r), nil
	}
	isPart := r.ContentLength > maxNamed && r.ContentLength < w.size
	switch {
	case w.size == 0:
	case isPart && (w.sent > maxSent || w.more > 0): // of the larger file it was told before
		return nil, errEnough
	case isPart:
		w.sent += r.ContentLength
	case r.ContentLength > maxNamed:
		defer r.Body.Close()
		answered := httptest.NewRecorder() // through no socket
		w.simulators.ServeHTTP(answered, w.whole(r))
		return answered.Result(), nil
	case w.more > 0:
		r = w.telling(r)
	}
	return w.sockets.RoundTrip(r)
}

// maxNamed bounds the body of a call that tells of a file, and has none of it.
const maxNamed = 64 << 10

// telling returns a call that tells of the larger file.
func (w *wire) telling(r *http.Request) *http.Request {
	was, is := strconv.FormatInt(w.size, 10), strconv.FormatInt(w.size+w.more, 10)
	r = r.Clone(r.Context())
	for _, values := range r.Header {
		if values[0] == was {
			values[0] = is
		}
	}
	if r.Body == nil {
		return r
	}
	defer r.Body.Close()
	body, _ := io.ReadAll(r.Body) // it is in memory
	body = bytes.ReplaceAll(body, []byte(was), []byte(is))
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return r
}

// whole returns a call that has all of the file, or of the larger one. Nothing but its beginning is read: the
// rest is zeros.
func (w *wire) whole(r *http.Request) *http.Request {
	end := ""
	if _, boundary, isForm := strings.Cut(r.Header.Get("Content-Type"), "boundary="); isForm {
		end = "\r\n--" + boundary + "--\r\n"
	}
	rest := r.ContentLength + w.more - maxNamed - int64(len(end))
	body := io.MultiReader(io.LimitReader(r.Body, maxNamed), io.LimitReader(zeros{}, rest), strings.NewReader(end))
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(body), r.ContentLength+w.more
	return r
}
