package mastodon

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"crier/schema"
)

const (
	// sourceCode is what Mastodon itself names as its source, and no server that is merely
	// compatible.
	sourceCode = "https://github.com/mastodon/mastodon"

	knownFor     = 24 * time.Hour // what a server is; it may be replaced by another
	knownServers = 500            // in a generation of those that are remembered
)

// knownServer is whether a server is Mastodon itself.
type knownServer struct {
	isMastodon bool
	until      time.Time
}

// isOnMastodon reports whether the account's server is Mastodon itself: it answers a repeated
// Idempotency-Key with the first status, and lists all that an account has published. Not every
// compatible server does.
func (c *Connector) isOnMastodon(ctx context.Context, d schema.Delivery) (bool, error) {
	server, now := c.server(d.Account), c.now()
	if known, _ := c.servers.Known(server); now.Before(known.until) {
		return known.isMastodon, nil
	}
	description, err := c.instance(ctx, d.Account, d.Credentials)
	if err != nil {
		return false, err
	}
	c.servers.Put(server, knownServer{description.isMastodon(), now.Add(knownFor)})
	return description.isMastodon(), nil
}

// instance is what a server says of itself (docs.joinmastodon.org/entities/Instance).
type instance struct {
	Version       string          `json:"version"`
	SourceURL     string          `json:"source_url"`
	Configuration json.RawMessage `json:"configuration"`
}

func (i instance) isMastodon() bool {
	isCompatible := strings.Contains(strings.ToLower(i.Version), "compatible")
	return strings.TrimSuffix(i.SourceURL, "/") == sourceCode && i.Version != "" && !isCompatible
}

func (i instance) software() software {
	if i.isMastodon() {
		return mastodonItself
	}
	return compatible
}

// instance asks a server what it is; older ones know the first version of the question alone,
// and what knows neither is nothing.
func (c *Connector) instance(ctx context.Context, a schema.Account, credentials schema.Credentials) (instance, error) {
	for _, operation := range []string{opInstance, opOldInstance} {
		_, path, _ := strings.Cut(operation, " ")
		var description instance
		response, err := c.client.Do(ctx, c.call(a, credentials, http.MethodGet, path, operation), &description)
		if response != nil && response.Status == http.StatusNotFound {
			continue
		}
		if err != nil {
			return instance{}, fmt.Errorf("reading what the server is: %w", err)
		}
		return description, nil
	}
	return instance{}, nil
}
