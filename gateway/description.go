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
type description struct{ document func() ([]byte, error) }

// openAPI is schema/openapi/openapi.yaml, parsed once because it is long. Callers must not change
// it.
var openAPI = sync.OnceValues(func() (document map[string]any, err error) {
	err = yaml.Unmarshal(openapi.Description(), &document)
	return document, err
})

// newDescription has schema/openapi/openapi.yaml with the address of this server. It is encoded when
// somebody asks for it.
func newDescription(address string) *description {
	return &description{sync.OnceValues(func() ([]byte, error) {
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
		return encoded, nil
	})}
}

func (d *description) routes() []admission.Route {
	return []admission.Route{admission.Handle(http.MethodGet, "/openapi.json", admission.Public, d.get)}
}

func (d *description) get(c *gin.Context) error {
	document, err := d.document()
	if err != nil {
		return err
	}
	c.Data(http.StatusOK, answer.JSONType, document)
	return nil
}
