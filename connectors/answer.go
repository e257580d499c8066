package connectors

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"time"

	"crier/schema"
)

// Response is a platform's answer, whole.
type Response struct {
	Status int
	Header http.Header
	Body   []byte // at most 1 MiB; cut there when Oversized
	// Oversized: the body was longer.
	Oversized bool
}

const largestAnswer = 1 << 20

func read(raw *http.Response) (*Response, error) {
	defer raw.Body.Close()
	body, err := io.ReadAll(io.LimitReader(raw.Body, largestAnswer+1))
	if err != nil {
		return nil, &brokenAnswerError{raw.StatusCode, len(body), err}
	}
	response := &Response{Status: raw.StatusCode, Header: raw.Header, Body: body}
	if len(body) > largestAnswer {
		response.Body, response.Oversized = body[:largestAnswer], true
	}
	replaceNUL(response.Body)
	return response, nil
}

// brokenAnswerError is the error of an answer that began and did not come whole.
type brokenAnswerError struct {
	status int
	bytes  int // of its body that came
	err    error
}

func (b *brokenAnswerError) Error() string {
	return fmt.Sprintf("reading an answer of status %d after %d bytes: %v", b.status, b.bytes, b.err)
}

func (b *brokenAnswerError) Unwrap() error { return b.err }

// replaceNUL replaces each escaped U+0000 in JSON by a space: PostgreSQL stores none in a
// text, and a server that users name may send anything.
func replaceNUL(body []byte) {
	for i := 0; ; i += 2 { // an escape is of two characters at least
		escape := bytes.IndexByte(body[i:], '\\')
		if escape < 0 || i+escape+1 >= len(body) {
			return
		}
		i += escape
		if bytes.HasPrefix(body[i:], []byte(`\u0000`)) {
			copy(body[i:], `\u0020`)
		}
	}
}

// judge returns the error that an answer means; nil for a success, which it decodes into
// out.
func (c *Client) judge(call Call, response *Response, out any) *schema.Error {
	switch {
	case response.Status/100 == 2:
		return decode(call, response, out)
	case response.Status == call.Accepts:
		return nil
	}
	judged := c.answers.Error(call, response)
	if judged == nil {
		judged = &schema.Error{Kind: kindOf(call, response), Message: platformWords(response)}
	}
	if judged.Kind == schema.Unknown {
		judged.Kind = lost(call)
	}
	if judged.RetryAfter == 0 && judged.Kind == schema.RateLimited {
		judged.RetryAfter = retryAfter(response.Header, c.now())
	}
	judged.Message = call.secrets().scrub(bounded(judged.Message))
	if judged.Err == nil {
		judged.Err = fmt.Errorf("%s: status %d", call.Operation, response.Status)
	}
	return judged
}

// decode reads the JSON of a successful answer. One that cannot be understood may be a
// proxy's page: whether the platform did anything is not known.
func decode(call Call, response *Response, out any) *schema.Error {
	if out == nil {
		return nil
	}
	err, what := errors.New("answer is over its bound"), fmt.Sprintf("it is larger than %d MiB", largestAnswer>>20)
	if !response.Oversized {
		if err = json.Unmarshal(response.Body, out); err == nil {
			return nil
		}
		what = notJSON(response)
	}
	return &schema.Error{
		Kind: lost(call), Message: "the platform's answer could not be understood: " + what,
		Err: fmt.Errorf("decoding answer of %s: %w", call.Operation, call.secrets().scrubError(err)),
	}
}

// notJSON says what an answer is that is not the JSON it should be.
func notJSON(response *Response) string {
	of := fmt.Sprintf("%d bytes", len(response.Body))
	kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err == nil {
		of += " of " + bounded(kind)
	}
	return fmt.Sprintf("status %d with %s", response.Status, of)
}

// fault says what a failing server did, in crier's words alone: what it says itself may be meant for
// the account whose call it was.
func fault(response *Response, err error) string {
	if response != nil && response.Status/100 != 2 {
		return fmt.Sprintf("the platform answered %d %s", response.Status, http.StatusText(response.Status))
	}
	if e, ok := errors.AsType[*schema.Error](err); ok {
		return e.Message
	}
	return ""
}

// platformWords is the message of an answer in a form that is common, else its status.
func platformWords(response *Response) string {
	if text := platformMessage(response.Body); text != "" {
		return text
	}
	return fmt.Sprintf("the platform answered %d %s", response.Status, http.StatusText(response.Status))
}

// kindOf is the default mapping of a status to the kind of an error.
func kindOf(call Call, response *Response) schema.ErrorKind {
	switch status := response.Status; {
	case status == http.StatusTooManyRequests:
		return schema.RateLimited
	case status == http.StatusUnauthorized:
		return schema.TokenDead
	case status == http.StatusTooEarly:
		return schema.Retryable
	case status == http.StatusServiceUnavailable && !call.Visible && response.Header.Get("Retry-After") != "":
		return schema.RateLimited
	case status == http.StatusFound || status == http.StatusSeeOther || status == http.StatusRequestTimeout:
		return lost(call) // the call may have been carried out
	case status >= 500 || status < 300:
		return lost(call)
	default:
		return schema.Refused
	}
}

var waitHeaders = [...]string{"Retry-After", "X-Ratelimit-Reset", "X-Rate-Limit-Reset", "Ratelimit-Reset"}

// saysWhen reports whether the headers name a wait.
func saysWhen(header http.Header) bool {
	return slices.ContainsFunc(waitHeaders[:], func(name string) bool { return header.Get(name) != "" })
}

// retryAfter reads when a platform wants to be called again: Retry-After (RFC 9110,
// 10.2.3), else one of the reset headers in use, which hold seconds from now, seconds
// or milliseconds of Unix time, or a date.
func retryAfter(header http.Header, now time.Time) time.Duration {
	for _, name := range waitHeaders {
		if wait := waitOf(header.Get(name), now); wait > 0 {
			return min(wait, longestThrottle)
		}
	}
	return 0
}

func waitOf(value string, now time.Time) time.Duration {
	const (
		oldestSecond = 1e9  // 2001: smaller numbers are a wait
		oldestMilli  = 1e12 // 2001 in milliseconds
	)
	number, err := strconv.ParseInt(value, 10, 64)
	switch {
	case err == nil && number < oldestSecond:
		return time.Duration(number) * time.Second
	case err == nil && number < oldestMilli:
		return time.Unix(number, 0).Sub(now)
	case err == nil:
		return time.UnixMilli(number).Sub(now)
	}
	if at, err := http.ParseTime(value); err == nil {
		return at.Sub(now)
	}
	if at, err := time.Parse(time.RFC3339, value); err == nil {
		return at.Sub(now)
	}
	return 0
}

// Created is an answer that names what was made.
type Created struct {
	ID string `json:"id"`
}

// Answerer is a platform, by the name that messages about its answers use.
type Answerer string

// Strange is the error of an answer that says nothing.
func (a Answerer) Strange(what string) *schema.Error {
	return &schema.Error{Kind: schema.Retryable, Message: string(a) + "'s answer " + what}
}

// Unnamed is the error of an answer to a visible call that does not name what was made: something may have been.
func (a Answerer) Unnamed(what string) *schema.Error {
	return &schema.Error{Kind: schema.Unknown, Message: string(a) + "'s answer names no " + what}
}
