package answer

import (
	"bytes"
	"encoding/json"

	"github.com/gin-gonic/gin"
)

// JSONType is the content type of answers.
const JSONType = "application/json; charset=utf-8"

// JSON answers with a view, whose encoding cannot fail.
func JSON(c *gin.Context, status int, view any) {
	c.Data(status, JSONType, Encode(view))
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
