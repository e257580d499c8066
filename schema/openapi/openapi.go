// Package openapi is the description of the REST API, of which the client is generated.
package openapi

import (
	_ "embed"
	"slices"
)

//go:embed openapi.yaml
var description []byte

// Description returns the description: OpenAPI 3.1, in YAML.
func Description() []byte { return slices.Clone(description) }
