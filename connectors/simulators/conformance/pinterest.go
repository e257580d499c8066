package conformance

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// Pinterest checks against Pinterest's own OpenAPI description. The storage that takes videos is
// another service, of which it says where it is found and what it is sent.
func Pinterest(t testing.TB) *Checker {
	t.Helper()
	api := readOpenAPI(t, "pinterest/openapi.json")
	return &Checker{violations: serialized(func(e Exchange) []string { return pinterestViolations(api, e) })}
}

const (
	pinterestAPI   = "/v5"
	pinterestToken = "/oauth/token"
)

func pinterestViolations(api *openAPI, e Exchange) []string {
	path, isAPI := strings.CutPrefix(e.URL.Path, pinterestAPI)
	switch {
	case !isAPI:
		return storageViolations(e)
	case path == pinterestToken:
		return tokenViolations(api, e)
	}
	e.URL = &url.URL{Path: path, RawQuery: e.URL.RawQuery}
	found := api.violations(e)
	template, ok := api.template(path)
	if method := strings.ToLower(e.Method); ok && !e.isRefused() {
		found = append(found, api.parameterViolations(pointerOf("paths", template, method), api.Paths[template][method], e)...)
	}
	if scheme, token, _ := strings.Cut(e.RequestHeader.Get("Authorization"), " "); scheme != "Bearer" || token == "" {
		found = append(found, "the call has no bearer token")
	}
	return found
}

// storageViolations checks what is sent to the storage: the fields of a form, and a file. It is
// told no token.
func storageViolations(e Exchange) (found []string) {
	if e.Method != http.MethodPost {
		return nil // a page for browsers
	}
	if e.RequestHeader.Get("Authorization") != "" {
		found = append(found, "the storage is told a token")
	}
	sent, err := e.readForm()
	if err != nil {
		return append(found, fmt.Sprintf("the form cannot be read: %v", err))
	}
	for _, name := range []string{
		"key", "policy", "x-amz-algorithm", "x-amz-credential", "x-amz-date", "x-amz-security-token", "x-amz-signature",
	} {
		if sent.values.Get(name) == "" {
			found = append(found, "field "+name+" is missing")
		}
	}
	if sent.files["file"] == "" {
		found = append(found, "there is no file")
	}
	return found
}

// tokenViolations checks a call for tokens: what its form has and what it is answered with
// depends on the grant.
func tokenViolations(api *openAPI, e Exchange) (found []string) {
	if _, _, isBasic := (&http.Request{Header: e.RequestHeader}).BasicAuth(); !isBasic {
		found = append(found, "the app does not prove who it is")
	}
	if e.isRefused() {
		return append(found, api.answerViolations(pointerOf("paths", pinterestToken, "post"), api.Paths[pinterestToken]["post"], e)...)
	}
	sent, err := e.readForm()
	if err != nil {
		return append(found, fmt.Sprintf("the form cannot be read: %v", err))
	}
	grants := map[string]string{"authorization_code": "Code", "refresh_token": "Refresh"}
	grant := grants[sent.values.Get("grant_type")]
	if grant == "" {
		return append(found, "the grant is not one of people")
	}
	fields := map[string]any{}
	for name, values := range sent.values {
		if fields[name] = values[0]; name == "continuous_refresh" { // described in words alone
			delete(fields, name)
		}
	}
	at := func(name string) string { return pointerOf("components", "schemas", name+grant) }
	found = append(found, api.validate("request", at("OauthAccessTokenRequest"), fields, true)...)
	answer, err := decode(e.Body)
	if err != nil {
		return append(found, fmt.Sprintf("the answer cannot be read: %v", err))
	}
	return slices.Concat(found, api.validate("answer", at("OauthAccessTokenResponse"), answer, false))
}
