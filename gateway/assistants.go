package gateway

import (
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/mcp"
	"crier/schema"
)

// assistantsPath is where assistants call this server, by the Model Context Protocol.
const assistantsPath = "/mcp"

// assistants are served by tools that call the API as their key may.
type assistants struct{ handler http.Handler }

// newAssistants serves assistants of the API, which is not called before it is complete.
func newAssistants(api http.Handler, config Config) (*assistants, error) {
	document, err := openAPI()
	if err != nil {
		return nil, fmt.Errorf("reading openapi.yaml: %w", err)
	}
	info, _ := document["info"].(map[string]any)
	version, _ := info["version"].(string)
	return &assistants{mcp.NewHandler(api, config.Addresses.PublicURL, version, config.Logger)}, nil
}

// routes are those of messages. One may have a file fetched, and may take as long.
func (a *assistants) routes() []admission.Route {
	return []admission.Route{admission.Handle(http.MethodPost, assistantsPath, schema.Read, a.serve).Carrying(mcp.Longest)}
}

func (a *assistants) serve(c *gin.Context) error {
	a.handler.ServeHTTP(c.Writer, c.Request)
	return nil
}
