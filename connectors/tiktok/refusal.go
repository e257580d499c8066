package tiktok

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"crier/connectors"
	"crier/schema"
)

// Codes of refusals (content-posting-api-reference-direct-post, -query-creator-info).
const (
	codeOK        = "ok"
	codeToken     = "access_token_invalid"
	codeScope     = "scope_not_authorized"
	codeLimit     = "rate_limit_exceeded"
	codeInternal  = "internal_error"
	codeBanned    = "spam_risk_user_banned_from_posting"
	codeTooMany   = "spam_risk_too_many_posts"
	codeUserCap   = "reached_active_user_cap"
	codeUnaudited = "unaudited_client_can_only_post_to_private_accounts"
)

const (
	// limitWait is for the limits of a minute, which do not say when they end.
	limitWait = time.Minute
	// dayWait is for those of a day, which runs with each account.
	dayWait = time.Hour
)

// Error is what TikTok says of a call, except for those of OAuth: see ofToken.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	LogID   string `json:"log_id"`
}

// Error is for logs. The message is not in it: it may repeat what was sent.
func (e Error) Error() string { return fmt.Sprintf("%s, log %s", e.Code, e.LogID) }

// Classify is the Classify of the platform's connectors.ClientConfig.
func Classify(status int, header http.Header, body []byte) *schema.Error {
	var refused struct {
		Error Error `json:"error"`
	}
	if json.Unmarshal(body, &refused) != nil {
		refused.Error = Error{}
	}
	judged := refused.Error.meaning(status)
	if judged != nil && judged.Kind == schema.RateLimited && header.Get("Retry-After") == "" {
		judged.RetryAfter = limitWait
	}
	return judged
}

// meaning returns what a refusal means; nil: what its status does.
func (e Error) meaning(status int) *schema.Error {
	judged := &schema.Error{Kind: schema.Refused, Message: cmp.Or(e.Message, e.Code), Err: e}
	switch {
	case e.Code == codeLimit || status == http.StatusTooManyRequests:
		judged.Kind, judged.Message = schema.RateLimited, cmp.Or(judged.Message, "TikTok asks to wait")
		judged.Alone = true // limits are of an endpoint (docs/en/tiktok-api-v2-rate-limit)
	case e.Code == "" || e.Code == codeInternal || status >= http.StatusInternalServerError:
		return nil
	case e.Code == codeToken:
		judged.Kind = schema.TokenDead
	case e.Code == codeScope:
		judged.Kind, judged.End = schema.TokenDead, schema.EndScope
	case e.Code == codeBanned:
		judged.Kind, judged.End = schema.TokenDead, schema.EndSuspended
	case e.Code == codeUnaudited:
		judged.Message = "TikTok has not audited this server's app: until it has, it takes posts with the privacy " + oneself +
			" alone, of accounts that are private themselves"
	}
	return judged
}

// ofPost judges the refusal of a post. Those for what an account, or all of an app that is not
// audited, has published in a day end by themselves; calls about other posts go on.
func ofPost(err error) error {
	refused, ok := errors.AsType[Error](err)
	if !ok || refused.Code != codeTooMany && refused.Code != codeUserCap {
		return err
	}
	e := &schema.Error{Kind: schema.RateLimited, RetryAfter: dayWait, Err: err}
	if e.Message = "TikTok takes no more posts of the account by apps today"; refused.Code == codeUserCap {
		e.Message = "TikTok has not audited this server's app: until it has, five accounts may publish by it in 24 hours, and these have"
	}
	return e
}

// ask makes a call that nobody sees and returns the data of its answer. Some refusals come with
// a status of 200.
func ask[Data any](ctx context.Context, c *Connector, call connectors.Call) (Data, error) {
	var answer struct {
		Data  Data   `json:"data"`
		Error *Error `json:"error"`
	}
	response, err := c.client.Do(ctx, call, &answer)
	switch {
	case err != nil:
		return answer.Data, err
	case answer.Error == nil || answer.Error.Code == "":
		return answer.Data, strange("does not say whether it did what was asked")
	case answer.Error.Code == codeOK:
		return answer.Data, nil
	}
	judged := answer.Error.meaning(response.Status)
	if judged == nil {
		return answer.Data, strange("is an error of its own: " + answer.Error.Code)
	}
	if judged.Kind == schema.RateLimited {
		judged.RetryAfter = limitWait
	}
	return answer.Data, judged
}

func refuse(format string, args ...any) *schema.Error {
	return &schema.Error{Kind: schema.Refused, Message: fmt.Sprintf(format, args...)}
}

// strange is the error of an answer that says nothing.
func strange(what string) *schema.Error {
	return &schema.Error{Kind: schema.Retryable, Message: "TikTok's answer " + what}
}
