package body

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"

	"crier/schema"
)

// maxBody bounds the body of a request, in bytes.
const maxBody = 1 << 20

// ReadBody reads the body of a request, of at most maxBody.
func ReadBody(c *gin.Context) ([]byte, error) { return ReadBodyOf(c, maxBody) }

// ReadBodyOf reads a body of at most the given bytes.
func ReadBodyOf(c *gin.Context, most int64) ([]byte, error) {
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

// ReadForm reads a request's body as an object of JSON.
func ReadForm(c *gin.Context) (*Form, error) {
	body, err := ReadBody(c)
	if err != nil {
		return nil, err
	}
	return ParseForm(body)
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
	return ParseForm(body)
}

// ParseForm reads an object of JSON.
func ParseForm(body []byte) (*Form, error) {
	root, err := parseDocument(body)
	if err != nil {
		return nil, err
	}
	return NewForm(root, &Report{Body: body}), nil
}
