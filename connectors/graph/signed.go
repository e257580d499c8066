package graph

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"crier/connectors"
	"crier/connectors/oauth"
	"crier/schema"
)

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
