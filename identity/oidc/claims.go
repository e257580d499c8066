package oidc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"slices"
	"strings"
	"unicode"

	gooidc "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"crier/schema/people"
)

// Bounds of what is taken over, in bytes.
const (
	maxSubject = 255 // OpenID Connect Core 1.0, 2
	maxEmail   = 254 // RFC 5321, 4.5.3.1.3
	maxName    = 200
	// maxLoggedGroups is how many groups a log names.
	maxLoggedGroups = 20
)

// claims are what an issuer says of somebody, each still as JSON.
type claims map[string]json.RawMessage

// claims returns those of the token, and of userinfo what the token lacks: with the code flow an issuer may leave
// all but the subject to that (OpenID Connect Core 1.0, 5.4).
func (p *Provider) claims(ctx context.Context, d *discovery, granted *oauth2.Token, idToken *gooidc.IDToken) (claims, error) {
	var all claims
	if err := idToken.Claims(&all); err != nil {
		return nil, fmt.Errorf("reading the id_token: %w", err)
	}
	if all.has("email") && (all.has(p.settings.GroupsClaim) || !p.settings.namesGroups()) || d.UserInfoEndpoint() == "" {
		return all, nil
	}
	info, err := d.UserInfo(ctx, oauth2.StaticTokenSource(granted))
	if err != nil {
		return nil, fmt.Errorf("asking userinfo: %w", err)
	}
	if info.Subject != idToken.Subject { // of a token that somebody has put in another's place (5.3.2)
		return nil, errors.New("userinfo is of another subject than the id_token")
	}
	var more claims
	if err := info.Claims(&more); err != nil {
		return nil, fmt.Errorf("reading userinfo: %w", err)
	}
	if all.has("email") {
		delete(more, "email_verified") // which is of its own address
	} else {
		delete(all, "email_verified")
	}
	for name, value := range more {
		if !all.has(name) {
			all[name] = value
		}
	}
	return all, nil
}

func (c claims) has(name string) bool { return len(c[name]) > 0 && string(c[name]) != "null" }

// text returns a claim that is a string; else none.
func (c claims) text(name string) (text string) {
	if json.Unmarshal(c[name], &text) != nil {
		return ""
	}
	return text
}

// truth reports whether a claim is true, or says so as text, as some issuers have it.
func (c claims) truth(name string) bool {
	var is bool
	if json.Unmarshal(c[name], &is) == nil {
		return is
	}
	return c.text(name) == "true"
}

// texts returns a claim that is a list of strings, or one of them.
func (c claims) texts(name string) (all []string) {
	if text := c.text(name); text != "" {
		return []string{text}
	}
	if json.Unmarshal(c[name], &all) != nil {
		return nil
	}
	return all
}

// isElsewhere reports whether an issuer says where a claim can be asked for, in place of it: Microsoft Entra does
// where somebody has more than 200 groups.
func (c claims) isElsewhere(name string) bool {
	var named map[string]json.RawMessage
	_ = json.Unmarshal(c["_claim_names"], &named) // what is none names none
	_, is := named[name]
	return is && !c.has(name)
}

// testify returns what claims say of a subject. The error is a *people.SignInError.
func (p *Provider) testify(subject string, c claims) (t people.Testimony, err error) {
	if len(subject) == 0 || len(subject) > maxSubject || !isPlain(subject) {
		return t, refuse(people.ReasonUnverified, errors.New("the subject is empty, too long, or no text"))
	}
	if p.settings.namesGroups() && c.isElsewhere(p.settings.GroupsClaim) {
		return t, refuse(people.ReasonManyGroups, nil)
	}
	groups := c.texts(p.settings.GroupsClaim)
	t = people.Testimony{
		Issuer: p.settings.Issuer, Subject: subject, Email: c.email(), Verified: c.truth("email_verified"),
		Groups: groups[:min(len(groups), maxLoggedGroups)], Roles: p.settings.roles(groups),
	}
	t.Name = c.name(t.Email)
	domain := t.Email[strings.LastIndexByte(t.Email, '@')+1:]
	if len(p.settings.Domains) > 0 && (!t.Verified || !slices.Contains(p.settings.Domains, domain)) {
		return t, refuse(people.ReasonDomain, nil)
	}
	return t, nil
}

// email returns the address as users have it; empty where there is none.
func (c claims) email() string {
	text := people.Email(c.text("email"))
	parsed, err := mail.ParseAddress(text)
	if err != nil || parsed.Address != text || len(text) > maxEmail || !isPlain(text) {
		return ""
	}
	return text
}

// name is what somebody is called; the address where the issuer does not say.
func (c claims) name(email string) string {
	for _, claim := range []string{"name", "preferred_username"} {
		text := strings.TrimSpace(c.text(claim))
		if text != "" && len(text) <= maxName && isPlain(text) {
			return text
		}
	}
	return email
}

// isPlain reports whether a text has nothing in it that pages and databases do not show.
func isPlain(text string) bool { return !strings.ContainsFunc(text, unicode.IsControl) }
