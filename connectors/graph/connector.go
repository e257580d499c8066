package graph

import (
	"cmp"
	"context"
	"strings"

	"crier/connectors"
	"crier/schema"
)

// Connector is what the connectors of instagram and threads share. Their tokens are traded for themselves.
type Connector struct {
	Consent
	Client     *connectors.Client
	Base       string // of the API, without a version
	Containers Containers

	version string // in the addresses of the API
	prefix  string // of the platform's grant types
}

// NewConnector makes it, without its Containers.
func NewConnector(c Consent, p connectors.Parts, base, version, prefix string) Connector {
	return Connector{
		Consent: c, Client: p.Client, Base: strings.TrimRight(cmp.Or(p.Base, base), "/"), version: version, prefix: prefix,
	}
}

// Scopes implements connectors.Scoped.
func (c *Connector) Scopes() connectors.Scopes { return c.Consent.Scopes }

// Prepare makes the entry's containers and looks once at each that is not ready.
func (c *Connector) Prepare(ctx context.Context, d schema.Delivery) (schema.Progress, error) {
	return c.Containers.Prepare(ctx, d)
}

// Call is one of an account. The token goes in a header, which no address shows.
func (c *Connector) Call(d schema.Delivery, method, path, operation string) connectors.Call {
	return connectors.Call{
		Operation: operation, Method: method, URL: c.Base + c.version + path,
		Token: d.Credentials.AccessToken, Account: d.Account.ID,
	}
}
