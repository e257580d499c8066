package gateway

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"sync"

	"github.com/gin-gonic/gin"
	"github.com/goccy/go-yaml"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/schema/openapi"
)

// description is the resource that describes the API itself, for anybody.
type description struct{ document []byte }

// openAPI is schema/openapi/openapi.yaml, parsed once because it is long. Callers must not change
// it.
var openAPI = sync.OnceValues(func() (document map[string]any, err error) {
	err = yaml.Unmarshal(openapi.Description(), &document)
	return document, err
})

// newDescription encodes schema/openapi/openapi.yaml with the address of this server.
func newDescription(address string) (*description, error) {
	document, err := openAPI()
	if err != nil {
		return nil, fmt.Errorf("reading openapi.yaml: %w", err)
	}
	document = maps.Clone(document)
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
