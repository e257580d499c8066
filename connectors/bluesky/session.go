package bluesky

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"crier/connectors"
	"crier/schema"
)

// session is what a PDS knows an account by.
type session struct {
	Access  string
	Refresh string
	DID     string
	Handle  string
	PDS     string // base address of the account's own server, without a slash at its end
}

const (
	// refusedFor is how long a refused login is not tried again: a server takes few.
	refusedFor = time.Minute
	// idleSession is when the session of an account without work is forgotten; its
	// access token has expired by then.
	idleSession = 3 * time.Hour
)

// sessions keeps a session for each credentials in use, in memory only. A PDS takes 30
// logins in 5 minutes and 300 a day of an account, so there is one at a time.
type sessions struct {
	client *connectors.Client
	base   string
	now    func() time.Time

	mu     sync.Mutex
	logins map[[sha256.Size]byte]*login
	swept  time.Time
}

// login is the session of one account's credentials, opened by one caller at a time.
type login struct {
	turn chan struct{} // holds one token: whoever took it may read and change the rest

	session session // zero: not opened yet
	refused error   // what the last login was refused with
	until   time.Time

	used time.Time // guarded by sessions.mu
}

func newSessions(client *connectors.Client, base string, now func() time.Time) *sessions {
	return &sessions{client: client, base: base, now: now, logins: map[[sha256.Size]byte]*login{}}
}

// open returns the account's session, and makes it if there is none. Its errors are
// those of connectors.Client.
func (s *sessions) open(ctx context.Context, d schema.Delivery) (session, error) {
	return s.renew(ctx, d, session{})
}

// renew returns a session other than the one that stopped working.
func (s *sessions) renew(ctx context.Context, d schema.Delivery, stale session) (session, error) {
	l := s.of(d)
	select {
	case <-l.turn:
		defer func() { l.turn <- struct{}{} }()
	case <-ctx.Done():
		return session{}, &schema.Error{Kind: schema.Retryable, Message: "the login took too long", Err: ctx.Err()}
	}
	if l.session.Access != stale.Access {
		return l.session, nil
	}
	if l.refused != nil && s.now().Before(l.until) {
		return session{}, l.refused
	}
	next, err := s.next(ctx, d, l.session)
	if err != nil {
		l.refuse(err, s.now())
		return session{}, err
	}
	l.session, l.refused = next, nil
	return next, nil
}

// forgive has a refused login tried again, for whoever asks how the account is now.
func (s *sessions) forgive(ctx context.Context, d schema.Delivery) {
	l := s.of(d)
	select {
	case <-l.turn:
		l.refused = nil
		l.turn <- struct{}{}
	case <-ctx.Done():
	}
}

// refuse remembers a login the server turned down, so that the next caller does not
// try the same again.
func (l *login) refuse(err error, now time.Time) {
	if schema.KindOf(err) == schema.TokenDead {
		l.refused, l.until = err, now.Add(refusedFor)
	}
}

// of returns the login of credentials. They name it, not the account: who reconnects
// with another password gets another session.
func (s *sessions) of(d schema.Delivery) *login {
	c := d.Credentials
	parts := []string{s.server(d.Account), c.Identifier, c.Password, c.AccessToken, c.RefreshToken}
	key := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep(now)
	l, ok := s.logins[key]
	if !ok {
		l = &login{turn: make(chan struct{}, 1)}
		l.turn <- struct{}{}
		s.logins[key] = l
	}
	l.used = now
	return l
}

// sweep forgets idle sessions, now and then.
func (s *sessions) sweep(now time.Time) {
	if now.Sub(s.swept) < idleSession {
		return
	}
	s.swept = now
	for key, l := range s.logins {
		if now.Sub(l.used) >= idleSession {
			delete(s.logins, key)
		}
	}
}

func (s *sessions) server(a schema.Account) string {
	return connectors.ServerOf(a, s.base)
}

// next makes a session out of what there is, the cheapest first: the tokens the
// account came with, the refresh token, the password. It goes on to the next only when
// the server refused the one before; a failing server says nothing about tokens. Without
// a password the refresh token is not touched: the one it is traded for has to be stored,
// which Refresh is for.
func (s *sessions) next(ctx context.Context, d schema.Delivery, last session) (session, error) {
	from, c := last, d.Credentials
	var ways []func() (session, error)
	if last.Access == "" {
		from = session{Access: c.AccessToken, Refresh: c.RefreshToken, PDS: s.server(d.Account)}
		if from.Access != "" {
			ways = append(ways, func() (session, error) { return s.adopt(ctx, d, from) })
		}
	}
	if from.Refresh != "" && c.Password != "" {
		ways = append(ways, func() (session, error) { return s.refresh(ctx, d, from) })
	}
	if c.Password != "" {
		ways = append(ways, func() (session, error) { return s.create(ctx, d) })
	}
	err := error(&schema.Error{Kind: schema.TokenDead, Message: "the account has no credentials for Bluesky that work"})
	for _, way := range ways {
		var next session
		if next, err = way(); err == nil {
			return next, nil
		}
		// Another way meets the end of the account too, and may not name it.
		if e, _ := errors.AsType[*schema.Error](err); e == nil || e.End != schema.NotEnded || e.Kind != schema.TokenDead && e.Kind != schema.Refused {
			return session{}, err
		}
	}
	return session{}, err
}

// sessionAnswer is the output of createSession, refreshSession and getSession; the
// last has no tokens.
type sessionAnswer struct {
	AccessJWT  string      `json:"accessJwt"`
	RefreshJWT string      `json:"refreshJwt"`
	Handle     string      `json:"handle"`
	DID        string      `json:"did"`
	DIDDoc     didDocument `json:"didDoc"`
	Active     *bool       `json:"active"` // older servers do not say
	Status     string      `json:"status"` // why it is not active
}

// ended returns the refusal of an account that a server lets log in and do nothing else.
func (a sessionAnswer) ended() error {
	if a.Active == nil || *a.Active {
		return nil
	}
	end := schema.EndDeactivated
	switch a.Status {
	case "takendown", "suspended":
		end = schema.EndSuspended
	case "deleted":
		end = schema.EndDeleted
	}
	return &schema.Error{Kind: schema.TokenDead, End: end, Message: "the account is " + cmp.Or(end.String(), a.Status)}
}

// create logs in with the app password.
func (s *sessions) create(ctx context.Context, d schema.Delivery) (session, error) {
	from := session{PDS: s.server(d.Account)}
	login := call(d, http.MethodPost, from.PDS, createSession, "")
	login.JSON = map[string]string{"identifier": d.Credentials.Identifier, "password": d.Credentials.Password}
	return s.ask(ctx, login, from)
}

// refresh trades the refresh token for a new pair; the old one works two hours more, and
// is traded for the same one then. A lost answer is Unknown.
func (s *sessions) refresh(ctx context.Context, d schema.Delivery, from session) (session, error) {
	trade := call(d, http.MethodPost, from.PDS, refreshSession, from.Refresh)
	trade.Visible = d.Credentials.Password == ""
	return s.ask(ctx, trade, from)
}

// adopt finds out whose an access token is that somebody else was given. The call is about
// nothing else, so that a server which refuses it refuses the token; one that was taken down
// it calls unknown.
func (s *sessions) adopt(ctx context.Context, d schema.Delivery, from session) (session, error) {
	next, err := s.ask(ctx, call(d, http.MethodGet, from.PDS, getSession, from.Access), from)
	if e, ok := errors.AsType[*schema.Error](err); ok && e.Kind == schema.Refused && isNamed(err, "InvalidRequest") {
		end := schema.NotEnded
		if e.Message == "Could not find user info" {
			end = schema.EndSuspended
		}
		err = &schema.Error{Kind: schema.TokenDead, End: end, Message: e.Message, Err: err}
	}
	return next, err
}

// ask makes a call for a session. What the answer leaves out stays as it was, so that
// an empty token overwrites nothing.
func (s *sessions) ask(ctx context.Context, call connectors.Call, from session) (session, error) {
	var answer sessionAnswer
	if _, err := s.client.Do(ctx, call, &answer); err != nil {
		return session{}, err
	}
	if err := answer.ended(); err != nil {
		return session{}, err
	}
	next := session{
		Access:  cmp.Or(answer.AccessJWT, from.Access),
		Refresh: cmp.Or(answer.RefreshJWT, from.Refresh),
		DID:     answer.DID,
		Handle:  answer.Handle,
		PDS:     answer.DIDDoc.pds(from.PDS),
	}
	if next.Access == "" || next.DID == "" {
		return session{}, &schema.Error{Kind: schema.Retryable, Message: "the server's session has no token or no DID"}
	}
	return next, nil
}

// didDocument is the part of an identity that says where it lives (atproto.com/specs/did).
type didDocument struct {
	Service []struct {
		ID       string `json:"id"`
		Endpoint any    `json:"serviceEndpoint"` // other services may have an object here
	} `json:"service"`
}

// pds returns the account's own server, or the one that answered. Behind an entryway
// such as bsky.social only the former knows at once what was written.
func (d didDocument) pds(answered string) string {
	for _, service := range d.Service {
		endpoint, ok := service.Endpoint.(string)
		if !ok || !strings.HasSuffix(service.ID, "#atproto_pds") {
			continue
		}
		if parsed, err := url.Parse(endpoint); err == nil && parsed.Host != "" && isHTTP(parsed.Scheme, answered) {
			return strings.TrimSuffix(endpoint, "/")
		}
	}
	return answered
}

// isHTTP keeps tokens from going out in the clear where they came over TLS.
func isHTTP(scheme, answered string) bool {
	return scheme == "https" || scheme == "http" && strings.HasPrefix(answered, "http://")
}

// Refresh trades the refresh token of an account that came without a password. Accounts
// with one need no refresh: a session is opened whenever there is none.
func (c *Connector) Refresh(ctx context.Context, a schema.Account, old schema.Credentials) (schema.Credentials, error) {
	d := schema.Delivery{Account: a, Credentials: old}
	from := session{Access: old.AccessToken, Refresh: old.RefreshToken, PDS: c.sessions.server(a)}
	next, err := c.sessions.refresh(ctx, d, from)
	if err != nil {
		return schema.Credentials{}, fmt.Errorf("refreshing session: %w", err)
	}
	traded := old
	traded.AccessToken, traded.RefreshToken, traded.ExpiresAt = next.Access, next.Refresh, expiryOf(next.Access)
	return traded, nil
}

// expiryOf reads when an access token expires, which is a JSON Web Token whose signature is
// the server's business; zero where it does not say.
func expiryOf(token string) time.Time {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return time.Time{}
	}
	body, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return time.Time{}
	}
	var claims struct {
		Expires int64 `json:"exp"`
	}
	if json.Unmarshal(body, &claims) != nil || claims.Expires <= 0 {
		return time.Time{}
	}
	return schema.ValidTime(time.Unix(claims.Expires, 0))
}
