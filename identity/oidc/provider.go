package oidc

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	gooidc "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"crier/schema"
	"crier/schema/people"
)

const (
	// exchangeTimeout bounds each call to an issuer.
	exchangeTimeout = 10 * time.Second
	// largestAnswer bounds what is read of its answers, in bytes.
	largestAnswer = 1 << 20
	// fresh is how long what an issuer says of itself is used; its keys are read anew where one is not known.
	fresh = time.Hour
	// retryAfter is how long an issuer that does not answer is left alone.
	retryAfter = 10 * time.Second
	// skew is by how much its clock may be off.
	skew = time.Minute
)

// Provider is an issuer at which people sign in. It is safe for concurrent use.
type Provider struct {
	settings Settings
	client   *http.Client
	now      func() time.Time

	mu          sync.Mutex
	found       *discovery // nil: nothing is known yet
	attemptedAt time.Time  // when it was asked last
	failure     error      // of then; nil: it answered
	expireAt    time.Time  // of found
}

// New makes a provider that calls by a transport.
func New(s Settings, transport http.RoundTripper, now func() time.Time) *Provider {
	s.complete()
	return &Provider{settings: s, now: now, client: &http.Client{
		Transport: bounded{transport}, Timeout: exchangeTimeout,
		// A redirect would take the client's secret elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// bounded reads no more of an answer than an issuer has to say.
type bounded struct{ next http.RoundTripper }

// RoundTrip makes one request.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.next.RoundTrip(r)
	if err == nil {
		response.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(response.Body, largestAnswer), response.Body}
	}
	return response, err
}

// Name is the provider's in addresses and answers.
func (p *Provider) Name() string { return p.settings.Name }

// Title is the provider's name for people.
func (p *Provider) Title() string { return p.settings.Title }

// Issuer is the URL that stands in its tokens.
func (p *Provider) Issuer() string { return p.settings.Issuer }

// AuthorizeURL returns where a browser signs in that has the token of a ceremony, and comes back to a callback
// from. The error is Unavailable where the issuer does not say.
func (p *Provider) AuthorizeURL(ctx context.Context, token, callback string) (string, error) {
	d, err := p.discover(ctx)
	if err != nil {
		return "", &schema.Error{
			Kind: schema.Unavailable, RetryAfter: retryAfter, Err: err,
			Message: p.settings.Title + " cannot be reached to sign in: try again later, or sign in by other means",
		}
	}
	return p.oauth(d, callback).AuthCodeURL(people.Secret(token, people.SecretState),
		gooidc.Nonce(people.Secret(token, people.SecretNonce)), oauth2.S256ChallengeOption(people.Secret(token, people.SecretVerifier))), nil
}

// oauth is crier as a client of the issuer.
func (p *Provider) oauth(d *discovery, callback string) *oauth2.Config {
	endpoint := d.Endpoint()
	endpoint.AuthStyle = oauth2.AuthStyleInParams
	if p.settings.Secret != "" && d.takesBasic() {
		endpoint.AuthStyle = oauth2.AuthStyleInHeader
	}
	return &oauth2.Config{
		ClientID: p.settings.ClientID, ClientSecret: p.settings.Secret, Endpoint: endpoint, RedirectURL: callback, Scopes: p.settings.Scopes,
	}
}

// discovery is what an issuer says of itself.
type discovery struct {
	*gooidc.Provider
	Methods     []string `json:"token_endpoint_auth_methods_supported"`
	NamesItself bool     `json:"authorization_response_iss_parameter_supported"` // RFC 9207
}

// takesBasic reports whether a client may show its secret in a header, as it may where nothing is said
// (OpenID Connect Discovery 1.0, 3). Trying both would use up the code.
func (d *discovery) takesBasic() bool {
	return len(d.Methods) == 0 || slices.Contains(d.Methods, "client_secret_basic")
}

// discover asks the issuer what it says of itself, unless that is known. Who comes meanwhile waits for the
// answer; an issuer that has not answered is not asked again at once, and what it said before is used on.
func (p *Provider) discover(ctx context.Context) (*discovery, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	isFresh := p.found != nil && now.Before(p.expireAt)
	isResting := p.failure != nil && now.Sub(p.attemptedAt) < retryAfter
	if !isFresh && !isResting {
		found, err := p.ask(context.WithoutCancel(ctx)) // others wait for it too, who have not gone away
		p.attemptedAt, p.failure = now, err
		if err == nil {
			p.found, p.expireAt = found, now.Add(fresh)
		}
	}
	if p.found != nil {
		return p.found, nil
	}
	return nil, p.failure
}

func (p *Provider) ask(ctx context.Context) (*discovery, error) {
	provider, err := gooidc.NewProvider(gooidc.ClientContext(ctx, p.client), p.settings.Issuer)
	if err != nil {
		return nil, fmt.Errorf("discovering the issuer %s: %w", p.settings.Name, err)
	}
	d := &discovery{Provider: provider}
	if err := provider.Claims(d); err != nil {
		return nil, fmt.Errorf("reading what the issuer %s says of itself: %w", p.settings.Name, err)
	}
	return d, nil
}
