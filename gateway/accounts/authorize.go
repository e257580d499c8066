package accounts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/gin-gonic/gin"
	"golang.org/x/oauth2"

	"crier/connectors"
	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
)

// consentStore keeps how far people have come who connect accounts. Tokens are known by
// their hash alone.
type consentStore interface {
	// TakeConsent uses up the token with which a person comes back; NotFound where it is no
	// good.
	TakeConsent(ctx context.Context, p schema.Platform, token [32]byte) (schema.Consent, error)
	// Consent returns the one that waits at a stage, or NotFound.
	Consent(ctx context.Context, p schema.Platform, token [32]byte, stage schema.ConsentStage) (schema.Consent, error)
	// MoveConsent brings it from one token and stage to another; NotFound where another
	// request was first.
	MoveConsent(ctx context.Context, from schema.ConsentStage, old, token [32]byte, c schema.Consent) error
	EndConsent(ctx context.Context, token [32]byte) error
}

// consentBeginner keeps what a consent begins with.
type consentBeginner interface {
	BeginConsent(ctx context.Context, token [32]byte, c schema.Consent) error
	// ServerApp returns what crier is registered as with a single server, sealed; nil where
	// it has to register.
	ServerApp(ctx context.Context, name, callback string) ([]byte, error)
	PutServerApp(ctx context.Context, name, callback string, sealed []byte) error
}

// authorizations connects accounts on their platform's own page (OAuth 2.0):
//
//	begin ──▶ the platform's page ──▶ callback ──▶ confirm ──┬────────────▶ attached
//	                                                         └─▶ choose ──▶ attached
//
// The code is exchanged at the callback, since it lives for seconds on some platforms; what is
// granted stays sealed and attached to nothing until the person has said which workspace it is
// for.
type authorizations struct{ *connections }

func (s *authorizations) routes() []admission.Route {
	return []admission.Route{
		admission.Handle(http.MethodGet, "/connect", schema.Read, s.list),
		admission.Handle(http.MethodGet, "/connect/:platform", schema.Admin, s.begin),
		admission.Handle(http.MethodGet, "/connect/:platform/callback", admission.Public, s.callback),
		admission.Handle(http.MethodPost, "/connect/:platform/confirm", admission.Public, s.confirm),
		admission.Handle(http.MethodPost, "/connect/:platform/choose", admission.Public, s.choose),
		admission.Handle(http.MethodGet, "/connect/:platform/reconnect", admission.Public, s.reconnect),
		admission.Handle(http.MethodGet, "/connect/:platform/entities", schema.Admin, s.entities),
		admission.Handle(http.MethodPost, "/connect/:platform/select", schema.Admin, body.WithForm(s.selectEntities)),
	}
}

// wayView is how accounts of a platform are connected.
type wayView struct {
	Platform   schema.Platform   `json:"platform"`
	Method     connectors.Method `json:"method"`
	Configured bool              `json:"configured"` // whether it can be used on this server
	Message    string            `json:"message,omitempty"`
}

// list answers how accounts of each platform are connected.
func (s *authorizations) list(c *gin.Context) error {
	key := admission.RequestOf(c).Key
	var ways []wayView
	for _, p := range schema.Platforms() {
		way := wayView{Platform: p, Method: cmp.Or(s.Connecting(p).Method, connectors.ByOAuth)}
		if err := s.usable(c.Request.Context(), schema.Account{Workspace: key.Workspace, Platform: p, Sandbox: key.Sandbox}); err != nil {
			way.Message = publicError(err).Message
		}
		way.Configured = way.Message == ""
		ways = append(ways, way)
	}
	return answer.Named(c, http.StatusOK, "platforms", ways, nil)
}

// usable tells why accounts of a platform cannot be connected; nil: they can. A platform where
// crier registers itself needs nothing; any other says without a call whether it has an app.
func (s *authorizations) usable(ctx context.Context, a schema.Account) error {
	if way := s.Connecting(a.Platform); way.Instead != "" || way.Registers {
		_, err := s.Platforms.Connector(a)
		return err
	}
	authorizer, err := connectors.As[connectors.Authorizer](s.Platforms, a)
	if err != nil {
		return err
	}
	_, _, err = authorizer.Authorize(ctx, a, connectors.AuthorizationRequest{Callback: s.callbackURL(a.Platform)})
	return err
}

// begin answers with the address of the platform's page.
func (s *authorizations) begin(c *gin.Context) error {
	platform, err := pathPlatform(c)
	if err != nil {
		return err
	}
	key := admission.RequestOf(c).Key
	q := body.NewQuery(c)
	consent := schema.Consent{Workspace: key.Workspace, Platform: platform, Sandbox: key.Sandbox, Brand: q.Brand(), User: key.User, Key: key.ID}
	consent.Server = s.queryServer(c.Request.Context(), q, consent)
	if err := s.queryRedirect(c.Request.Context(), q, &consent); err != nil {
		return err
	}
	if err := s.checkBrand(c.Request.Context(), q, consent); err != nil {
		return err
	}
	if err := q.Finish(); err != nil {
		return err
	}
	page, expires, err := s.open(c.Request.Context(), consent)
	if err != nil {
		return refusedFor(consent, blamedField(consent), err)
	}
	return answer.Several(c, http.StatusOK, map[string]any{"authUrl": page, "expiresAt": answer.Moment(expires)}, q.Report.Warnings)
}

func pathPlatform(c *gin.Context) (schema.Platform, error) {
	platform, err := schema.ParsePlatform(c.Param("platform"))
	if err != nil {
		return 0, &schema.Error{Kind: schema.NotFound, Message: "there is no such platform", Err: err}
	}
	return platform, nil
}

// queryServer returns the server that a request names, as connections.readServer does.
func (s *authorizations) queryServer(ctx context.Context, q *body.Query, consent schema.Consent) string {
	named, given := q.Word("server")
	switch {
	case !given && consent.Platform == schema.Mastodon && s.BaseURLs[schema.Mastodon] == "" && !consent.Sandbox:
		if !q.Report.About("server") {
			q.Report.Fail("server", body.CodeRequired, "must name the account's server, such as https://mastodon.example")
		}
		return ""
	case given && consent.Platform != schema.Mastodon:
		q.Report.Fail("server", body.CodeInvalidValue, consent.Platform.String()+" has one server alone: leave it out")
		return ""
	case len(named) > body.MaxURL:
		q.Report.Fail("server", body.CodeTooLong, fmt.Sprintf("must be at most %d bytes long", body.MaxURL))
		return ""
	case !given || consent.Sandbox:
		return ""
	}
	server, problem := s.serverOf(ctx, named, consent.Platform)
	if problem != "" {
		q.Report.Fail("server", body.CodeInvalidURL, problem)
	}
	return server
}

// checkBrand refuses a brand that is not the workspace's before a person consents in vain.
func (s *authorizations) checkBrand(ctx context.Context, q *body.Query, consent schema.Consent) error {
	if consent.Brand.IsZero() {
		return nil
	}
	all, err := s.Store.Brands(ctx, consent.Workspace)
	if err == nil && !slices.ContainsFunc(all, func(b schema.Brand) bool { return b.ID == consent.Brand }) {
		q.Report.Fail("brandId", "brand_unknown", "there is no such brand: GET /brands lists their ids")
	}
	return err
}

// refusedFor is what a caller is told of a platform's refusal: that it blames a field, or does
// not answer.
func refusedFor(consent schema.Consent, field string, err error) error {
	refused, ok := errors.AsType[*schema.Error](err)
	switch {
	case !ok || refused.Kind < schema.Refused:
		return err
	case refused.Kind == schema.RateLimited:
		return &schema.Error{
			Kind: schema.Unavailable, RetryAfter: max(refused.RetryAfter, time.Second), Err: err,
			Message: fmt.Sprintf("%s asks to wait", consent.Platform),
		}
	case refused.Kind == schema.Refused || refused.Kind == schema.TokenDead:
		return schema.InvalidField(field, codeRefused, refused.Message)
	case consent.Server != "":
		return schema.InvalidField("server", codeUnreachable, "the server could not be asked: "+refused.Message)
	default:
		return &schema.Error{Kind: schema.Unavailable, RetryAfter: retryPlatform, Message: consent.Platform.String() + " does not answer at the moment", Err: err}
	}
}

// blamedField is the parameter that says where a person is to consent.
func blamedField(consent schema.Consent) string {
	if consent.Server != "" {
		return "server"
	}
	return "platform"
}

// stagedConsent is stored sealed while a person is with the platform.
type stagedConsent struct {
	App      connectors.App `json:"app"`
	Verifier string         `json:"verifier"`
}

// open stores a consent and returns the address of the platform's page that begins it, and
// until when the person may come back.
func (s *authorizations) open(ctx context.Context, consent schema.Consent) (page string, expires time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	if way := s.Connecting(consent.Platform).Instead; way != "" {
		return "", time.Time{}, &schema.Error{Kind: schema.Refused, Message: consent.Platform.String() + " has no page on which a person consents: " + way}
	}
	authorizer, err := connectors.As[connectors.Authorizer](s.Platforms, accountOf(consent))
	if err != nil {
		return "", time.Time{}, err
	}
	known, err := s.serverApp(ctx, consent)
	if err != nil {
		return "", time.Time{}, err
	}
	token, err := s.newToken()
	if err != nil {
		return "", time.Time{}, err
	}
	staged := stagedConsent{App: known, Verifier: oauth2.GenerateVerifier()}
	page, staged.App, err = authorizer.Authorize(ctx, accountOf(consent), connectors.AuthorizationRequest{
		App: known, Callback: s.callbackURL(consent.Platform), State: token, Verifier: staged.Verifier,
	})
	if err != nil {
		return "", time.Time{}, err
	}
	if staged.App != known {
		if err := s.putServerApp(ctx, consent, staged.App); err != nil {
			return "", time.Time{}, err
		}
	}
	if consent, err = s.staged(consent, schema.ConsentPending, staged); err != nil {
		return "", time.Time{}, err
	}
	return page, consent.ExpiresAt, s.Store.BeginConsent(ctx, schema.HashConsentToken(token), consent)
}

// accountOf returns the account as far as it is known while a person consents.
func accountOf(c schema.Consent) schema.Account {
	return schema.Account{Workspace: c.Workspace, Platform: c.Platform, Server: c.Server, Sandbox: c.Sandbox}
}

// callbackURL is where a platform sends people back to. It is registered with the platform.
func (s *authorizations) callbackURL(p schema.Platform) string {
	return s.ConnectURL + p.String() + "/callback"
}
