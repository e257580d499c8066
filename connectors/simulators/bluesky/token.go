package bluesky

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// How long the tokens of a PDS last, and for how long a refresh token that was used
// works on.
const (
	accessLife   = 2 * time.Hour
	refreshLife  = 90 * 24 * time.Hour
	refreshGrace = 2 * time.Hour
)

const (
	accessScope  = "com.atproto.appPass"
	refreshScope = "com.atproto.refresh"
)

// claims is what a token says. Handle is the simulator's own, so that it needs no list
// of accounts.
type claims struct {
	Scope    string `json:"scope,omitempty"`
	Subject  string `json:"sub,omitempty"`
	Issuer   string `json:"iss,omitempty"` // of a service's token
	Audience string `json:"aud,omitempty"`
	Method   string `json:"lxm,omitempty"`
	ID       string `json:"jti,omitempty"`
	Issued   int64  `json:"iat"`
	Expires  int64  `json:"exp"`
	Handle   string `json:"handle,omitempty"`
}

func (c claims) identity() identity { return identity{c.Subject, c.Handle} }

// tokenPair is how a session is handed out.
type tokenPair struct {
	Access  string `json:"accessJwt,omitempty"`
	Refresh string `json:"refreshJwt,omitempty"`
}

// tokens makes and checks JSON Web Tokens.
type tokens struct {
	now func() time.Time

	mu      sync.Mutex
	last    int64
	rotated map[string]rotation // by the id of a refresh token
}

// rotation is what a used refresh token was traded for.
type rotation struct {
	next  string // the same for every use
	until time.Time
}

func newTokens(now func() time.Time) *tokens {
	return &tokens{now: now, rotated: map[string]rotation{}}
}

// simulationKey signs the tokens of every simulator, so that they outlive a restart.
// It protects nothing: there is nothing behind it.
const simulationKey = "simulated accounts only"

var jwtEncoding = base64.RawURLEncoding

func sign(kind string, c claims) string {
	header := `{"typ":"` + kind + `","alg":"HS256"}`
	body, _ := json.Marshal(c) // texts and numbers: there is nothing that could fail
	signed := jwtEncoding.EncodeToString([]byte(header)) + "." + jwtEncoding.EncodeToString(body)
	return signed + "." + signature(signed)
}

func signature(signed string) string {
	mac := hmac.New(sha256.New, []byte(simulationKey))
	mac.Write([]byte(signed))
	return jwtEncoding.EncodeToString(mac.Sum(nil))
}

// pair makes the tokens of a new session.
func (t *tokens) pair(who identity) tokenPair { return t.pairOf(who, t.newID()) }

func (t *tokens) pairOf(who identity, id string) tokenPair {
	now := t.now()
	token := claims{Scope: accessScope, Subject: who.did, Handle: who.handle, Issued: now.Unix(), Expires: now.Add(accessLife).Unix()}
	access := sign("at+jwt", token)
	token.Scope, token.ID, token.Expires = refreshScope, id, now.Add(refreshLife).Unix()
	return tokenPair{Access: access, Refresh: sign("refresh+jwt", token)}
}

// newID returns an id that no other token has, not even one of an earlier run.
func (t *tokens) newID() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = max(t.last+1, t.now().UnixNano())
	return strconv.FormatInt(t.last, 36)
}

// rotate trades a refresh token for a new pair. Whoever uses it again within its grace
// gets a refresh token of the same id; after that it is revoked.
func (t *tokens) rotate(c claims) (tokenPair, error) {
	next := t.newID()
	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	used, ok := t.rotated[c.ID]
	if !ok {
		used = rotation{next: next, until: now.Add(refreshGrace)}
		t.rotated[c.ID] = used
	}
	if now.After(used.until) {
		return tokenPair{}, invalid(expiredToken, "Token has been revoked")
	}
	return t.pairOf(c.identity(), used.next), nil
}

// service makes a token that lets a service call one method in the account's name.
func (t *tokens) service(who identity, audience, method string, expires time.Time) string {
	return sign("JWT", claims{
		Issuer: who.did, Handle: who.handle, Audience: audience, Method: method, Issued: t.now().Unix(), Expires: expires.Unix(),
	})
}

// verify checks the bearer token of a request, and its scope; a service's has none.
func (t *tokens) verify(r *http.Request, scope string) (claims, error) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return claims{}, refusal{http.StatusUnauthorized, "AuthMissing", "Authentication Required"}
	}
	c, ok := parseToken(token)
	switch {
	case !ok:
		return claims{}, invalid(invalidToken, "Token could not be verified")
	case c.Expires <= t.now().Unix():
		return claims{}, invalid(expiredToken, "Token has expired")
	case c.Scope != scope:
		return claims{}, invalid(invalidToken, "Bad token scope")
	}
	return c, nil
}

func parseToken(token string) (claims, bool) {
	end := strings.LastIndexByte(token, '.')
	if end < 0 || !hmac.Equal([]byte(signature(token[:end])), []byte(token[end+1:])) {
		return claims{}, false
	}
	_, body, _ := strings.Cut(token[:end], ".")
	decoded, err := jwtEncoding.DecodeString(body)
	if err != nil {
		return claims{}, false
	}
	var c claims
	return c, json.Unmarshal(decoded, &c) == nil
}
