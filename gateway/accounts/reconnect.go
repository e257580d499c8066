package accounts

import (
	"context"
	"encoding/hex"
	"net/http"
	"net/url"
	"time"

	"github.com/gin-gonic/gin"

	"crier/connectors"
	"crier/gateway/body"
	"crier/schema"
)

// reconnectStore finds accounts for those who connect them again.
type reconnectStore interface {
	// AccountToReconnect returns the account that a token of ReconnectToken names.
	AccountToReconnect(ctx context.Context, token [16]byte) (schema.Account, error)
	ReconnectToken(ctx context.Context, workspace schema.WorkspaceID, id schema.AccountID) ([16]byte, error)
	// ConnectedIn reports whether the account's workspace has its profile connected, and whether
	// another live one has.
	ConnectedIn(ctx context.Context, a schema.Account) (here, elsewhere bool, err error)
}

// reconnect is the address that an account's owner is sent to when it has to be connected
// again. It works at any time: each visit begins a consent of its own, at whose end the person
// is here again, or at the redirect that the visit names.
func (s *authorizations) reconnect(c *gin.Context) error {
	platform, err := pathPlatform(c)
	if err != nil {
		return err
	}
	q := body.NewQuery(c)
	account, err := s.accountOfToken(c.Request.Context(), platform, c.Query("token"))
	if err != nil {
		return s.gone(c, err)
	}
	consent := schema.Consent{
		Workspace: account.Workspace, Platform: platform, Server: account.Server, Sandbox: account.Sandbox, Brand: account.Brand, Account: account.ID,
		Redirect: s.reconnectPage(platform, c.Query("token")),
	}
	if back := cameBack(q, account); back != nil {
		s.showReconnected(c, account, *back)
		return nil
	}
	if err := s.queryRedirect(c.Request.Context(), q, &consent); err != nil {
		return err
	}
	if err := q.Report.Err(); err != nil {
		return err
	}
	page, _, err := s.open(c.Request.Context(), consent)
	if schema.KindOf(err) >= schema.Refused {
		s.showReconnected(c, account, ending{Code: endFailed, Message: publicError(err).Message})
		return nil
	}
	if err != nil {
		return err
	}
	c.Redirect(http.StatusSeeOther, page)
	return nil
}

// cameBack reads how a consent ended whose redirect is the page itself; nil where one is to
// begin. The words of the address are not shown: anybody can write some into it.
func cameBack(q *body.Query, account schema.Account) *ending {
	code, _ := q.Text("error")
	connected, _ := q.Text("connected")
	switch {
	case code == endDenied:
		return &ending{Code: endDenied, Message: "You did not allow it, or declined."}
	case code != "":
		return &ending{Code: endFailed, Message: "It was not connected again: it has to be allowed for " + account.Name + ", with all that is asked for."}
	case connected != "":
		return &ending{}
	default:
		return nil
	}
}

func (s *authorizations) accountOfToken(ctx context.Context, p schema.Platform, text string) (schema.Account, error) {
	var token [16]byte
	if len(text) != hex.EncodedLen(len(token)) {
		return schema.Account{}, noAccount()
	}
	if _, err := hex.Decode(token[:], []byte(text)); err != nil {
		return schema.Account{}, noAccount()
	}
	account, err := s.Store.AccountToReconnect(ctx, token)
	if err == nil && account.Platform != p {
		return schema.Account{}, noAccount()
	}
	return account, err
}

func noAccount() error {
	return &schema.Error{Kind: schema.NotFound, Message: "there is no such account"}
}

// reconnectPage is the address of reconnect for an account.
func (c Config) reconnectPage(p schema.Platform, token string) string {
	return c.ConnectURL + p.String() + "/reconnect?token=" + url.QueryEscape(token)
}

// tokenTimeout bounds a look for an account's token.
const tokenTimeout = 2 * time.Second

// reconnectURL is where an account is connected again: a page for its owner's browser, or the
// operation that takes credentials where the platform has no such page. It is empty where that page's
// address cannot be found now. A platform that took all the time of the check is no reason for that.
func (u checkup) reconnectURL(ctx context.Context, a schema.Account) string {
	if a.Platform == schema.Telegram {
		return u.ConnectURL + "telegram/channels"
	}
	if _, unable := connectors.As[connectors.Authorizer](u.Platforms, a); unable != nil {
		return u.ConnectURL + a.Platform.String()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tokenTimeout)
	defer cancel()
	token, err := u.Store.ReconnectToken(ctx, a.Workspace, a.ID)
	if err != nil {
		u.Logger.WarnContext(ctx, "the address to reconnect an account at is not known", "account", a.ID.String(), "err", err)
		return ""
	}
	return u.reconnectPage(a.Platform, hex.EncodeToString(token[:]))
}
