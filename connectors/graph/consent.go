package graph

import (
	"context"
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
