package answer

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"math"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"crier/schema"
)

// retryUnavailable is how long a caller is asked to wait when a part of crier does not
// answer.
const retryUnavailable = 2 * time.Second

// Error is an error as the API shows it.
type Error struct {
	Code          string          `json:"code"`
	Message       string          `json:"message"`
	Documentation string          `json:"documentation"`
	Details       []schema.Detail `json:"details,omitempty"`
}

type failureView struct {
	Success bool  `json:"success"` // always false
	Error   Error `json:"error"`
}

// Failures turns errors into answers.
type Failures struct {
	Logger        *slog.Logger
	Documentation string                       // address of the pages that explain the codes
	About         func(*gin.Context) slog.Attr // log attributes of a request
	OAuth         []string                     // routes whose failures have OAuth's shape
}

// OAuthFailure is an error as clients of OAuth read it (RFC 6749, 5.2).
type OAuthFailure struct {
	Error       string `json:"error"`
	Description string `json:"error_description"`
}

// oauthCode returns the code of OAuth for a kind of error.
func oauthCode(k schema.ErrorKind) string {
	switch k {
	case schema.RateLimitExceeded:
		return "slow_down"
	case schema.Unavailable:
		return "temporarily_unavailable"
	case schema.Internal:
		return "server_error"
	default:
		return "invalid_request"
	}
}

// Fail is the only place where an error becomes a response. A fault of crier's own is
// logged here, and the response says nothing of it.
func (f Failures) Fail(c *gin.Context, err error) {
	if schema.KindOf(err) == schema.Unknown {
		f.Logger.WarnContext(c.Request.Context(), "outcome unknown: connection cut", f.About(c), slog.Any("err", err))
		panic(http.ErrAbortHandler) // it may have been committed or not, so no answer would be true
	}
	e := Actionable(err)
	if e.Kind == schema.Internal {
		f.Logger.ErrorContext(c.Request.Context(), "request failed", f.About(c), slog.Any("err", err))
	}
	if e.Kind == schema.Unavailable && !errors.Is(err, context.Canceled) { // a client that left is not worth a line
		f.Logger.WarnContext(c.Request.Context(), "request turned away", f.About(c), slog.Any("err", err))
	}
	if e.RetryAfter > 0 {
		c.Header("Retry-After", strconv.Itoa(int(math.Ceil(e.RetryAfter.Seconds()))))
	}
	if e.Kind == schema.Unauthorized {
		c.Header("WWW-Authenticate", "Bearer")
	}
	c.Abort()
	if slices.Contains(f.OAuth, c.FullPath()) {
		c.Data(problemOf(e.Kind).Status, JSONType, Encode(OAuthFailure{oauthCode(e.Kind), e.Message}))
		return
	}
	c.Data(problemOf(e.Kind).Status, JSONType, Encode(failureView{Error: f.View(e)}))
}

// View returns an error as it is shown, also inside of an answer.
func (f Failures) View(e *schema.Error) Error {
	code := problemOf(e.Kind).Code
	message := e.Message
	if list := lists[message]; list != "" && e.Kind == schema.NotFound {
		message += ": GET " + list + " lists those there are"
	}
	return Error{Code: code, Message: message, Documentation: f.Documentation + code, Details: e.Details}
}

// lists are the paths that list what was not found, by the message that says so.
var lists = map[string]string{
	"account not found": "/accounts", "brand not found": "/brands", "queue not found": "/queues", "webhook not found": "/webhooks",
	"monitor not found": "/feeds/keywords", "media not found": "/media", "key not found": "/keys",
}

// Actionable returns an error as the caller is told of it.
func Actionable(err error) *schema.Error {
	e, ok := errors.AsType[*schema.Error](err)
	if ok && problemOf(e.Kind).Code != "internal_error" {
		if e.Kind == schema.Unavailable && e.RetryAfter == 0 {
			return unavailable(err)
		}
		return e
	}
	if isLost(err) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return unavailable(err)
	}
	return &schema.Error{Kind: schema.Internal, Message: "internal error", Err: err}
}

// isLost reports whether a connection failed. A syscall.Errno of a file also implements
// net.Error, but a failing disk is a fault of ours.
func isLost(err error) bool {
	if _, ofFile := errors.AsType[*fs.PathError](err); ofFile {
		return false
	}
	_, lost := errors.AsType[net.Error](err)
	return lost
}

func unavailable(cause error) *schema.Error {
	return &schema.Error{
		Kind: schema.Unavailable, RetryAfter: retryUnavailable, Err: cause,
		Message: "the service cannot answer at the moment; the same request may be sent again",
	}
}
