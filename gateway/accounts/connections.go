package accounts

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"golang.org/x/sync/errgroup"

	"crier/connectors"
	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
)

const (
	maxCredential    = 4096 // bytes
	maxChats         = 20   // of one request
	candidatesAtOnce = 8
	connectTimeout   = 12 * time.Second
	retryPlatform    = 10 * time.Second
	codeCredentials  = "credentials_refused"
	codeRefused      = "platform_refused"
	codeUnreachable  = "server_unreachable"
)

// connections connects accounts whose credentials a caller has. Each is checked with its
// platform before it is stored; one that is connected already gets the new credentials.
type connections struct{ Config }

func (s *connections) routes() []admission.Route {
	routes := []admission.Route{
		admission.Handle(http.MethodPost, "/connect/bluesky", schema.Admin, body.WithForm(s.bluesky)),
		admission.Handle(http.MethodPost, "/connect/mastodon", schema.Admin, body.WithForm(s.mastodon)),
		admission.Handle(http.MethodPost, "/connect/telegram/channels", schema.Admin, body.WithForm(s.telegram)),
	}
	for _, p := range schema.Platforms() {
		if tokens := s.Connecting(p).Tokens; tokens.Accepted {
			routes = append(routes, admission.Handle(http.MethodPost, "/connect/"+p.String(), schema.Admin, s.token(p, tokens)))
		}
	}
	return routes
}

// renewSoon is when a token is renewed that renews itself and whose expiry its owner does not
// tell: it has to be a day old.
const renewSoon = 2 * 24 * time.Hour

// token connects an account by tokens that its platform gave to an app.
func (s *connections) token(platform schema.Platform, tokens connectors.Tokens) func(*gin.Context) error {
	return body.WithForm(func(c *gin.Context, f *body.Form) error {
		credentials := schema.Credentials{AccessToken: readToken(f, "accessToken"), SelfRenewing: tokens.SelfRenewing}
		f.Require("accessToken")
		if credentials.ExpiresAt = f.Time("expiresAt"); credentials.ExpiresAt.IsZero() && tokens.SelfRenewing {
			credentials.ExpiresAt = s.Now().Add(renewSoon)
		}
		if tokens.Refresh {
			credentials.RefreshToken = readToken(f, "refreshToken")
		}
		blamed := "accessToken"
		if tokens.Entity {
			credentials.EntityID, _ = f.Pasted("entityId", body.MaxName)
			blamed = "entityId"
		}
		return s.single(c, f, candidate{
			platform: platform, credentials: credentials, secretField: "accessToken", nameField: blamed,
		})
	})
}

// candidate is an account that a request asks to connect, with the fields to blame.
type candidate struct {
	platform    schema.Platform
	server      string
	credentials schema.Credentials
	secretField string // the credentials, if they are refused
	nameField   string // what they are for, if that is
}

// readToken returns a token that can be sent in a header and an address. With any other the
// call to the platform would not even begin, as if it did not answer.
func readToken(f *body.Form, name string) string {
	token, ok := f.Pasted(name, maxCredential)
	if ok && (token == "" || strings.ContainsFunc(token, func(r rune) bool { return r < '!' || r > '~' })) {
		f.Fail(name, body.CodeInvalidValue, "must be a token: visible characters of ASCII, without spaces")
	}
	return token
}

// bluesky connects an account by an app password.
func (s *connections) bluesky(c *gin.Context, f *body.Form) error {
	identifier, _ := f.Pasted("identifier", body.MaxName)
	password, _ := f.Pasted("password", maxCredential)
	f.Require("identifier")
	f.Require("password")
	return s.single(c, f, candidate{
		platform: schema.Bluesky, server: s.readServer(c, f, schema.Bluesky),
		credentials: schema.Credentials{Identifier: schema.PastedHandle(identifier), Password: password},
		secretField: "password", nameField: "identifier",
	})
}

// mastodon connects an account by an access token.
func (s *connections) mastodon(c *gin.Context, f *body.Form) error {
	token := readToken(f, "accessToken")
	f.Require("accessToken")
	return s.single(c, f, candidate{
		platform: schema.Mastodon, server: s.readServer(c, f, schema.Mastodon),
		credentials: schema.Credentials{AccessToken: token},
		secretField: "accessToken", nameField: "accessToken",
	})
}

func (s *connections) single(c *gin.Context, f *body.Form, login candidate) error {
	accounts, status, err := s.connect(c, f, []candidate{login})
	if err != nil {
		return err
	}
	return answer.Named(c, status, "account", accounts[0], f.Report.Warnings)
}

// telegram registers the channels and groups that a bot posts to, all or none.
func (s *connections) telegram(c *gin.Context, f *body.Form) error {
	token := readToken(f, "botToken")
	f.Require("botToken")
	server := s.readServer(c, f, schema.Telegram)
	var candidates []candidate
	for _, chat := range readChats(f) {
		candidates = append(candidates, candidate{
			platform: schema.Telegram, server: server, credentials: schema.Credentials{BotToken: token, ChatID: chat.id},
			secretField: "botToken", nameField: chat.field,
		})
	}
	accounts, status, err := s.connect(c, f, candidates)
	if err != nil {
		return err
	}
	return answer.Named(c, status, "accounts", accounts, f.Report.Warnings)
}

// chat is a chat that a request names, and where.
type chat struct{ id, field string }

// readChats reads one chat, or a list of them. Their ids are numbers, which JSON may carry
// as such.
func readChats(f *body.Form) []chat {
	var chats []chat
	add := func(v body.Value, field string) {
		id := schema.Pasted(v.Text)
		if (v.Kind != body.Text && v.Kind != body.Number) || id == "" || len(id) > body.MaxName {
			f.Fail(field, body.CodeInvalidType, "must be a chat's @name or its numeric id")
			return
		}
		chats = append(chats, chat{id, field})
	}
	id, named := f.Find("chatId")
	if named {
		add(id, "chatId")
	}
	many, listed := f.List("chatIds", maxChats)
	for i, v := range many {
		add(v, body.Indexed("chatIds", i))
	}
	if named == listed || (listed && len(many) == 0) {
		f.Fail("chatId", body.CodeRequired, "chatId or chatIds is required, and one of them only")
	}
	return chats
}

// connect checks candidates with their platform and stores them, all or none. The status
// is 201 where any of them is new.
func (s *connections) connect(c *gin.Context, f *body.Form, candidates []candidate) ([]accountView, int, error) {
	brand := f.Brand()
	if err := f.Finish(); err != nil {
		return nil, 0, err
	}
	ctx, cancel := context.WithTimeout(c.Request.Context(), connectTimeout)
	defer cancel()
	var prepared []schema.Connection
	for i, found := range s.checkAll(ctx, admission.RequestOf(c).Key, candidates) {
		if found.err != nil {
			if err := blame(f, candidates[i], found.err); err != nil {
				return nil, 0, err
			}
			continue
		}
		connection := found.connection
		connection.Account.Brand = brand
		if !slices.ContainsFunc(prepared, func(other schema.Connection) bool {
			return other.Account.NativeID == connection.Account.NativeID
		}) {
			prepared = append(prepared, connection)
		}
	}
	if err := f.Report.Err(); err != nil {
		return nil, 0, err
	}
	workspace := admission.RequestOf(c).Key.Workspace
	connected, err := s.Store.Connect(ctx, workspace, prepared)
	s.Directories.Forget(workspace)
	if err != nil {
		return nil, 0, err
	}
	return s.view(ctx, workspace, connected)
}

// view shows accounts as they are stored now.
func (s *connections) view(ctx context.Context, workspace schema.WorkspaceID, connected []schema.Connected) ([]accountView, int, error) {
	views, status := make([]accountView, len(connected)), http.StatusOK
	for i, connection := range connected {
		account, err := s.Store.Account(ctx, workspace, connection.Account.ID)
		if err != nil {
			return nil, 0, err
		}
		views[i] = viewAccount(account)
		if connection.New {
			status = http.StatusCreated
		}
	}
	return views, status, nil
}

// checked is what came of the check of a candidate.
type checked struct {
	connection schema.Connection
	err        error
}

// checkAll checks candidates, some of them at a time.
func (s *connections) checkAll(ctx context.Context, key schema.Key, candidates []candidate) []checked {
	all := make([]checked, len(candidates))
	var group errgroup.Group
	group.SetLimit(candidatesAtOnce)
	for i, login := range candidates {
		group.Go(func() error {
			all[i].connection, all[i].err = s.check(ctx, key, login)
			return nil
		})
	}
	_ = group.Wait() // what fails is a result
	return all
}

// check asks the platform whose credentials these are. A sandbox account has no server: it
// lives wherever the simulators are.
func (s *connections) check(ctx context.Context, key schema.Key, login candidate) (schema.Connection, error) {
	account := schema.Account{Workspace: key.Workspace, Platform: login.platform, Server: login.server, Sandbox: key.Sandbox, FromDashboard: !key.User.IsZero()}
	checker, err := connectors.As[connectors.Checker](s.Platforms, account)
	if err != nil {
		return schema.Connection{}, err
	}
	profile, err := checker.Check(ctx, account, login.credentials)
	if err != nil {
		return schema.Connection{}, err
	}
	_, unable := connectors.As[connectors.Refresher](s.Platforms, account)
	account.NativeID, account.Name, account.Server, account.Settings = profile.NativeID, profile.Name, profile.Server, profile.Settings
	if key.Sandbox {
		account.Server = ""
	}
	return schema.Connection{
		Account: account, Person: login.credentials.PersonID, ExpiresAt: profile.Expiry(login.credentials),
		Renewable: login.credentials.Refreshable() && unable == nil,
		Seal:      s.seal(login.credentials),
	}, nil
}

// seal seals credentials, unless they are those that are stored.
func (s *connections) seal(credentials schema.Credentials) func(schema.Account) ([]byte, bool, error) {
	return func(stored schema.Account) ([]byte, bool, error) {
		if len(stored.Sealed) > 0 {
			if old, err := s.Vault.Open(stored); err == nil && old == credentials {
				return stored.Sealed, false, nil
			}
		}
		sealed, err := s.Vault.Seal(stored, credentials)
		return sealed, true, err
	}
}

// blame names the field that a platform refused. What says nothing about the credentials
// is the server's fault where the caller named one, and passes where not.
func blame(f *body.Form, login candidate, err error) error {
	e, ok := errors.AsType[*schema.Error](err)
	switch {
	case !ok || e.Kind < schema.Refused:
		return err
	case e.Kind == schema.TokenDead && e.End != schema.EndRemoved:
		f.Fail(login.secretField, codeCredentials, e.Message)
	case e.Kind == schema.TokenDead || e.Kind == schema.Refused || e.Kind == schema.Duplicate:
		f.Fail(login.nameField, codeRefused, e.Message)
	case e.Kind == schema.RateLimited:
		return &schema.Error{
			Kind: schema.Unavailable, RetryAfter: max(e.RetryAfter, time.Second), Err: err,
			Message: fmt.Sprintf("%s asks to wait before it checks the credentials", login.platform),
		}
	case login.server != "":
		f.Fail("server", codeUnreachable, "the server could not be asked: "+e.Message)
	default:
		return &schema.Error{
			Kind: schema.Unavailable, RetryAfter: retryPlatform, Err: err,
			Message: fmt.Sprintf("%s does not answer at the moment; nothing was stored", login.platform),
		}
	}
	return nil
}
