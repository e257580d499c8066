package media

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"crier/schema"
)

// How long a request that brings content may take, however much it is.
const (
	transferLimit = 15 * time.Minute
	uploadLimit   = time.Hour // at an address of its own, and of what platforms take: 4 GiB at 10 Mbit/s
	fetchLimit    = 5 * time.Minute
	completeLimit = 10 * time.Minute // of looking through what has come
	answerGrace   = 20 * time.Second // for the answer, once the content has come
	writeGrace    = 20 * time.Second // for the next 32 KiB of content that is served
)

// transfer is the body of a request that carries a file. Every read moves its deadline on
// by what the slowest line needs for as much; the last deadline stands.
type transfer struct {
	announced int64 // bytes; -1: not known
	body      io.Reader
	control   *http.ResponseController
	began     time.Time
	read      int64
	max       int64
	limit     time.Duration
}

// newTransfer takes the body of a request, of at most the given bytes and within a limit.
func newTransfer(c *gin.Context, maximum int64, limit time.Duration) *transfer {
	return &transfer{
		announced: c.Request.ContentLength,
		body:      http.MaxBytesReader(c.Writer, c.Request.Body, maximum),
		control:   http.NewResponseController(c.Writer), began: time.Now(), max: maximum, limit: limit,
	}
}

func (t *transfer) Read(p []byte) (int, error) {
	if t.announced > t.max {
		return 0, t.tooLarge(nil)
	}
	deadline := t.began.Add(min(schema.TransferTime(t.read), t.limit))
	// The answer has to be written after the last byte. A connection that takes no deadline
	// is none of net/http's; then the request's own time limits it.
	_ = errors.Join(t.control.SetReadDeadline(deadline), t.control.SetWriteDeadline(deadline.Add(answerGrace)))
	n, err := t.body.Read(p)
	t.read += int64(n)
	if err == nil || errors.Is(err, io.EOF) {
		return n, err
	}
	return n, t.failure(err)
}

// failure tells a body that is too large from one that did not arrive.
func (t *transfer) failure(err error) error {
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return t.tooLarge(err)
	}
	return &schema.Error{Kind: schema.Invalid, Message: "the body of the request did not arrive whole, or too slowly", Err: err}
}

func (t *transfer) tooLarge(cause error) error {
	return &schema.Error{
		Kind: schema.PayloadTooLarge, Message: fmt.Sprintf("the upload must not be larger than %d MB", t.max>>20), Err: cause,
	}
}

// prolong lets an answer take its time.
func prolong(c *gin.Context, limit time.Duration) {
	_ = http.NewResponseController(c.Writer).SetWriteDeadline(time.Now().Add(limit)) // as in transfer
}

// served is the answer to a request that takes a file. Every write moves its deadline on:
// a reader that has stopped to read is not waited for.
type served struct {
	http.ResponseWriter
	control *http.ResponseController
	end     time.Time
}

func newServed(c *gin.Context) *served {
	return &served{c.Writer, http.NewResponseController(c.Writer), time.Now().Add(uploadLimit)}
}

func (s *served) Write(p []byte) (int, error) {
	deadline := time.Now().Add(writeGrace)
	if deadline.After(s.end) {
		deadline = s.end
	}
	_ = s.control.SetWriteDeadline(deadline) // as in transfer
	return s.ResponseWriter.Write(p)
}
