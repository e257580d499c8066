package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"crier/client"
	"crier/schema"
)

// platformsURI is where the limits of platforms are, each by its name.
const platformsURI = "crier://platforms/"

// addPlatforms adds the limits of each platform as a resource, so that assistants list them all.
func (t *tools) addPlatforms() {
	for _, p := range schema.Platforms() {
		t.server.AddResource(&sdk.Resource{
			URI: platformsURI + p.String(), Name: p.String(), Title: "Limits of " + p.String(), MIMEType: "application/json",
			Description: "What posts on " + p.String() + " are held to: texts, media, first comments.",
		}, t.readPlatform)
	}
}

func (t *tools) readPlatform(ctx context.Context, request *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	uri := request.Params.URI
	limits, err := t.begin(request.Extra, "").Platforms.Get(ctx, client.Platform(strings.TrimPrefix(uri, platformsURI)), "")
	if err != nil {
		return nil, inWords(err)
	}
	encoded, err := json.MarshalIndent(limits, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encoding the limits of a platform: %w", err)
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: "application/json", Text: string(encoded)}}}, nil
}
