package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/goccy/go-yaml"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/schema"
)

// description is the resource that describes the API itself, for anybody.
type description struct{ document []byte }

// newDescription makes the document of schema/openapi.yaml, with where this server is.
func newDescription(address string) (*description, error) {
	var document map[string]any
	if err := yaml.Unmarshal(schema.OpenAPI(), &document); err != nil {
		return nil, fmt.Errorf("reading openapi.yaml: %w", err)
	}
	document["servers"] = []any{map[string]any{"url": address}}
	encoded, err := json.Marshal(document)
	if err != nil {
		return nil, fmt.Errorf("encoding openapi.json: %w", err)
	}
	return &description{encoded}, nil
}

func (d *description) routes() []admission.Route {
	return []admission.Route{admission.Handle(http.MethodGet, "/openapi.json", admission.Public, d.get)}
}

func (d *description) get(c *gin.Context) error {
	c.Data(http.StatusOK, answer.JSONType, d.document)
	return nil
}
