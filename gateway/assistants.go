package gateway

import (
	"fmt"
	"net/http"
	"sync"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/mcp"
	"crier/schema"
)

// assistantsPath is where assistants call this server, by the Model Context Protocol.
const assistantsPath = "/mcp"

// assistants are served by tools that call the API as their key may. Their schemas are made when the first
// one comes.
type assistants struct{ handler func() (http.Handler, error) }

// newAssistants serves assistants of the API, which is not called before it is complete.
func newAssistants(api http.Handler, config Config) *assistants {
	return &assistants{sync.OnceValues(func() (http.Handler, error) {
		document, err := openAPI()
		if err != nil {
			return nil, fmt.Errorf("reading openapi.yaml: %w", err)
		}
		info, _ := document["info"].(map[string]any)
		version, _ := info["version"].(string)
		return mcp.NewHandler(api, config.Addresses.PublicURL, version, config.Logger), nil
	})}
}

// routes are those of messages. One may have a file fetched, and may take as long.
func (a *assistants) routes() []admission.Route {
	return []admission.Route{admission.Handle(http.MethodPost, assistantsPath, schema.Read, a.serve).Carrying(mcp.Longest)}
}

func (a *assistants) serve(c *gin.Context) error {
	handler, err := a.handler()
	if err != nil {
		return err
	}
	handler.ServeHTTP(c.Writer, c.Request)
	return nil
}
