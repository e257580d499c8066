package oauth

import (
	"net/url"
	"strings"
	"time"

	"crier/connectors"
	"crier/schema"
)

// Dialect is how a platform speaks OAuth 2.0. What is zero is as RFC 6749 has it.
type Dialect struct {
	Platform schema.Platform
	Name     string // of the platform, in messages

	// Page asks people, Tokens gives tokens, Revocation ends them. Where a connector has a base, that
	// stands for their hosts.
	Page, Tokens, Revocation string
	// OpTokens and OpRevocation are their names in metrics and logs.
	OpTokens, OpRevocation string

	ClientID  string     // name of the app's id in a form; empty: client_id
	Separator string     // between scopes on the page; empty: a space
	PKCE      bool       // with SHA-256
	Asks      url.Values // further parameters of the page
	Redeems   url.Values // further parameters of a code's trade

	InAddress bool // the token endpoint is read, with its parameters in the address
	Basic     bool // the app proves itself by the header Authorization, else in the form
	Public    bool // an app without a secret is one as well, and names itself in the form
	Unlimited bool // calls of the token endpoint count in no limit of the account's

	// Life is of an access token where the answer does not say.
	Life time.Duration
	// Once: a refresh token may be used up by its trade, so that a lost answer is Unknown.
	Once bool
	// Renews: a consent without a refresh token is of no use.
	Renews bool
	// Refusals are what the codes of the token endpoint mean in an answer of 4xx: TokenDead, what was
	// given for tokens is none; Refused, the call was wrong. Any other is a refusal of crier's app,
	// and says nothing of the account. nil: refusals mean what they mean anywhere on the platform.
	Refusals map[string]schema.ErrorKind
	// Includes returns granted scopes with all that they include; nil: each is for itself.
	Includes func(granted []string) []string
	// Code reads the code of a refusal; nil: error, as RFC 6749, 5.2 has it.
	Code func(*connectors.Response) string
}

// address returns where an endpoint is.
func address(endpoint, base string) string {
	base = strings.TrimRight(base, "/")
	u, err := url.Parse(endpoint)
	if base == "" || err != nil {
		return endpoint
	}
	return base + u.Path
}

// isOwn reports whether a base is the platform's own host, and moves nothing.
func (d Dialect) isOwn(base string) bool {
	own, err := url.Parse(d.Tokens)
	return err == nil && own.Host != "" && strings.TrimRight(base, "/") == own.Scheme+"://"+own.Host
}
