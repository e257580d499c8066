package catalog

import (
	"net/http"
	"net/url"

	"crier/connectors/simulators/wall"
	"crier/schema"
)

// fencedClient returns the client as it is, except that it reaches the sandbox only.
// Without a sandbox it reaches nothing.
func fencedClient(client *http.Client, sandboxURL string) (*http.Client, error) {
	copied := *client
	copied.Transport = fence{}
	if sandboxURL == "" {
		return &copied, nil
	}
	address, err := parseSandboxURL(sandboxURL)
	if err != nil {
		return nil, err
	}
	copied.Transport = fence{scheme: address.Scheme, host: address.Host, next: client.Transport}
	return &copied, nil
}

// fence lets requests through to one host only. It stands below redirects: each of
// their requests passes here as well.
type fence struct {
	scheme, host string
	next         http.RoundTripper
}

func (f fence) RoundTrip(r *http.Request) (*http.Response, error) {
	if !f.within(r.URL) {
		if r.Body != nil {
			r.Body.Close() // as a RoundTripper must
		}
		return nil, &schema.Error{Kind: schema.Refused, Message: "an account of the sandbox reaches nothing but the sandbox"}
	}
	return f.next.RoundTrip(wall.Mark(r))
}

func (f fence) within(u *url.URL) bool {
	return f.host != "" && u.Scheme == f.scheme && u.Host == f.host
}
