package graph

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"crier/connectors"
	"crier/connectors/oauth"
	"crier/schema"
)

// Consent is how a platform is asked for a person's consent. What a code is worth lives for an hour or
// two, and is traded again.
type Consent struct {
	oauth.Flow
	Platform schema.Platform
	Now      func() time.Time
}

// NewConsent makes the consent of a connector. Scopes have commas between them.
func NewConsent(d oauth.Dialect, p connectors.Parts, scopes connectors.Scopes) Consent {
	d.Separator = ","
	return Consent{Flow: oauth.New(d, p, scopes), Platform: d.Platform, Now: p.Now}
}

// Redeem trades a code. Facebook's "#_=_" and the "#_" of the others stand at the end of the address
// that brings the code and are no part of it.
func (c Consent) Redeem(ctx context.Context, a schema.Account, g connectors.Grant) (oauth.Granted, error) {
	g.Code, _, _ = strings.Cut(g.Code, "#")
	granted, err := c.Flow.Redeem(ctx, a, g)
	return granted, ofApp(err)
}

// ofApp judges a refusal of the token endpoint: the code that elsewhere is of an unknown error
// tells of a wrong secret there, which no try mends.
func ofApp(err error) error {
	if r, ok := errors.AsType[Error](err); ok && r.Code == codeUnknown && r.Status == http.StatusBadRequest && !r.Transient {
		return &schema.Error{Kind: schema.Refused, Message: r.Message, Err: r}
	}
	return err
}

// signedAlgorithm is the only one that Meta signs with.
const signedAlgorithm = "HMAC-SHA256"

// oldestSigned is how old a signed request may be. No document says for how long one is sent again
// that was not answered.
const oldestSigned = 3 * 24 * time.Hour

// PersonOf returns the person whom a signed request is about: a signature and a document, in
// base64 for addresses and with a dot between them. The signature is of the document as it
// stands there, with the app's secret (developers.facebook.com/docs/facebook-login/guides/
// advanced/oauth-token-security and .../data-deletion-callback). It is Unauthorized where that
// does not hold, and of a request that is older than Meta would send it: whoever has one from
// before a person consented again must not end what is connected since.
func (c Consent) PersonOf(signed string) (id string, err error) {
	if c.App.Secret == "" {
		return "", connectors.NoAppCalled(c.Platform)
	}
	signature, document, found := strings.Cut(signed, ".")
	given, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(signature, "="))
	if !found || err != nil {
		return "", notSigned()
	}
	mac := hmac.New(sha256.New, []byte(c.App.Secret))
	mac.Write([]byte(document))
	if !hmac.Equal(given, mac.Sum(nil)) {
		return "", notSigned()
	}
	content, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(document, "="))
	if err != nil {
		return "", notSigned()
	}
	var request struct {
		Algorithm string   `json:"algorithm"`
		UserID    oauth.ID `json:"user_id"`
		IssuedAt  int64    `json:"issued_at"` // seconds since 1970; 0: it does not say
	}
	if json.Unmarshal(content, &request) != nil || !strings.EqualFold(request.Algorithm, signedAlgorithm) || request.UserID == "" {
		return "", notSigned()
	}
	if request.IssuedAt > 0 && c.Now().Sub(time.Unix(request.IssuedAt, 0)) > oldestSigned {
		return "", &schema.Error{Kind: schema.Unauthorized, Message: "signed_request was signed more than three days ago"}
	}
	return string(request.UserID), nil
}

func notSigned() error {
	return &schema.Error{Kind: schema.Unauthorized, Message: "signed_request is not signed with the secret of this server's app"}
}
