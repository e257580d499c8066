package oidc

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"crier/schema"
	"crier/schema/people"
)

const token = "s5oJk2vU0yHq8fWc3xRzT1aLbN7eGdPiM4uKtYwQ9oE"

// back are the parameters that an issuer sends a browser back with.
func back() url.Values { return url.Values{"code": {"a-code"}} }

func reasonIn(err error) people.Reason {
	if refused, ok := errors.AsType[*people.SignInError](err); ok {
		return refused.Reason
	}
	return ""
}

func TestFinishKnowsWhoComesBack(t *testing.T) {
	i := newIssuer(t)
	i.claims = i.right(token)
	got, err := i.provider().Finish(t.Context(), token, callback, back())
	if err != nil {
		t.Fatal(err)
	}
	if got.Issuer != i.URL || got.Subject != "248289" || got.Email != "ada@example.com" || !got.Verified || got.Name != "Ada" || got.RoleIn("acme") != people.Editor {
		t.Errorf("testimony = %+v", got)
	}
}

func TestFinishRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(i *issuer, sent url.Values)
		want   people.Reason // empty: none
	}{
		"another audience":              {func(i *issuer, _ url.Values) { i.claims["aud"] = "other" }, people.ReasonUnverified},
		"several audiences, no party":   {func(i *issuer, _ url.Values) { i.claims["aud"] = []string{client, "other"} }, people.ReasonUnverified},
		"made for another party":        {func(i *issuer, _ url.Values) { i.claims["azp"] = "other" }, people.ReasonUnverified},
		"several audiences, our party":  {func(i *issuer, _ url.Values) { i.claims["aud"], i.claims["azp"] = []string{client, "other"}, client }, ""},
		"a token of another issuer":     {func(i *issuer, _ url.Values) { i.claims["iss"] = "https://other.example" }, people.ReasonUnverified},
		"another nonce":                 {func(i *issuer, _ url.Values) { i.claims["nonce"] = "other" }, people.ReasonUnverified},
		"no nonce":                      {func(i *issuer, _ url.Values) { delete(i.claims, "nonce") }, people.ReasonUnverified},
		"expired beyond skew":           {func(i *issuer, _ url.Values) { i.claims["exp"] = i.now.Add(-2 * skew).Unix() }, people.ReasonUnverified},
		"expired within skew":           {func(i *issuer, _ url.Values) { i.claims["exp"] = i.now.Add(-skew / 2).Unix() }, ""},
		"valid from tomorrow on":        {func(i *issuer, _ url.Values) { i.claims["nbf"] = i.now.Add(24 * time.Hour).Unix() }, people.ReasonUnverified},
		"no subject":                    {func(i *issuer, _ url.Values) { delete(i.claims, "sub") }, people.ReasonUnverified},
		"a subject with a null":         {func(i *issuer, _ url.Values) { i.claims["sub"] = "a\x00b" }, people.ReasonUnverified},
		"another access token's hash":   {func(i *issuer, _ url.Values) { i.claims["at_hash"] = "other" }, people.ReasonUnverified},
		"no token of who it is":         {func(i *issuer, _ url.Values) { i.claims = nil }, people.ReasonUnverified},
		"a key that the issuer has not": {func(i *issuer, _ url.Values) { own := i.keys; i.sign = i.rotate(); i.keys = own }, people.ReasonUnverified},
		"signed by the client's secret": {func(i *issuer, _ url.Values) {
			i.sign = i.signedBy(jose.SigningKey{Algorithm: jose.HS256, Key: []byte(secret)})
		}, people.ReasonUnverified},
		"not signed": {func(i *issuer, _ url.Values) {
			signed := i.sign(i.claims)
			i.sign = func(any) string {
				return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + strings.Split(signed, ".")[1] + "."
			}
		}, people.ReasonUnverified},
		"userinfo of another":         {func(i *issuer, _ url.Values) { delete(i.claims, "email"); i.info = map[string]any{"sub": "other"} }, people.ReasonUnverified},
		"groups that are elsewhere":   {func(i *issuer, _ url.Values) { elsewhere(i) }, people.ReasonManyGroups},
		"an answer of another issuer": {func(_ *issuer, sent url.Values) { sent.Set("iss", "https://other.example") }, people.ReasonUnverified},
		"no issuer in the answer, of one that names itself": {func(i *issuer, _ url.Values) {
			i.more["authorization_response_iss_parameter_supported"] = true
		}, people.ReasonUnverified},
		"the person said no": {func(_ *issuer, sent url.Values) { sent.Del("code"); sent.Set("error", "access_denied") }, people.ReasonDenied},
		"the code was used":  {answers(http.StatusBadRequest, `{"error": "invalid_grant"}`), people.ReasonOver},
		"an unknown client":  {answers(http.StatusUnauthorized, `{"error": "invalid_client"}`), people.ReasonUnverified},
		"the issuer fails":   {answers(http.StatusBadGateway, `no`), people.ReasonUnavailable},
		"it sends elsewhere": {func(i *issuer, _ url.Values) {
			i.answer = func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, i.URL+"/keys", http.StatusTemporaryRedirect)
			}
		}, people.ReasonUnverified},
	} {
		t.Run(name, func(t *testing.T) {
			i, sent := newIssuer(t), back()
			i.claims = i.right(token)
			tt.change(i, sent)
			_, err := i.provider().Finish(t.Context(), token, callback, sent)
			if got := reasonIn(err); got != tt.want || (err != nil) != (tt.want != "") {
				t.Errorf("Finish = %v, want %q", err, tt.want)
			}
		})
	}
}

// elsewhere has the issuer say where groups can be asked for, as Microsoft Entra does where there are many.
func elsewhere(i *issuer) {
	delete(i.claims, "groups")
	i.claims["_claim_names"] = map[string]string{"groups": "src1"}
	i.claims["_claim_sources"] = map[string]any{"src1": map[string]string{"endpoint": "https://graph.example"}}
	i.info = map[string]any{"sub": "248289"}
}

func answers(status int, body string) func(*issuer, url.Values) {
	return func(i *issuer, _ url.Values) {
		i.answer = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			w.Write([]byte(body))
		}
	}
}

// TestFinishAsksUserinfo has an issuer that leaves to userinfo what the token need not have.
func TestFinishAsksUserinfo(t *testing.T) {
	i := newIssuer(t)
	i.claims = i.right(token)
	for _, name := range []string{"email", "groups", "name"} {
		delete(i.claims, name)
	}
	i.info = map[string]any{"sub": "248289", "email": "ada@example.com", "email_verified": "true", "preferred_username": "ada", "groups": "writers"}
	got, err := i.provider().Finish(t.Context(), token, callback, back())
	if err != nil || got.Email != "ada@example.com" || !got.Verified || got.Name != "ada" || got.RoleIn("acme") != people.Editor {
		t.Errorf("Finish = %+v, %v", got, err)
	}
	// What the token says of an address is not said of userinfo's.
	delete(i.info, "email_verified")
	if got, err = i.provider().Finish(t.Context(), token, callback, back()); err != nil || got.Verified {
		t.Errorf("Finish = %+v, %v", got, err)
	}
}

func TestFinishLetsDomainsIn(t *testing.T) {
	for name, tt := range map[string]struct {
		email    string
		verified any
		want     people.Reason
	}{
		"of the domain":          {"ada@example.com", true, ""},
		"in capitals":            {"Ada@EXAMPLE.com", "true", ""},
		"of another":             {"ada@example.org", true, people.ReasonDomain},
		"of one below":           {"ada@mail.example.com", true, people.ReasonDomain},
		"not verified":           {"ada@example.com", false, people.ReasonDomain},
		"not said whether it is": {"ada@example.com", nil, people.ReasonDomain},
		"two in one":             {`"ada@example.com"@example.org`, true, people.ReasonDomain},
		"none":                   {"", true, people.ReasonDomain},
	} {
		t.Run(name, func(t *testing.T) {
			i := newIssuer(t)
			i.claims = i.right(token)
			i.claims["email"], i.claims["email_verified"] = tt.email, tt.verified
			_, err := i.provider(func(s *Settings) { s.Domains = []string{"Example.com"} }).Finish(t.Context(), token, callback, back())
			if got := reasonIn(err); got != tt.want || (err != nil) != (tt.want != "") {
				t.Errorf("Finish = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestFinishReadsKeysAnew(t *testing.T) {
	i := newIssuer(t)
	p := i.provider()
	for range 2 {
		// Once more where it fails: go-oidc gives a verification that comes while its last
		// request for keys ends the keys of that request, which are those before the rotation.
		var err error
		for range 100 {
			i.claims = i.right(token)
			if _, err = p.Finish(t.Context(), token, callback, back()); err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if err != nil {
			t.Fatal(err)
		}
		i.sign = i.rotate()
	}
	if n := i.discoveries.Load(); n != 1 {
		t.Errorf("asked %d times for what does not change", n)
	}
}

func TestFinishShowsWhoAskedForTheCode(t *testing.T) {
	for name, tt := range map[string]struct {
		methods any
		basic   bool
	}{
		"nothing is said": {nil, true},
		"both":            {[]string{"client_secret_post", "client_secret_basic"}, true},
		"a form alone":    {[]string{"client_secret_post"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			i := newIssuer(t)
			i.claims, i.more["token_endpoint_auth_methods_supported"] = i.right(token), tt.methods
			p := i.provider()
			address, err := p.AuthorizeURL(t.Context(), token, callback)
			if err != nil {
				t.Fatal(err)
			}
			u, err := url.Parse(address)
			if err != nil {
				t.Fatal(err)
			}
			query := u.Query()
			if query.Get("state") != people.Secret(token, people.SecretState) || query.Get("redirect_uri") != callback || query.Get("scope") != "openid profile email" {
				t.Errorf("asked %v", query)
			}
			if _, err := p.Finish(t.Context(), token, callback, back()); err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256([]byte(i.form.Get("code_verifier")))
			if query.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) || query.Get("code_challenge_method") != "S256" {
				t.Errorf("the verifier %q does not go with %v", i.form.Get("code_verifier"), query)
			}
			if i.basic != tt.basic || (i.form.Get("client_secret") == secret) == tt.basic {
				t.Errorf("basic = %t, form = %v", i.basic, i.form)
			}
		})
	}
}

func TestIssuerThatDoesNotAnswer(t *testing.T) {
	i := newIssuer(t)
	i.more["issuer"] = "https://other.example" // it says that it is somebody else
	p := i.provider()
	for range 2 { // the second time it is left alone
		_, err := p.AuthorizeURL(t.Context(), token, callback)
		if schema.KindOf(err) != schema.Unavailable {
			t.Fatalf("AuthorizeURL = %v", err)
		}
	}
	if _, err := p.Finish(t.Context(), token, callback, back()); reasonIn(err) != people.ReasonUnavailable {
		t.Fatalf("Finish = %v", err)
	}
	if n := i.discoveries.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
	delete(i.more, "issuer")
	i.now = i.now.Add(retryAfter)
	if _, err := p.AuthorizeURL(t.Context(), token, callback); err != nil {
		t.Fatal(err)
	}
	// What it said is used on where it answers no more.
	i.more["issuer"] = "https://other.example"
	i.now = i.now.Add(2 * fresh)
	if _, err := p.AuthorizeURL(t.Context(), token, callback); err != nil || i.discoveries.Load() != 3 {
		t.Errorf("AuthorizeURL = %v after %d questions", err, i.discoveries.Load())
	}
}
