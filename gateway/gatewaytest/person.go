package gatewaytest

import (
	"net/http"
	"net/url"
	"strings"
)

// Person is somebody with a browser who connects accounts.
type Person struct {
	*API
	*Browser
	WorkspaceKey string // the key of the workspace that asks for the account
}

// Person is asked for an account by the first workspace.
func (a *API) Person() *Person {
	return &Person{a, &Browser{TB: a.TB, Served: map[string]string{"https://crier.example": a.URL}}, a.Key}
}

// Begin asks for the platform's page and opens it. The query follows the platform's name.
func (p *Person) Begin(platform, query string) Page {
	p.API.Helper()
	begun := p.RequestWith(p.WorkspaceKey, http.MethodGet, "/connect/"+platform+query, nil).Want(http.StatusOK)
	return p.Open(begun.At("authUrl").Text())
}

// Allow consents on a platform's page, and is on ours.
func (p *Person) Allow(page Page, name string) Page {
	p.API.Helper()
	return p.Submit(page, url.Values{"crier_answer": {"allow"}, "crier_name": {name}})
}

// Attach agrees that the account is attached.
func (p *Person) Attach(page Page) Page {
	p.API.Helper()
	return p.Submit(page, url.Values{"decision": {"attach"}})
}

// WantPage fails the test unless a page of ours has the status and the texts.
func (p *Person) WantPage(page Page, status int, texts ...string) {
	p.API.Helper()
	if page.Status != status {
		p.API.Fatalf("%s: status %d, want %d: %s", page.URL, page.Status, status, page.Body)
	}
	for _, text := range texts {
		if !strings.Contains(page.Body, text) {
			p.API.Errorf("%s does not say %q: %s", page.URL, text, page.Body)
		}
	}
	if policy := page.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; style-src 'sha256-") || !strings.Contains(policy, "; base-uri 'none'; frame-ancestors 'none'; form-action 'self'") {
		p.API.Errorf("policy = %q", policy)
	}
	if page.Header.Get("Cache-Control") != "no-store" || page.Header.Get("Referrer-Policy") != "no-referrer" {
		p.API.Errorf("header = %v", page.Header)
	}
}

// WantRedirect fails the test unless the browser was sent to an address, and returns with what.
func (p *Person) WantRedirect(page Page, address string) url.Values {
	p.API.Helper()
	query := page.URL.Query()
	if page.Status != 0 || page.URL.Scheme+"://"+page.URL.Host+page.URL.Path != address {
		p.API.Fatalf("the browser is at %s: %d %s", page.URL, page.Status, page.Body)
	}
	return query
}

// SelectionToken consents to facebook as somebody, and returns the token with which their pages are
// chosen.
func (p *Person) SelectionToken(name string) string {
	p.API.Helper()
	p.RequestWith(p.WorkspaceKey, http.MethodPut, "/connect/redirects", map[string]any{"redirects": []string{Landing}}).Want(http.StatusOK)
	question := p.Allow(p.Begin("facebook", "?redirect="+Landing), name)
	p.WantPage(question, http.StatusOK, "What you choose of yours on Facebook")
	query := p.WantRedirect(p.Attach(question), Landing)
	if query.Get("selectionRequired") != "true" || query.Get("platform") != "facebook" {
		p.API.Fatalf("sent back with %v", query)
	}
	return query.Get("selectionToken")
}

// Landing is where people are sent once they have connected.
const Landing = "https://app.example/connected"

// WantAccounts fails the test unless the workspace has n accounts, and returns the first.
func (a *API) WantAccounts(n int) JSON {
	a.Helper()
	listed := a.Request(http.MethodGet, "/accounts", nil).Want(http.StatusOK)
	if got := listed.At("accounts").Len(); got != n {
		a.Fatalf("%d accounts, want %d: %v", got, n, listed)
	}
	return listed.At("accounts", 0)
}

// BlueskyLogin connects an account on bluesky.
const BlueskyLogin = `{"identifier": "alice.example.com", "password": "abcd-efgh-ijkl-mnop"}`
