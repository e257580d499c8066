package connectortest

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/oauth2"

	"crier/connectors"
	"crier/schema"
)

// What a person is sent back with.
const (
	callbackAddress = "https://crier.example/api/v1/connect/callback"
	callback        = callbackAddress + "?of=x"
	state           = "state&1"
)

// Visit is a person's way over a platform's page of consent, and crier's to tokens after it.
type Visit struct {
	Page  *url.URL
	Grant connectors.Grant // what a code is traded with: a test may spoil it

	platform connectors.Authorizer
	account  schema.Account
}

// NewVisit has a connector ask for a consent. known is crier's registration with the account's server; zero:
// there is none.
func NewVisit(t *testing.T, platform connectors.Authorizer, a schema.Account, known connectors.App) *Visit {
	t.Helper()
	v := &Visit{platform: platform, account: a, Grant: connectors.Grant{Callback: callback, Verifier: oauth2.GenerateVerifier()}}
	page, app, err := platform.Authorize(t.Context(), a, connectors.AuthorizationRequest{
		App: known, Callback: callback, State: state, Verifier: v.Grant.Verifier,
	})
	if err != nil {
		t.Fatalf("Authorize: %v", err)
	}
	v.Grant.App = app
	if v.Page, err = url.Parse(page); err != nil {
		t.Fatal(err)
	}
	return v
}

// Answer opens the page as a person's browser does, sends its form, and returns where the person is sent
// then.
func (v *Visit) Answer(t *testing.T, form url.Values) *url.URL {
	t.Helper()
	status, header := v.browse(t, http.MethodGet, nil)
	if kind := header.Get("Content-Type"); status != http.StatusOK || !strings.HasPrefix(kind, "text/html") {
		t.Fatalf("the page is %d, %s", status, kind)
	}
	status, header = v.browse(t, http.MethodPost, form)
	back, err := url.Parse(header.Get("Location"))
	if err != nil || status != http.StatusFound {
		t.Fatalf("status %d leads to %q, %v", status, header.Get("Location"), err)
	}
	if address, _, _ := strings.Cut(back.String(), "?"); address != callbackAddress || back.Query().Get("of") != "x" ||
		back.Query().Get("state") != state {
		t.Fatalf("sent back to %s", back)
	}
	return back
}

// Allow has a person by the name of ada consent to some scopes, and returns the code; nil: to all that are
// asked for.
func (v *Visit) Allow(t *testing.T, scopes ...string) (code string) {
	t.Helper()
	form, separator := url.Values{"crier_answer": {"allow"}, "crier_name": {"ada"}}, " "
	if strings.Contains(v.Page.Query().Get("scope"), ",") {
		separator = ","
	}
	if scopes != nil {
		form.Set("crier_scope", strings.Join(scopes, separator))
	}
	return v.Answer(t, form).Query().Get("code")
}

// Exchange trades a code for tokens.
func (v *Visit) Exchange(t *testing.T, code string) (schema.Credentials, error) {
	t.Helper()
	v.Grant.Code = code
	return v.platform.Exchange(t.Context(), v.account, v.Grant)
}

// browse makes a browser's request, and follows nothing.
func (v *Visit) browse(t *testing.T, method string, form url.Values) (status int, header http.Header) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, v.Page.String(), strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode, response.Header
}
