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

// Error is what TikTok says of a call, except for those of OAuth: see dialect.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	LogID   string `json:"log_id"`
}

// Error is for logs. The message is not in it: it may repeat what was sent.
func (e Error) Error() string { return fmt.Sprintf("%s, log %s", e.Code, e.LogID) }

// errPartSize is the cause of a refusal of the size of a video's parts.
var errPartSize = errors.New("TikTok refuses the size of the parts")

// answers is what TikTok's refusals mean beyond their status. Some come with a status of 200: see ask.
func answers() connectors.Answers {
	const direct, creator = "content-posting-api-reference-direct-post", "content-posting-api-reference-query-creator-info"
	outage := []int{2, 4} // 5xx with whatever code is an outage
	return connectors.Answers{Read: readRefusal, Table: []connectors.Answer{
		{
			Operations: []string{opInit}, Status: outage, Says: "chunk size", Means: connectors.IsRetried, Cause: errPartSize,
			Source:  "DayMoonDevelopment/post-for-me issue 327",
			Example: example("invalid_params", "The chunk size is invalid"),
		},
		{
			Codes: []string{codeLimit}, Means: connectors.IsAwaited, Wait: limitWait, Alone: true,
			Source:  "docs/en/tiktok-api-v2-rate-limit: limits are of an endpoint",
			Example: example(codeLimit, "The API rate limit was exceeded."),
		},
		{
			Status: []int{http.StatusTooManyRequests}, Means: connectors.IsAwaited, Wait: limitWait, Alone: true,
			Source: "docs/en/tiktok-api-v2-rate-limit",
		},
		{ // the app's, in 24 hours
			Operations: []string{opInit, opCreator}, Status: outage, Codes: []string{codeUserCap},
			Means: connectors.IsAwaited, Wait: dayWait, Alone: true,
			Message: "TikTok has not audited this server's app: until it has, five accounts may publish by it in 24 hours, and these have",
			Source:  creator,
			Example: example(codeUserCap, "Daily quota for active publishing users from your client is reached."),
		},
		{ // the account's, in 24 hours, of all apps
			Operations: []string{opInit, opCreator}, Status: outage, Codes: []string{codeTooMany},
			Means: connectors.IsAwaited, Wait: dayWait, Alone: true,
			Message: "TikTok takes no more posts of the account by apps today",
			Source:  creator, Example: example(codeTooMany, "Daily post cap from the API is reached for the current user."),
		},
		{ // a token without the permission to look may publish all the same
			Operations: []string{opStatus}, Status: outage, Codes: []string{codeScope, codeBanned}, Means: connectors.IsRefused,
			Source:  "content-posting-api-reference-get-video-status",
			Example: example(codeScope, "The scope was not authorized."),
		},
		{
			Status: outage, Codes: []string{codeToken}, Means: connectors.ChecksAccount,
			Source: direct, Example: example(codeToken, "The access token is invalid or not found in the request."),
		},
		{
			Status: outage, Codes: []string{codeScope}, Means: connectors.EndsAccount, End: schema.EndScope,
			Source: direct, Example: example(codeScope, "The scope was not authorized."),
		},
		{
			Status: outage, Codes: []string{codeBanned}, Means: connectors.EndsAccount, End: schema.EndSuspended,
			Source: direct, Example: example(codeBanned, "The user is banned from making new posts."),
		},
		{
			Status: outage, Codes: []string{codeUnaudited}, Means: connectors.IsRefused,
			Message: "TikTok has not audited this server's app: until it has, it takes posts with the privacy " + oneself +
				" alone, of accounts that are private themselves",
			Source: direct, Example: example(codeUnaudited, "Please review our integration guidelines."),
		},
		{
			Status: []int{2}, Codes: []string{codeInternal}, Means: connectors.IsRetried,
			Source: creator, Example: example(codeInternal, "Something went wrong."),
		},
		{ // a refusal all the same
			Status: []int{2}, Means: connectors.IsRefused,
			Source: creator, Example: example("privacy_level_option_mismatch", "Privacy level is not among the options."),
		},
	}}
}

func example(code, message string) string {
	return fmt.Sprintf(`{"data":{},"error":{"code":%q,"message":%q,"log_id":"1"}}`, code, message)
}

func readRefusal(response *connectors.Response) (connectors.Refusal, bool) {
	var refused struct {
		Error Error `json:"error"`
	}
	if json.Unmarshal(response.Body, &refused) != nil || refused.Error.Code == "" {
		return connectors.Refusal{}, false
	}
	e := refused.Error
	return connectors.Refusal{Codes: []string{e.Code}, Message: cmp.Or(e.Message, e.Code), Cause: e}, true
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
		return answer.Data, platform.Strange("does not say whether it did what was asked")
	case answer.Error.Code == codeOK:
		return answer.Data, nil
	}
	return answer.Data, answers().Error(call, response)
}
