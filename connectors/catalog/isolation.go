package catalog

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"crier/connectors"
	"crier/schema"
)

// switchboard gives each delivery to the connector of its world. It is the only place
// where that is decided.
type switchboard struct {
	live, sandbox connectors.Connector
	address       string // of the platform's simulator; empty: there is no sandbox
}

// route returns the connector of an account and the account as that connector sees it:
// one of the sandbox lives at the simulator, whatever server it names.
func (s *switchboard) route(a schema.Account) (connectors.Connector, schema.Account, error) {
	if !a.Sandbox {
		return s.live, a, nil
	}
	if s.address == "" {
		return nil, a, &schema.Error{Kind: schema.Refused, Message: "this installation has no sandbox"}
	}
	a.Server = s.address
	return s.sandbox, a, nil
}

// deliver routes a delivery.
func (s *switchboard) deliver(d schema.Delivery) (connectors.Connector, schema.Delivery, error) {
	connector, account, err := s.route(d.Account)
	d.Account = account
	return connector, d, err
}

func (s *switchboard) Prepare(ctx context.Context, d schema.Delivery) (schema.Progress, error) {
	c, d, err := s.deliver(d)
	if err != nil {
		return schema.Progress{}, err
	}
	return c.Prepare(ctx, d)
}

func (s *switchboard) Publish(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	c, d, err := s.deliver(d)
	if err != nil {
		return schema.Receipt{}, err
	}
	return legible(c.Publish(ctx, d))
}

func (s *switchboard) Find(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	c, d, err := s.deliver(d)
	if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	receipt, verdict, err := c.Find(ctx, d)
	if receipt, err = legible(receipt, err); err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	return receipt, verdict, nil
}

func (s *switchboard) Comment(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	c, d, err := s.deliver(d)
	if err != nil {
		return schema.Receipt{}, err
	}
	return legible(c.Comment(ctx, d))
}

// legible makes an answer that names its post by what no text may hold one that was lost:
// PostgreSQL takes no U+0000, and a server that users name may say anything.
func legible(r schema.Receipt, err error) (schema.Receipt, error) {
	if err == nil && hasNUL(r.NativeID, r.URL, r.State) {
		return schema.Receipt{}, &schema.Error{Kind: schema.Unknown, Message: "the platform's answer could not be read"}
	}
	return r, err
}

func hasNUL(texts ...string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, "\x00") })
}

// checker checks by the connector of an account's world.
type checker struct{ board *switchboard }

func (c checker) Check(ctx context.Context, a schema.Account, credentials schema.Credentials) (connectors.Profile, error) {
	connector, a, err := c.board.route(a)
	if err != nil {
		return connectors.Profile{}, err
	}
	profile, err := connector.(connectors.Checker).Check(ctx, a, credentials)
	if err == nil && hasNUL(profile.NativeID, profile.Name, profile.Server) {
		return connectors.Profile{}, &schema.Error{Kind: schema.Retryable, Message: "the platform's answer could not be read"}
	}
	return profile, err
}

// refresher refreshes by the connector of an account's world.
type refresher struct{ board *switchboard }

func (r refresher) Refresh(ctx context.Context, a schema.Account, credentials schema.Credentials) (schema.Credentials, error) {
	connector, a, err := r.board.route(a)
	if err != nil {
		return schema.Credentials{}, err
	}
	return connector.(connectors.Refresher).Refresh(ctx, a, credentials)
}

// revoker revokes by the connector of an account's world.
type revoker struct{ board *switchboard }

func (r revoker) Revoke(ctx context.Context, a schema.Account, credentials schema.Credentials) error {
	connector, a, err := r.board.route(a)
	if err != nil {
		return err
	}
	return connector.(connectors.Revoker).Revoke(ctx, a, credentials)
}

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
	return f.next.RoundTrip(r)
}

func (f fence) within(u *url.URL) bool {
	return f.host != "" && u.Scheme == f.scheme && u.Host == f.host
}
