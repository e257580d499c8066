package accounts

import (
	"context"
	"net/http"
	"net/url"
	"regexp"

	"github.com/gin-gonic/gin"

	"crier/connectors"
	"crier/gateway/body"
	"crier/schema"
)

// The codes of how a consent ended without an account, as a redirect carries them.
const (
	endDenied = "access_denied" // by the person (RFC 6749, 4.1.2.1)
	endFailed = "connect_failed"
)

// callback takes a person who comes back from their platform, and asks whether to attach what
// they granted.
func (s *authorizations) callback(c *gin.Context) error {
	platform, err := pathPlatform(c)
	if err != nil {
		return err
	}
	q := body.NewQuery(c)
	state, _ := q.Text("state")
	token := schema.HashConsentToken(state)
	consent, err := s.Store.TakeConsent(c.Request.Context(), platform, token)
	if err != nil {
		return s.gone(c, err)
	}
	if code, _ := q.Text("code"); code != "" && q.Report.Err() == nil {
		return s.exchanged(c, consent, token, code)
	}
	return s.over(c, consent, token, sentBack(q))
}

var errorName = regexp.MustCompile(`^[a-z_]{1,40}$`)

// sentBack says why a platform sent a person back without a code.
func sentBack(q *body.Query) ending {
	name, _ := q.Text("error")
	switch {
	case name == endDenied || name == "user_cancelled_login" || name == "user_cancelled_authorize": // the latter are LinkedIn's
		return ending{Code: endDenied, Message: "You did not allow it. Nothing was connected."}
	case errorName.MatchString(name):
		return ending{Code: endFailed, Message: "The platform sent you back with the error " + name + ". Nothing was connected."}
	default: // its own words are not shown: anybody can write them into an address
		return ending{Code: endFailed, Message: "The platform sent you back without a permission. Nothing was connected."}
	}
}

// granted is what crier holds, sealed, until the person has said whether it is to be attached.
type granted struct {
	Credentials schema.Credentials `json:"credentials"`
	// NativeID, Server and Name are of the account they are for; empty where the person has
	// still to choose one.
	NativeID string `json:"nativeId"`
	Server   string `json:"server"`
	Name     string `json:"name"`
}

// exchanged trades the code and shows the question. The consent goes on under a new token.
func (s *authorizations) exchanged(c *gin.Context, consent schema.Consent, taken [32]byte, code string) error {
	ctx, cancel := context.WithTimeout(c.Request.Context(), connectTimeout)
	defer cancel()
	credentials, err := s.exchange(ctx, consent, code)
	if err != nil {
		return s.failed(c, consent, taken, err)
	}
	held, err := s.admissible(ctx, consent, credentials)
	if err != nil {
		return s.failed(c, consent, taken, err)
	}
	token, err := s.move(ctx, consent, taken, schema.ConsentGranted, held)
	if err != nil {
		return s.gone(c, err)
	}
	s.showQuestion(c, consent, token, held.Name)
	return nil
}

func (s *authorizations) exchange(ctx context.Context, consent schema.Consent, code string) (schema.Credentials, error) {
	authorizer, err := connectors.As[connectors.Authorizer](s.Platforms, accountOf(consent))
	if err != nil {
		return schema.Credentials{}, err
	}
	var staged stagedConsent
	if err := s.unstage(consent, &staged); err != nil {
		return schema.Credentials{}, err
	}
	return authorizer.Exchange(ctx, accountOf(consent), connectors.Grant{
		App: staged.App, Callback: s.callbackURL(consent.Platform), Verifier: staged.Verifier, Code: code,
	})
}

// admissible returns credentials with whose they are; an error where they cannot be attached.
// What a person chooses from is not known yet.
func (s *authorizations) admissible(ctx context.Context, consent schema.Consent, credentials schema.Credentials) (granted, error) {
	held := granted{Credentials: credentials}
	if _, err := connectors.As[connectors.EntitySource](s.Platforms, accountOf(consent)); err == nil {
		return held, nil
	}
	connection, err := s.check(ctx, keyOf(consent), candidate{platform: consent.Platform, server: consent.Server, credentials: credentials})
	if err != nil {
		return held, err
	}
	found := connection.Account
	held.NativeID, held.Server, held.Name = found.NativeID, found.Server, found.Name
	return held, s.attachable(ctx, consent, found)
}

// move brings a consent to its next stage, and returns the token of that.
func (s *authorizations) move(ctx context.Context, consent schema.Consent, old [32]byte, next schema.ConsentStage, content any) (token string, err error) {
	if token, err = s.newToken(); err != nil {
		return "", err
	}
	from := consent.Stage
	if consent, err = s.staged(consent, next, content); err != nil {
		return "", err
	}
	return token, s.Store.MoveConsent(ctx, from, old, schema.HashConsentToken(token), consent)
}

// keyOf is what connections.check is told of a caller.
func keyOf(c schema.Consent) schema.Key {
	return schema.Key{Workspace: c.Workspace, Sandbox: c.Sandbox, User: c.User}
}

// attachable refuses another account than the one that is to be connected again, and one that
// another workspace has: both would post.
func (s *authorizations) attachable(ctx context.Context, consent schema.Consent, found schema.Account) error {
	if !consent.Account.IsZero() {
		wanted, err := s.Store.Account(ctx, consent.Workspace, consent.Account)
		if err != nil {
			return err
		}
		if wanted.NativeID != found.NativeID {
			return &schema.Error{Kind: schema.Refused, Message: "You allowed it for " + found.Name + ", but " + wanted.Name + " is to be connected again."}
		}
	}
	if consent.Sandbox {
		return nil
	}
	_, elsewhere, err := s.Store.ConnectedIn(ctx, found)
	if err != nil {
		return err
	}
	if elsewhere {
		return &schema.Error{Kind: schema.Refused, Message: found.Name + " is connected in another workspace; it has to be disconnected there first."}
	}
	return nil
}

// failed ends a consent that came to nothing, and says why. Credentials are not revoked: on
// some platforms all that the person granted crier would end, that of other accounts too. Where the
// platform could not be asked about what it has granted, the person can go on.
func (s *authorizations) failed(c *gin.Context, consent schema.Consent, token [32]byte, why error) error {
	e := publicError(why)
	switch e.Kind {
	case schema.Internal, schema.Unavailable:
		return why
	case schema.RateLimited, schema.Retryable, schema.Unknown:
		if consent.Stage != schema.ConsentTaken { // then the code is used up
			showRetry(c, consent, e)
			return nil
		}
	}
	return s.over(c, consent, token, ending{Code: endFailed, Message: e.Message})
}

// over forgets a consent, and tells the person how it ended.
func (s *authorizations) over(c *gin.Context, consent schema.Consent, token [32]byte, e ending) error {
	if err := s.Store.EndConsent(c.Request.Context(), token); err != nil {
		return err
	}
	s.finish(c, consent, e)
	return nil
}

// gone tells a person whose token leads nowhere; any other error is returned.
func (s *authorizations) gone(c *gin.Context, err error) error {
	if schema.KindOf(err) != schema.NotFound {
		return err
	}
	s.showGone(c)
	return nil
}

// confirm takes the person's answer to the question.
func (s *authorizations) confirm(c *gin.Context) error {
	consent, form, err := s.answered(c, schema.ConsentGranted)
	if err != nil {
		return s.gone(c, err)
	}
	token := schema.HashConsentToken(form.Get("token"))
	var held granted
	if err := s.unstage(consent, &held); err != nil {
		return err
	}
	if form.Get("decision") != "attach" {
		return s.declined(c, consent, token, held)
	}
	if held.NativeID == "" {
		return s.offer(c, consent, token, held)
	}
	return s.attachAll(c, consent, token, []schema.Credentials{held.Credentials})
}

// maxPageForm is the largest form that a page of ours sends, in bytes.
const maxPageForm = 64 << 10

// answered reads a form that a page has sent, and the consent it continues; NotFound where
// that is over.
func (s *authorizations) answered(c *gin.Context, stage schema.ConsentStage) (schema.Consent, url.Values, error) {
	platform, err := pathPlatform(c)
	if err != nil {
		return schema.Consent{}, nil, err
	}
	c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, maxPageForm)
	if err := c.Request.ParseForm(); err != nil {
		return schema.Consent{}, nil, schema.InvalidField("body", body.CodeInvalidValue, "must be the form of a page of this server")
	}
	form := c.Request.PostForm
	consent, err := s.Store.Consent(c.Request.Context(), platform, schema.HashConsentToken(form.Get("token")), stage)
	return consent, form, err
}

// declined forgets what was granted.
func (s *authorizations) declined(c *gin.Context, consent schema.Consent, token [32]byte, held granted) error {
	if err := s.giveBack(c.Request.Context(), consent, held); err != nil {
		return err
	}
	return s.over(c, consent, token, ending{Code: endDenied, Message: "You declined. Nothing was connected."})
}

// giveBack has the platform forget what it granted where nothing else ends with that: a server
// may give one token for every consent of a person.
func (s *authorizations) giveBack(ctx context.Context, consent schema.Consent, held granted) error {
	account := accountOf(consent)
	account.NativeID, account.Server = held.NativeID, held.Server
	if held.NativeID == "" { // a person's, by whom other accounts may be connected
		return nil
	}
	here, elsewhere, err := s.Store.ConnectedIn(ctx, account)
	if err != nil || here || elsewhere {
		return err
	}
	if revoker, err := connectors.As[connectors.Revoker](s.Platforms, account); err == nil {
		if err := revoker.Revoke(ctx, account, held.Credentials); err != nil {
			s.Logger.WarnContext(ctx, "credentials that a person declined to attach were not revoked", "platform", consent.Platform.String(), "err", err)
		}
	}
	return nil
}

// attachAll connects accounts, and tells the person.
func (s *authorizations) attachAll(c *gin.Context, consent schema.Consent, token [32]byte, all []schema.Credentials) error {
	attached, err := s.attach(c.Request.Context(), consent, all)
	if err != nil {
		return s.failed(c, consent, token, err)
	}
	return s.over(c, consent, token, ending{Accounts: attached})
}

// attach stores the accounts of credentials, all or none.
func (s *authorizations) attach(ctx context.Context, consent schema.Consent, all []schema.Credentials) ([]accountView, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	candidates := make([]candidate, len(all))
	for i, credentials := range all {
		candidates[i] = candidate{platform: consent.Platform, server: consent.Server, credentials: credentials}
	}
	prepared := make([]schema.Connection, len(all))
	for i, found := range s.checkAll(ctx, keyOf(consent), candidates) {
		err := found.err
		if err == nil {
			err = s.attachable(ctx, consent, found.connection.Account)
		}
		if err != nil {
			return nil, err
		}
		prepared[i] = found.connection
		prepared[i].Account.Brand, prepared[i].LinkUser, prepared[i].LinkKey = consent.Brand, consent.User, consent.Key
	}
	connected, err := s.Store.Connect(ctx, consent.Workspace, prepared)
	s.Directories.Forget(consent.Workspace)
	if err != nil {
		return nil, err
	}
	views, _, err := s.view(ctx, consent.Workspace, connected)
	return views, err
}

// finish sends the person where the request that began it all said, or shows how it ended.
func (s *authorizations) finish(c *gin.Context, consent schema.Consent, e ending) {
	if consent.Redirect == "" {
		s.showEnding(c, consent, e)
		return
	}
	c.Redirect(http.StatusSeeOther, withQuery(consent.Redirect, e.query(consent)))
}

// ending is how a consent ended: with accounts, or with what kept it from that.
type ending struct {
	Accounts  []accountView
	Code      string
	Message   string
	Selection string // the token with which a selection goes on; empty: it is over
}

func (e ending) query(consent schema.Consent) url.Values {
	query := url.Values{"platform": {consent.Platform.String()}}
	switch {
	case e.Selection != "":
		query.Set("selectionRequired", "true")
		query.Set("selectionToken", e.Selection)
	case e.Code != "":
		query.Set("error", e.Code)
		query.Set("error_description", e.Message)
	default:
		query.Set("connected", "true")
		for _, a := range e.Accounts {
			query.Add("accountId", a.ID.String())
		}
	}
	return query
}

// withQuery adds parameters to an address, which was checked when it was allowed.
func withQuery(address string, further url.Values) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	query := u.Query()
	for name, values := range further {
		query[name] = values
	}
	u.RawQuery = query.Encode()
	return u.String()
}
