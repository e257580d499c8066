package people

import (
	"crypto/subtle"
	"errors"
	"log/slog"
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/identity/oidc"
	"crier/schema"
	"crier/schema/lists"
	"crier/schema/people"
)

// providers is the resource of issuers of OpenID Connect.
type providers struct{ *sessions }

func (p *providers) routes() []admission.Route {
	return []admission.Route{
		admission.Handle(http.MethodGet, "/session/providers", admission.Public, body.WithoutParameters(p.list)),
		admission.HandleVisitor(http.MethodPost, "/session/providers/:provider", p.start),
		admission.Handle(http.MethodGet, "/session/providers/:provider/callback", admission.Public, p.callback),
	}
}

type providerView struct {
	Name  string `json:"name"`
	Title string `json:"title"`
}

// list answers with what people can sign in by beside passwords.
func (p *providers) list(c *gin.Context, warnings []schema.Detail) error {
	views := lists.Map(p.Providers, func(provider *oidc.Provider) providerView { return providerView{provider.Name(), provider.Title()} })
	return answer.Several(c, http.StatusOK, map[string]any{"providers": views, "passkeys": p.Verifier != nil}, warnings)
}

// provider returns the one of a name. The error is NotFound where there is none.
func (s *sessions) provider(name string) (*oidc.Provider, error) {
	for _, p := range s.Providers {
		if p.Name() == name {
			return p, nil
		}
	}
	return nil, &schema.Error{Kind: schema.NotFound, Message: "there is no such provider; GET /session/providers lists them"}
}

// start answers with where the browser signs in.
func (p *providers) start(c *gin.Context) error {
	return p.depart(c, c.Param("provider"), people.SignsInByProvider, nil)
}

// depart begins a ceremony at an issuer.
func (s *sessions) depart(c *gin.Context, name string, kind people.CeremonyKind, warnings []schema.Detail) error {
	provider, err := s.provider(name)
	if err != nil {
		return err
	}
	token, err := people.NewToken(s.Random)
	if err != nil {
		return err
	}
	// First, so that an issuer that is down uses up nobody's attempts.
	address, err := provider.AuthorizeURL(c.Request.Context(), token, s.callbackURL(provider))
	if err != nil {
		return err
	}
	if err := s.open(c, token, kind, provider.Name()); err != nil {
		return err
	}
	return answer.Named(c, http.StatusCreated, "url", address, warnings)
}

// callbackURL is where an issuer sends browsers back to: each has its own, so that none answers in another's place
// (RFC 9700, 4.4.2).
func (s *sessions) callbackURL(p *oidc.Provider) string {
	return s.ProvidersURL + p.Name() + "/callback"
}

// The console's pages that browsers come back to.
const (
	pageHome   = "/"
	pageYou    = "/you"
	pageSignIn = "/sign-in"
)

// callback takes somebody who comes back from an issuer, signs them in or links them, and sends them to the
// console. Why they are not is in the address; the log has the cause.
func (p *providers) callback(c *gin.Context) error {
	provider, err := p.provider(c.Param("provider"))
	if err != nil {
		return err
	}
	page, err := p.arrive(c, provider)
	refused, isRefused := errors.AsType[*people.SignInError](err)
	if err != nil && !isRefused {
		return err
	}
	if isRefused {
		if refused.Reason != people.ReasonForeign { // of which anybody can make as many as they like
			p.Logger.WarnContext(c.Request.Context(), "somebody was not signed in by an issuer", admission.About(c),
				slog.String("provider", provider.Name()), slog.String("reason", string(refused.Reason)), slog.Any("err", refused.Err))
		}
		page += "?refused=" + url.QueryEscape(string(refused.Reason))
	}
	c.Header("Cache-Control", "no-store")
	c.Redirect(http.StatusSeeOther, p.PublicURL+page)
	return nil
}

// arrive ends what the browser has begun, and returns the page that it goes on to.
func (p *providers) arrive(c *gin.Context, provider *oidc.Provider) (page string, err error) {
	sent := c.Request.URL.Query()
	token, hash, ok := p.Cookies.Ceremony(c.Request)
	// One that was begun elsewhere does not end this browser's.
	if !ok || subtle.ConstantTimeCompare([]byte(sent.Get("state")), []byte(people.Secret(token, people.SecretState))) == 0 {
		return pageSignIn, &people.SignInError{Reason: people.ReasonForeign}
	}
	p.Cookies.ClearCeremony(c)
	begun, err := p.Store.TakeCeremony(c.Request.Context(), hash)
	switch {
	case errors.Is(err, people.ErrCeremonyOver):
		return pageSignIn, &people.SignInError{Reason: people.ReasonOver}
	case err != nil:
		return "", err
	case begun.Provider != provider.Name():
		return pageSignIn, &people.SignInError{Reason: people.ReasonUnverified, Err: errors.New("it was begun at the issuer " + begun.Provider)}
	case begun.Kind == people.LinksIdentity && !isOfSession(begun, admission.RequestOf(c)):
		return pageSignIn, &people.SignInError{Reason: people.ReasonSignedOut}
	}
	testimony, err := provider.Finish(c.Request.Context(), token, p.callbackURL(provider), sent)
	if begun.Kind == people.LinksIdentity {
		if err == nil {
			link := people.Audited{Action: "identity.link", Actor: admission.RequestOf(c).Actor()}
			err = p.Store.LinkIdentity(people.WithAudited(c.Request.Context(), link), begun.User, begun.Session, testimony)
		}
		return pageYou, err
	}
	if err != nil {
		return pageSignIn, err
	}
	return p.enter(c, testimony, provider.Name())
}

// enter begins the session of whom an issuer knows.
func (p *providers) enter(c *gin.Context, testimony people.Testimony, name string) (page string, err error) {
	session, token, err := p.begin(c)
	if err != nil {
		return "", err
	}
	session.Provider = name
	left, err := p.Store.SignInBy(c.Request.Context(), testimony, session)
	if err != nil {
		return pageSignIn, err
	}
	if len(left) > 0 { // or the issuer tells groups no more, or otherwise
		p.Logger.WarnContext(c.Request.Context(), "an issuer's groups have ended memberships", admission.About(c),
			slog.String("provider", name), slog.String("subject", testimony.Subject), slog.Any("groups", testimony.Groups), slog.Any("workspaces", left))
	}
	p.Cookies.Set(c, token)
	return pageHome, nil
}
