package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"crier/schema"
)

const jsonType = "application/json; charset=utf-8"

// maxBody bounds the body of a request, in bytes.
const maxBody = 1 << 20

// respond answers with a view. Views always encode: they hold no value that could not.
func respond(c *gin.Context, status int, view any) {
	c.Data(status, jsonType, encode(view))
}

func encode(view any) []byte {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(view); err != nil {
		panic("encoding a view: " + err.Error())
	}
	return bytes.TrimSuffix(body.Bytes(), []byte{'\n'})
}

// readBody reads the body of a request into memory, up to its bound.
func readBody(c *gin.Context) ([]byte, error) { return readBodyOf(c, maxBody) }

// readBodyOf reads a body of at most the given bytes.
func readBodyOf(c *gin.Context, most int64) ([]byte, error) {
	var body bytes.Buffer
	if length := c.Request.ContentLength; length > 0 && length <= most {
		body.Grow(int(length) + bytes.MinRead)
	}
	_, err := body.ReadFrom(http.MaxBytesReader(c.Writer, c.Request.Body, most))
	if err == nil {
		return body.Bytes(), nil
	}
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		message := fmt.Sprintf("the body of a request must not be larger than %d MiB", most>>20)
		return nil, &schema.Error{Kind: schema.PayloadTooLarge, Message: message, Err: err}
	}
	return nil, &schema.Error{Kind: schema.Invalid, Message: "the body of the request did not arrive whole", Err: err}
}

// readForm reads a request's body as an object of JSON.
func readForm(c *gin.Context) (*form, error) {
	body, err := readBody(c)
	if err != nil {
		return nil, err
	}
	return formOf(body)
}

// readOptionalForm reads a body that may be left out.
func readOptionalForm(c *gin.Context) (*form, error) {
	body, err := readBody(c)
	if err != nil {
		return nil, err
	}
	if len(body) == 0 {
		body = []byte("{}")
	}
	return formOf(body)
}

func formOf(body []byte) (*form, error) {
	root, err := parseDocument(body)
	if err != nil {
		return nil, err
	}
	return newForm(root, &report{body: body}), nil
}

// timeLayout is ISO 8601, to the millisecond.
const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// moment is a time as the API shows it: UTC, to the millisecond.
type moment time.Time

// MarshalText writes ISO 8601.
func (m moment) MarshalText() ([]byte, error) {
	return time.Time(m).UTC().AppendFormat(nil, timeLayout), nil
}

// shownTime returns a time as moment writes it, and nothing for one that is not known.
func shownTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(timeLayout)
}

// IsZero lets omitzero leave out a time that is not known.
func (m moment) IsZero() bool { return time.Time(m).IsZero() }

// orNull returns nil for the zero time, for fields that are shown as null.
func orNull(t time.Time) *moment {
	if t.IsZero() {
		return nil
	}
	m := moment(t)
	return &m
}
