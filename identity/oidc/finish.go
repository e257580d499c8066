package oidc

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"time"

	gooidc "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"crier/schema/people"
)

// Finish returns who somebody is whom the issuer has sent back to a callback with some parameters, to a browser
// that has the token of the ceremony and its state. The error is a *people.SignInError.
func (p *Provider) Finish(ctx context.Context, token, callback string, sent url.Values) (people.Testimony, error) {
	d, err := p.discover(ctx)
	if err != nil {
		return people.Testimony{}, refuse(people.ReasonUnavailable, err)
	}
	if err := p.checkSent(d, sent); err != nil {
		return people.Testimony{}, err
	}
	ctx = gooidc.ClientContext(ctx, p.client)
	granted, err := p.oauth(d, callback).Exchange(ctx, sent.Get("code"), oauth2.VerifierOption(people.Secret(token, people.SecretVerifier)))
	if err != nil {
		return people.Testimony{}, refuse(reasonOf(err), fmt.Errorf("exchanging the code: %w", err))
	}
	idToken, err := p.verify(ctx, d, granted, people.Secret(token, people.SecretNonce))
	if err != nil {
		return people.Testimony{}, refuse(people.ReasonUnverified, err)
	}
	claims, err := p.claims(ctx, d, granted, idToken)
	if err != nil {
		return people.Testimony{}, refuse(people.ReasonUnverified, err)
	}
	return p.testify(idToken.Subject, claims)
}

func refuse(reason people.Reason, err error) error {
	return &people.SignInError{Reason: reason, Err: err}
}

var errorName = regexp.MustCompile(`^[a-z_]{1,60}$`)

// checkSent refuses what another issuer sends (RFC 9207), and what has no code.
func (p *Provider) checkSent(d *discovery, sent url.Values) error {
	issuer := sent.Get("iss")
	if issuer != "" && issuer != p.settings.Issuer || issuer == "" && d.NamesItself {
		return refuse(people.ReasonUnverified, fmt.Errorf("the answer is of the issuer %q", issuer))
	}
	if sent.Get("code") != "" {
		return nil
	}
	name := sent.Get("error")
	if !errorName.MatchString(name) {
		name = "none"
	}
	return refuse(people.ReasonDenied, errors.New("the issuer's error: "+name))
}

// reasonOf tells an issuer that does not answer from one that refuses a code, and from one to which crier is not
// the client that it says it is.
func reasonOf(err error) people.Reason {
	refused, answered := errors.AsType[*oauth2.RetrieveError](err)
	switch {
	case !answered || refused.Response.StatusCode >= http.StatusInternalServerError:
		return people.ReasonUnavailable
	case refused.ErrorCode == "invalid_grant": // it was used, or is too old
		return people.ReasonOver
	default:
		return people.ReasonUnverified
	}
}

// verify checks the token of who signed in (OpenID Connect Core 1.0, 3.1.3.7).
func (p *Provider) verify(ctx context.Context, d *discovery, granted *oauth2.Token, nonce string) (*gooidc.IDToken, error) {
	raw, _ := granted.Extra("id_token").(string)
	if raw == "" {
		return nil, errors.New("the issuer sends no id_token: does the client's scope have openid?")
	}
	verifier := d.Verifier(&gooidc.Config{ClientID: p.settings.ClientID, Now: func() time.Time { return p.now().Add(-skew) }})
	idToken, err := verifier.Verify(ctx, raw)
	if err != nil {
		return nil, err
	}
	if subtle.ConstantTimeCompare([]byte(idToken.Nonce), []byte(nonce)) == 0 {
		return nil, errors.New("the nonce of the id_token is not that of this sign-in")
	}
	if idToken.AccessTokenHash != "" {
		if err := idToken.VerifyAccessToken(granted.AccessToken); err != nil {
			return nil, err
		}
	}
	return idToken, p.checkParty(idToken)
}

// checkParty refuses a token that was made for another client, of which crier may be one more audience.
func (p *Provider) checkParty(idToken *gooidc.IDToken) error {
	var party struct {
		AZP string `json:"azp"`
	}
	if err := idToken.Claims(&party); err != nil {
		return fmt.Errorf("reading azp: %w", err)
	}
	if party.AZP != "" && party.AZP != p.settings.ClientID || party.AZP == "" && len(idToken.Audience) > 1 {
		return fmt.Errorf("the id_token was made for %q", party.AZP)
	}
	return nil
}
