package bluesky

import (
	"net/url"
	"strings"
)

// didDocument is the part of an identity that says where it lives (atproto.com/specs/did).
type didDocument struct {
	Service []struct {
		ID       string `json:"id"`
		Endpoint any    `json:"serviceEndpoint"` // other services may have an object here
	} `json:"service"`
}

// pds returns the account's own server, or the one that answered. Behind an entryway
// such as bsky.social only the former knows at once what was written.
func (d didDocument) pds(answered string) string {
	for _, service := range d.Service {
		endpoint, ok := service.Endpoint.(string)
		if !ok || !strings.HasSuffix(service.ID, "#atproto_pds") {
			continue
		}
		if parsed, err := url.Parse(endpoint); err == nil && parsed.Host != "" && isHTTP(parsed.Scheme, answered) {
			return strings.TrimSuffix(endpoint, "/")
		}
	}
	return answered
}

// isHTTP keeps tokens from going out in the clear where they came over TLS.
func isHTTP(scheme, answered string) bool {
	return scheme == "https" || scheme == "http" && strings.HasPrefix(answered, "http://")
}
