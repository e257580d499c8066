package oauth_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/oauth"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	simulated "crier/connectors/simulators/simulation/oauth"
	"crier/schema"
)

const (
	opToken  = "POST /token"
	opRevoke = "POST /revoke"
)

func scopes() connectors.Scopes { return connectors.Scopes{Publish: []string{"read", "write"}} }

// platform is both sides of a platform's OAuth.
type platform struct {
	oauth.Flow
	*connectortest.Rig
}

// newPlatform makes one that is as RFC 6749 has it, but for what is set.
func newPlatform(t *testing.T, d oauth.Dialect, tokens simulated.Tokens) *platform {
	t.Helper()
	tokens.AccessLife = time.Hour
	tokens.Deny = simulated.Denials(map[simulated.Wrong]simulated.Denial{
		simulated.Nothing:  {Status: http.StatusBadRequest, Code: "invalid_grant", Description: "it is none"},
		simulated.WrongApp: {Status: http.StatusUnauthorized, Code: "invalid_client", Description: "who are you"},
		simulated.NoSecret: {Status: http.StatusUnauthorized, Code: "invalid_client", Description: "without a secret"},
	}, nil)
	page := simulated.Page{
		CodeLife: time.Minute, ClientID: d.ClientID, Scopes: scopes().Publish, Denied: url.Values{"error": {"access_denied"}},
		Refuse: simulated.Texts(map[simulated.Wrong]string{simulated.Nothing: "wrong"}),
	}
	if d.PKCE {
		page.PKCE = simulated.Required
	}
	rig := connectortest.NewRig(t, connectortest.RigConfig{Platform: schema.Twitter, Simulator: func(w *simulation.World) http.Handler {
		flow, mux := simulated.New(w, page, tokens), http.NewServeMux()
		mux.HandleFunc("GET /authorize", flow.Authorize)
		mux.HandleFunc("POST /authorize", flow.Authorize)
		mux.HandleFunc(opToken, flow.Token)
		mux.HandleFunc(opRevoke, func(rw http.ResponseWriter, r *http.Request) {
			if flow.Admit(rw, r) {
				flow.Revoke(r.PostForm.Get("token"), true)
			}
		})
		return w.Handler(mux, simulation.Dialect{Operation: simulation.Operations(mux)})
	}})
	d.Platform, d.Name = schema.Twitter, "Some Platform"
	d.Page, d.Tokens, d.Revocation = "https://page.example/authorize", "https://api.example/token", "https://api.example/revoke"
	d.OpTokens, d.OpRevocation = opToken, opRevoke
	return &platform{Rig: rig, Flow: oauth.New(d, connectors.Parts{
		Base: rig.Base, Now: rig.Clock, App: connectortest.App(),
		Client: rig.Client(t, connectors.ClientConfig{Calls: connectors.Calls{Platform: schema.Twitter}}),
	}, scopes())}
}

func (p *platform) visit(t *testing.T) *connectortest.Visit {
	t.Helper()
	return connectortest.NewVisit(t, p.Flow, schema.Account{}, connectors.App{})
}

// consented is what a person has consented to just now.
func (p *platform) consented(t *testing.T) schema.Credentials {
	t.Helper()
	v := p.visit(t)
	credentials, err := v.Exchange(t, v.Allow(t))
	if err != nil {
		t.Fatalf("Exchange: %v", err)
	}
	return credentials
}

// dead is what most platforms say of a token that is none.
var dead = map[string]schema.ErrorKind{"invalid_grant": schema.TokenDead}

func TestThePageIsAskedAsThePlatformHasIt(t *testing.T) {
	for name, tt := range map[string]struct {
		dialect oauth.Dialect
		want    url.Values // beside what is the same for all
	}{
		"by the book":             {oauth.Dialect{}, url.Values{"client_id": {simulation.AppID}, "scope": {"read write"}}},
		"another name of the app": {oauth.Dialect{ClientID: "client_key"}, url.Values{"client_key": {simulation.AppID}, "scope": {"read write"}}},
		"commas":                  {oauth.Dialect{Separator: ","}, url.Values{"client_id": {simulation.AppID}, "scope": {"read,write"}}},
		"more parameters": {
			oauth.Dialect{Asks: url.Values{"access_type": {"offline"}}},
			url.Values{"client_id": {simulation.AppID}, "scope": {"read write"}, "access_type": {"offline"}},
		},
		"PKCE (RFC 7636, appendix B)": {oauth.Dialect{PKCE: true}, url.Values{
			"client_id": {simulation.AppID}, "scope": {"read write"},
			"code_challenge": {"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}, "code_challenge_method": {"S256"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			page, app, err := newPlatform(t, tt.dialect, simulated.Tokens{}).Authorize(t.Context(), schema.Account{}, connectors.AuthorizationRequest{
				Callback: "http://x/?a=b", State: "s&t", Verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
			})
			address, parseErr := url.Parse(page)
			if err != nil || parseErr != nil || app != (connectors.App{}) {
				t.Fatalf("Authorize = %q, %v, %v", page, app, err)
			}
			maps.Copy(tt.want, url.Values{"response_type": {"code"}, "redirect_uri": {"http://x/?a=b"}, "state": {"s&t"}})
			if got := address.Query(); !maps.EqualFunc(got, tt.want, slices.Equal) {
				t.Errorf("asked with %v, want %v", got, tt.want)
			}
		})
	}
}

// What becomes of a refresh token that is traded, and of one whose trade lost its response.
func TestARefreshTokenIsTraded(t *testing.T) {
	for name, tt := range map[string]struct {
		dialect oauth.Dialect
		renewal simulated.Renewal
		stays   bool             // the same token is given again, or none
		again   schema.ErrorKind // of a second trade of the first token; Internal: it works
		lost    schema.ErrorKind // of one whose response is lost
	}{
		"named once":                  {oauth.Dialect{Refusals: dead}, simulated.Silent, true, schema.Internal, schema.Retryable},
		"named each time":             {oauth.Dialect{Refusals: dead}, simulated.Repeated, true, schema.Internal, schema.Retryable},
		"another beside it":           {oauth.Dialect{Refusals: dead}, simulated.Renewed, false, schema.Internal, schema.Retryable},
		"another in its place":        {oauth.Dialect{Refusals: dead, Once: true}, simulated.Once, false, schema.TokenDead, schema.Unknown},
		"used up, with codes of PKCE": {oauth.Dialect{Refusals: dead, Once: true, PKCE: true}, simulated.Once, false, schema.TokenDead, schema.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(t, tt.dialect, simulated.Tokens{Renewal: tt.renewal, RefreshLife: 24 * time.Hour})
			first := p.consented(t)
			if first.RefreshToken == "" || first.AppID != simulation.AppID || first.Scope != "read write" || !first.ExpiresAt.Equal(p.Clock().Add(time.Hour)) {
				t.Fatalf("granted until %v, the scope %q", first.ExpiresAt, first.Scope)
			}
			p.Pass(time.Hour)
			second, err := p.Refresh(t.Context(), schema.Account{}, first)
			if err != nil || second.AccessToken == first.AccessToken || (second.RefreshToken == first.RefreshToken) != tt.stays || !second.ExpiresAt.Equal(p.Clock().Add(time.Hour)) {
				t.Fatalf("traded for the same: %t, until %v, %v", second.RefreshToken == first.RefreshToken, second.ExpiresAt, err)
			}
			_, err = p.Refresh(t.Context(), schema.Account{}, first)
			wantKind(t, err, tt.again)
			p.Inject(t, simulation.Fault{Operation: opToken, Lose: true})
			_, err = p.Refresh(t.Context(), schema.Account{}, second)
			wantKind(t, err, tt.lost)
			p.Pass(25 * time.Hour)
			_, err = p.Refresh(t.Context(), schema.Account{}, second)
			wantKind(t, err, schema.TokenDead)
		})
	}
}

// wantKind is for errors that need not be; Internal: there is none.
func wantKind(t *testing.T, err error, kind schema.ErrorKind) {
	t.Helper()
	if err != nil || kind != schema.Internal {
		connectortest.WantKind(t, err, kind)
	}
}

func TestAConsentLacksSomething(t *testing.T) {
	for name, tt := range map[string]struct {
		dialect oauth.Dialect
		tokens  simulated.Tokens
		granted string
		kind    schema.ErrorKind // Internal: it is taken
		says    string
	}{
		"a scope":                            {oauth.Dialect{}, simulated.Tokens{}, "read", schema.Refused, "not granted: write"},
		"all scopes":                         {oauth.Dialect{}, simulated.Tokens{}, " ", schema.Refused, "not granted: read, write"},
		"a refresh token":                    {oauth.Dialect{}, simulated.Tokens{Offline: "offline"}, "read write", schema.Internal, ""},
		"a refresh token that has to be one": {oauth.Dialect{Renews: true}, simulated.Tokens{Offline: "offline"}, "read write", schema.Retryable, "no refresh token"},
	} {
		t.Run(name, func(t *testing.T) {
			v := newPlatform(t, tt.dialect, tt.tokens).visit(t)
			_, err := v.Exchange(t, v.Allow(t, tt.granted))
			if wantKind(t, err, tt.kind); err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v, want %q", err, tt.says)
			}
		})
	}
}

func TestTheAppShowsWhoItIs(t *testing.T) {
	app, other := connectortest.App(), connectors.App{ID: simulation.AppID, Secret: "another"}
	unknown := connectors.App{ID: "another", Secret: simulation.AppSecret}
	for name, tt := range map[string]struct {
		dialect oauth.Dialect
		tokens  simulated.Tokens
		app     connectors.App
		kind    schema.ErrorKind // Internal: it is known
	}{
		"in the form":               {oauth.Dialect{Refusals: dead}, simulated.Tokens{}, app, schema.Internal},
		"by another name":           {oauth.Dialect{Refusals: dead, ClientID: "client_key"}, simulated.Tokens{}, app, schema.Internal},
		"with another secret":       {oauth.Dialect{Refusals: dead}, simulated.Tokens{}, other, schema.Retryable},
		"in a header":               {oauth.Dialect{Refusals: dead, Basic: true}, simulated.Tokens{Basic: true}, app, schema.Internal},
		"another in a header":       {oauth.Dialect{Refusals: dead, Basic: true}, simulated.Tokens{Basic: true}, unknown, schema.Retryable},
		"without a secret":          {oauth.Dialect{Refusals: dead, Basic: true}, simulated.Tokens{Basic: true, Public: true}, connectors.App{ID: simulation.AppID}, schema.Refused},
		"without one that it needs": {oauth.Dialect{Refusals: dead, Basic: true, Public: true}, simulated.Tokens{Basic: true, Public: true}, connectors.App{ID: simulation.AppID}, schema.Internal},
		"not at all":                {oauth.Dialect{Refusals: dead, Public: true}, simulated.Tokens{}, connectors.App{}, schema.Refused},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(t, tt.dialect, tt.tokens)
			credentials := p.consented(t)
			p.App = tt.app
			_, err := p.Refresh(t.Context(), schema.Account{}, credentials)
			wantKind(t, err, tt.kind)
		})
	}
}

// What the token endpoint says, in the form of the book and in a platform's own.
func TestARefusalOfATrade(t *testing.T) {
	numbered := func(r *connectors.Response) string {
		var refusal struct{ Code json.Number }
		if json.Unmarshal(r.Body, &refusal) != nil {
			return ""
		}
		return refusal.Code.String()
	}
	book := oauth.Dialect{Refusals: dead}
	for name, tt := range map[string]struct {
		dialect oauth.Dialect
		fault   simulation.Fault
		refresh schema.ErrorKind
		code    schema.ErrorKind // of the trade of a code
		says    string
	}{
		"of the token":             {book, simulation.Fault{Status: 400, Body: `{"error":"invalid_grant","error_description":"gone"}`}, schema.TokenDead, schema.Refused, ""},
		"of the token, with 200":   {book, simulation.Fault{Status: 200, Body: `{"error":"invalid_grant","error_description":"gone: secret"}`}, schema.TokenDead, schema.Refused, "gone: [redacted]"},
		"of the call":              {oauth.Dialect{Refusals: map[string]schema.ErrorKind{"invalid_scope": schema.Refused}}, simulation.Fault{Status: 400, Body: `{"error":"invalid_scope"}`}, schema.Refused, schema.Refused, ""},
		"of crier's app":           {book, simulation.Fault{Status: 400, Body: `{"error":"unauthorized_client"}`}, schema.Retryable, schema.Retryable, "own app"},
		"without a code":           {book, simulation.Fault{Status: 400, Body: `<html>`}, schema.Retryable, schema.Retryable, "own app"},
		"with a code of its own":   {oauth.Dialect{Refusals: map[string]schema.ErrorKind{"7": schema.TokenDead}, Code: numbered}, simulation.Fault{Status: 400, Body: `{"code":7}`}, schema.TokenDead, schema.Refused, ""},
		"as anywhere else":         {oauth.Dialect{}, simulation.Fault{Status: 403, Body: `{"error":"invalid_grant"}`}, schema.Refused, schema.Refused, ""},
		"too many":                 {book, simulation.Fault{Status: 429, Body: `{"error":"invalid_grant"}`}, schema.RateLimited, schema.RateLimited, ""},
		"a failure":                {book, simulation.Fault{Status: 503, Body: `{}`}, schema.Retryable, schema.Retryable, ""},
		"a failure that may count": {oauth.Dialect{Refusals: dead, Once: true}, simulation.Fault{Status: 503, Body: `{}`}, schema.Unknown, schema.Retryable, ""},
		"no token":                 {book, simulation.Fault{Status: 200, Body: `{}`}, schema.Retryable, schema.Retryable, "no token"},
		"no token, once":           {oauth.Dialect{Refusals: dead, Once: true}, simulation.Fault{Status: 200, Body: `{}`}, schema.Unknown, schema.Retryable, "no token"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(t, tt.dialect, simulated.Tokens{})
			tt.fault.Operation, tt.fault.Times = opToken, 2
			p.Inject(t, tt.fault)
			_, refreshErr := p.Refresh(t.Context(), schema.Account{}, schema.Credentials{RefreshToken: "secret"})
			_, codeErr := p.Exchange(t.Context(), schema.Account{}, connectors.Grant{Callback: "http://x", Code: "secret"})
			for err, kind := range map[error]schema.ErrorKind{refreshErr: tt.refresh, codeErr: tt.code} {
				if e := connectortest.WantKind(t, err, kind); !strings.Contains(e.Message, tt.says) || strings.Contains(err.Error(), "secret") {
					t.Errorf("error %v, want %q", err, tt.says)
				}
			}
		})
	}
}

func TestATokenIsEnded(t *testing.T) {
	p := newPlatform(t, oauth.Dialect{Refusals: dead}, simulated.Tokens{})
	credentials := p.consented(t)
	if err := p.EndToken(t.Context(), schema.Account{}, "refresh_token", credentials.RefreshToken); err != nil {
		t.Fatal(err)
	}
	_, err := p.Refresh(t.Context(), schema.Account{}, credentials)
	connectortest.WantKind(t, err, schema.TokenDead)
	for body, kind := range map[string]schema.ErrorKind{
		`{"error":"invalid_grant","error_description":"not a-token"}`: schema.TokenDead, `{"error":"invalid_client"}`: schema.Retryable,
	} {
		p.Inject(t, simulation.Fault{Operation: opRevoke, Status: http.StatusOK, Body: body})
		err := p.EndToken(t.Context(), schema.Account{}, "", "a-token")
		if connectortest.WantKind(t, err, kind); strings.Contains(err.Error(), "a-token") {
			t.Errorf("error %v", err)
		}
	}
}

// Facebook takes what is traded as parameters of an address.
func TestATradeInAnAddress(t *testing.T) {
	p := newPlatform(t, oauth.Dialect{InAddress: true}, simulated.Tokens{})
	p.Inject(t, simulation.Fault{Status: http.StatusOK, Body: `{"access_token":"a"}`})
	granted, err := p.Redeem(t.Context(), schema.Account{}, connectors.Grant{Callback: "http://x", Code: "y"})
	requests := p.Requests()
	if err != nil || granted.Access != "a" || len(requests) != 1 {
		t.Fatalf("Redeem = %q, %v after %d requests", granted.Access, err, len(requests))
	}
	want := url.Values{
		"grant_type": {"authorization_code"}, "code": {"y"}, "redirect_uri": {"http://x"},
		"client_id": {simulation.AppID}, "client_secret": {simulation.AppSecret},
	}
	if got := requests[0].URL.Query(); requests[0].Method != http.MethodGet || !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%s with %v", requests[0].Method, got)
	}
}
