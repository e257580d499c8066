package instagram

import (
	"strings"
	"testing"
	"time"

	"crier/connectors/connectortest"
	"crier/connectors/simulation"
	"crier/schema"
)

func TestATokenIsTradedForTheNext(t *testing.T) {
	r := newRig(t)
	a := schema.Account{ID: schema.NewAccountID(r.clock())}
	short := schema.Credentials{AccessToken: token, Scope: "instagram_business_basic"}
	long, err := r.tokens.Lengthen(t.Context(), a, short)
	if err != nil {
		t.Fatal(err)
	}
	if !long.SelfRenewing || long.Scope != short.Scope || !long.ExpiresAt.Equal(r.clock().Add(60*24*time.Hour)) || long.AccessToken == short.AccessToken {
		t.Errorf("exchanged for %+v", long)
	}
	_, err = r.Refresh(t.Context(), a, long)
	connectortest.WantKind(t, err, schema.Refused) // it is not a day old
	r.pass(25 * time.Hour)
	next, err := r.Refresh(t.Context(), a, long)
	if err != nil || !next.ExpiresAt.Equal(r.clock().Add(60*24*time.Hour)) {
		t.Fatalf("refreshed to %v, %v", next.ExpiresAt, err)
	}
	for _, credentials := range []schema.Credentials{long, next} {
		if profile, err := r.Check(t.Context(), a, credentials); err != nil || profile.NativeID != r.account() {
			t.Errorf("the token is of %q, %v", profile.NativeID, err)
		}
	}
	r.pass(61 * 24 * time.Hour)
	_, err = r.Refresh(t.Context(), a, next)
	connectortest.WantKind(t, err, schema.TokenDead)
}

// The old token goes on working: a trade whose answer is lost is made again.
func TestALostTradeIsRepeated(t *testing.T) {
	r := newRig(t)
	r.inject(t, simulation.Fault{Operation: "GET /refresh_access_token", Lose: true})
	_, err := r.Refresh(t.Context(), schema.Account{}, schema.Credentials{AccessToken: token})
	connectortest.WantKind(t, err, schema.Retryable)
	if _, err := r.Refresh(t.Context(), schema.Account{}, schema.Credentials{AccessToken: token}); err != nil {
		t.Fatal(err)
	}
}

func TestATradeShowsNoSecrets(t *testing.T) {
	r := newRig(t)
	r.tokens.Secret = "a-secret-of-the-app"
	for _, fault := range []simulation.Fault{
		{Lose: true}, {Refuse: true}, {Status: 200, Body: `{"access_token":""}`},
		{Status: 400, Body: `{"error":{"message":"bad ` + token + ` or a-secret-of-the-app","code":100}}`},
	} {
		r.inject(t, fault)
		_, err := r.tokens.Lengthen(t.Context(), schema.Account{}, schema.Credentials{AccessToken: token})
		if err == nil || strings.Contains(err.Error(), token) || strings.Contains(err.Error(), r.tokens.Secret) {
			t.Errorf("error = %v", err)
		}
	}
}
