package answer

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/gin-gonic/gin"

	"crier/schema"
)

// JSONType is the content type of answers.
const JSONType = "application/json; charset=utf-8"

// JSON answers with a view, whose encoding cannot fail: it returns nil, as the end of a handler.
func JSON(c *gin.Context, status int, view any) error {
	c.Data(status, JSONType, Encode(view))
	return nil
}

// Named answers with a view under its name, and with warnings where there are some.
func Named(c *gin.Context, status int, name string, view any, warnings []schema.Detail) error {
	return Several(c, status, map[string]any{name: view}, warnings)
}

// Several is Named for several views.
func Several(c *gin.Context, status int, views map[string]any, warnings []schema.Detail) error {
	views["success"] = true
	if len(warnings) > 0 {
		views["warnings"] = warnings
	}
	return JSON(c, status, views)
}

// Page answers with a page of a list.
func Page(c *gin.Context, name string, views any, at Pagination, warnings []schema.Detail) error {
	return Several(c, http.StatusOK, map[string]any{name: views, "pagination": at}, warnings)
}

// Done answers with what was done.
func Done(c *gin.Context, message string) error {
	return JSON(c, http.StatusOK, Message{Success: true, Message: message})
}

// Created answers a request that made something, or that repeats one.
func Created(c *gin.Context, created schema.Created) {
	if created.Replayed {
		c.Header("Idempotency-Replayed", "true")
	}
	c.Data(http.StatusCreated, JSONType, created.Response)
}

// Encode returns a view as JSON.
func Encode(view any) []byte {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(view); err != nil {
		panic("encoding a view: " + err.Error())
	}
	return bytes.TrimSuffix(body.Bytes(), []byte{'\n'})
}
