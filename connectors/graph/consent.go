package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"crier/connectors"
	"crier/schema"
)

// Consent is how a platform is asked for a person's consent.
type Consent struct {
	Platform schema.Platform
	App      connectors.App
	Page     string // address of the platform's page, without a query
	Scopes   connectors.Scopes
	Now      func() time.Time
}

// Address returns the page for a request. Its scopes have commas between them.
func (c Consent) Address(r connectors.AuthorizationRequest, further ...oauth2.AuthCodeOption) (page string, app connectors.App, err error) {
	if c.App.ID == "" || c.App.Secret == "" {
		return "", connectors.App{}, connectors.NoApp(c.Platform)
	}
	return r.Page(c.Page, c.App.ID, []string{strings.Join(c.Scopes.Asked(), ",")}, further...), connectors.App{}, nil
}

// Form returns what the code of a grant is redeemed with. Facebook's "#_=_" and the "#_" of the
// others stand at the end of the address that brings the code and are no part of it.
func (c Consent) Form(g connectors.Grant) url.Values {
	code, _, _ := strings.Cut(g.Code, "#")
	return url.Values{
		"client_id": {c.App.ID}, "client_secret": {c.App.Secret}, "grant_type": {"authorization_code"},
		"redirect_uri": {g.Callback}, "code": {code},
	}
}

// Granted is what a code is worth: a token that lives for an hour or two.
type Granted struct {
	Token  string
	Life   time.Duration // zero: not said
	Scopes []string      // none: not said
	Person string        // whose it is; empty: not said
}

// Redeem makes the call that trades a code for a token. It works once.
func Redeem(ctx context.Context, client *connectors.Client, call connectors.Call) (Granted, error) {
	var out struct {
		redeemed
		Data []redeemed `json:"data"` // of Instagram, by its documents; what it sends stands by itself
	}
	if _, err := client.Do(ctx, call, &out); err != nil {
		return Granted{}, fmt.Errorf("redeeming a code: %w", ofApp(err))
	}
	got := out.redeemed
	if got.AccessToken == "" && len(out.Data) > 0 {
		got = out.Data[0]
	}
	if got.AccessToken == "" {
		return Granted{}, &schema.Error{Kind: schema.Retryable, Message: "the platform's answer holds no token"}
	}
	return Granted{Token: got.AccessToken, Life: connectors.Life(got.ExpiresIn), Scopes: got.Permissions, Person: string(got.UserID)}, nil
}

type redeemed struct {
	AccessToken string `json:"access_token"`
	ExpiresIn   int64  `json:"expires_in"` // seconds
	Permissions scopes `json:"permissions"`
	UserID      ident  `json:"user_id"`
}

// scopes are a list, or a text with commas between them.
type scopes []string

// UnmarshalJSON reads either.
func (s *scopes) UnmarshalJSON(content []byte) error {
	var text string
	if json.Unmarshal(content, &text) == nil {
		*s = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
		return nil
	}
	return json.Unmarshal(content, (*[]string)(s))
}

// ofApp judges a refusal of the token endpoint: the code that elsewhere is of an unknown error
// tells of a wrong secret there, which no try mends.
func ofApp(err error) error {
	if r, ok := errors.AsType[Error](err); ok && r.Code == codeUnknown && r.Status == http.StatusBadRequest && !r.Transient {
		return &schema.Error{Kind: schema.Refused, Message: r.Message, Err: r}
	}
	return err
}
