package body

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"
	"github.com/gin-gonic/gin/binding"

	"crier/schema"
)

// maxBody bounds the body of a request, in bytes.
const maxBody = 1 << 20

// ReadBody reads the body of a request, of at most maxBody.
func ReadBody(c *gin.Context) ([]byte, error) { return ReadBodyOf(c, maxBody) }

// ReadBodyOf reads a body of at most the given bytes.
func ReadBodyOf(c *gin.Context, maximum int64) ([]byte, error) {
	var body bytes.Buffer
	if length := c.Request.ContentLength; length > 0 && length <= maximum {
		body.Grow(int(length) + bytes.MinRead)
	}
	_, err := body.ReadFrom(http.MaxBytesReader(c.Writer, c.Request.Body, maximum))
	if err == nil {
		return body.Bytes(), nil
	}
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		message := fmt.Sprintf("the body of a request must not be larger than %d MiB", maximum>>20)
		return nil, &schema.Error{Kind: schema.PayloadTooLarge, Message: message, Err: err}
	}
	return nil, &schema.Error{Kind: schema.Invalid, Message: "the body of the request did not arrive whole", Err: err}
}

// ReadForm reads a request's body as an object of JSON.
func ReadForm(c *gin.Context) (*Form, error) {
	body, err := ReadBody(c)
	if err != nil {
		return nil, err
	}
	return parseBody(c, body)
}

// ReadOptionalForm is ReadForm for a body that may be empty.
func ReadOptionalForm(c *gin.Context) (*Form, error) {
	body, err := ReadBody(c)
	if err != nil {
		return nil, err
	}
	if len(body) == 0 {
		body = []byte("{}")
	}
	return parseBody(c, body)
}

// parseBody reads an object of JSON, whatever type the request says its body has: curl -d says that
// of a form of what is JSON. One that is in fact a form is told what is wanted.
func parseBody(c *gin.Context, body []byte) (*Form, error) {
	f, err := ParseForm(body)
	kind, text := c.ContentType(), bytes.TrimSpace(body)
	if err == nil || len(text) == 0 || slices.Contains([]byte("{["), text[0]) {
		return f, err
	}
	if kind != binding.MIMEPOSTForm && kind != binding.MIMEMultipartPOSTForm {
		return f, err
	}
	return f, schema.InvalidField("body", "malformed_json",
		"the body is a form ("+kind+"), and JSON is wanted: an object such as {\"name\": \"value\"} with Content-Type: application/json")
}

// ParseForm reads an object of JSON.
func ParseForm(body []byte) (*Form, error) {
	root, err := parseDocument(body)
	if err != nil {
		return nil, err
	}
	return NewForm(root, &Report{Body: body}), nil
}
