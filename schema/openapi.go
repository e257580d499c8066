package schema

import (
	_ "embed"
	"slices"
)

//go:embed openapi.yaml
var openAPI []byte

// OpenAPI returns the description of the REST API: OpenAPI 3.1, in YAML.
func OpenAPI() []byte { return slices.Clone(openAPI) }
