package oidc

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"crier/schema/people"
)

const (
	callback = "https://crier.example/callback"
	client   = "crier"
	secret   = "the client's secret, long enough to sign by"
)

// issuer is one that can be made to answer wrongly.
type issuer struct {
	*testing.T
	*httptest.Server
	now         time.Time
	discoveries atomic.Int64 // requests for its document
	keys        []jose.JSONWebKey
	claims      map[string]any // of the next token
	sign        func(claims any) string
	info        map[string]any   // of userinfo
	answer      http.HandlerFunc // to the code; nil: a token
	more        map[string]any   // that its discovery says
	form        url.Values       // of the last exchange
	basic       bool             // the last exchange showed the secret in a header
}

func newIssuer(t *testing.T) *issuer {
	i := &issuer{T: t, now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), more: map[string]any{}}
	i.sign = i.rotate()
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", i.discovery)
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) { write(w, map[string]any{"keys": i.keys}) })
	mux.HandleFunc("/userinfo", func(w http.ResponseWriter, _ *http.Request) { write(w, i.info) })
	mux.HandleFunc("/token", i.token)
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

func write(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(body)
}

func (i *issuer) discovery(w http.ResponseWriter, _ *http.Request) {
	i.discoveries.Add(1)
	document := map[string]any{
		"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token", "jwks_uri": i.URL + "/keys",
		"userinfo_endpoint": i.URL + "/userinfo", "id_token_signing_alg_values_supported": []string{"ES256"},
	}
	for name, value := range i.more {
		document[name] = value
	}
	write(w, document)
}

func (i *issuer) token(w http.ResponseWriter, r *http.Request) {
	_, _, i.basic = r.BasicAuth()
	if err := r.ParseForm(); err != nil {
		i.Error(err)
	}
	i.form = r.PostForm
	if i.answer != nil {
		i.answer(w, r)
		return
	}
	response := map[string]any{"access_token": "access", "token_type": "Bearer"}
	if i.claims != nil {
		response["id_token"] = i.sign(i.claims)
	}
	write(w, response)
}

// rotate makes another key, the only one that the issuer has then, and returns what signs by it.
func (i *issuer) rotate() func(claims any) string {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		i.Fatal(err)
	}
	id := strconv.Itoa(len(i.keys)) + key.X.Text(16)
	i.keys = []jose.JSONWebKey{{Key: key.Public(), KeyID: id, Algorithm: "ES256", Use: "sig"}}
	return i.signedBy(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: id}})
}

func (i *issuer) signedBy(key jose.SigningKey) func(claims any) string {
	signer, err := jose.NewSigner(key, nil)
	if err != nil {
		i.Fatal(err)
	}
	return func(claims any) string {
		text, err := jwt.Signed(signer).Claims(claims).Serialize()
		if err != nil {
			i.Fatal(err)
		}
		return text
	}
}

// provider is crier's part. What the issuer is asked passes no guard here.
func (i *issuer) provider(change ...func(*Settings)) *Provider {
	s := Settings{
		Name: "acme", Issuer: i.URL, ClientID: client, Secret: secret, Private: true,
		Members: []Grant{{Group: "writers", Workspace: "acme", Role: "editor"}},
	}
	for _, f := range change {
		f(&s)
	}
	return New(s, http.DefaultTransport, func() time.Time { return i.now })
}

// right are the claims of a token as it should be, in a ceremony.
func (i *issuer) right(token string) map[string]any {
	return map[string]any{
		"iss": i.URL, "aud": client, "sub": "248289", "nonce": people.Secret(token, people.SecretNonce),
		"iat": i.now.Unix(), "exp": i.now.Add(time.Hour).Unix(),
		"email": "Ada@Example.com", "email_verified": true, "name": "Ada", "groups": []string{"writers"},
	}
}
