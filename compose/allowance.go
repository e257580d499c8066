package compose

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"crier/compose/embedded"
	"crier/schema"
)

// allowance is which servers a running process lets accounts have besides public ones over https. It
// stands in the data folder, for commands beside the process.
type allowance struct {
	Bases    map[string]string `json:"bases"` // configured addresses, by platform
	Insecure bool              `json:"insecure"`
}

// announceAllowance stores what this process allows.
func (b *base) announceAllowance(context.Context) error {
	own := allowance{Bases: map[string]string{}, Insecure: b.config.AllowPrivateWebhooks}
	for platform, address := range b.config.Bases {
		own.Bases[platform.String()] = address
	}
	encoded, err := json.Marshal(own)
	if err != nil {
		return fmt.Errorf("announcing allowed servers: %w", err)
	}
	return b.parts.data.AnnounceServing(string(encoded))
}

// follow returns the config of a command with what the process that holds its data folder allows.
// The command's own addresses count for more.
func (c Config) follow() (Config, error) {
	running, err := embedded.Neighbour(c.Data)
	if err != nil || running.Serving == "" {
		return c, nil //nolint:nilerr // nothing runs there, or has said what it allows
	}
	var theirs allowance
	if err := json.Unmarshal([]byte(running.Serving), &theirs); err != nil {
		return c, fmt.Errorf("reading what the running crier allows: %w", err)
	}
	bases := map[schema.Platform]string{}
	for name, address := range theirs.Bases {
		if platform, err := schema.ParsePlatform(name); err == nil {
			bases[platform] = address
		}
	}
	maps.Copy(bases, c.Bases)
	c.Bases = bases
	c.AllowPrivateWebhooks = c.AllowPrivateWebhooks || theirs.Insecure
	return c, nil
}

// accountServer returns the address of an account's server as it is stored. One that is not
// configured has to be reached over https: credentials do not go out in the clear.
func (c Config) accountServer(platform schema.Platform, named string) (string, error) {
	if named == "" {
		return "", nil
	}
	server, err := schema.ParseServer(named)
	if err != nil {
		return "", fmt.Errorf("--server is %q: it %w", named, err)
	}
	if !strings.HasPrefix(server, "https://") && !c.AllowPrivateWebhooks && server != strings.TrimRight(c.Bases[platform], "/") {
		return "", fmt.Errorf("--server is %s: credentials go out over https alone, except to the address of %s that crier serve is given", server, platform)
	}
	return server, nil
}
