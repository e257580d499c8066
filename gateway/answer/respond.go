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

// JSON answers with a view, whose encoding cannot fail.
func JSON(c *gin.Context, status int, view any) {
	c.Data(status, JSONType, Encode(view))
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
