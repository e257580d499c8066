package gateway

import (
	"bytes"
	"encoding/json"

	"github.com/gin-gonic/gin"
)

const jsonType = "application/json; charset=utf-8"

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
