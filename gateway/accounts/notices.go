package accounts

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"crier/connectors"
	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
)

// noticeStore acts on the accounts of a profile, whichever workspace has them.
type noticeStore interface {
	// AskRenewals has the refresh stage find out whether a profile's accounts still work, and
	// returns how many there are.
	AskRenewals(ctx context.Context, platform schema.Platform, nativeID string) (accounts int, err error)
}

// notices are what platforms tell of accounts by calls of their own.
type notices struct{ Config }

func (n *notices) routes() []admission.Route {
	return []admission.Route{admission.Handle(http.MethodPost, "/connect/:platform/events", admission.Public, n.take)}
}

// take takes a notice. That a consent was taken back may come days late, when the account may
// have been connected again: it is no more than a reason to look.
func (n *notices) take(c *gin.Context) error {
	platform, err := schema.ParsePlatform(c.Param("platform"))
	if err != nil {
		return &schema.Error{Kind: schema.NotFound, Message: "there is no such platform", Err: err}
	}
	notifier, err := connectors.As[connectors.Notifier](n.Platforms, schema.Account{Platform: platform})
	if err != nil {
		return &schema.Error{Kind: schema.NotFound, Message: platform.String() + " tells crier nothing", Err: err}
	}
	raw, err := body.ReadBody(c)
	if err != nil {
		return err
	}
	nativeID, err := notifier.Withdrawn(c.Request.Header, raw)
	if err != nil {
		return err
	}
	if nativeID != "" {
		renewals, err := n.Store.AskRenewals(c.Request.Context(), platform, nativeID)
		if err != nil {
			return err
		}
		n.Logger.InfoContext(c.Request.Context(), "a consent was taken back on the platform", "platform", platform.String(), "accounts", renewals)
	}
	return answer.Several(c, http.StatusOK, map[string]any{}, nil)
}
