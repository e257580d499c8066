package twitter

import (
	"encoding/json"
	"net/http"
	urlpath "path"
	"slices"
	"strconv"
	"time"

	"crier/connectors"
	"crier/schema"
)

const (
	// unnamedWait is for a rate limit that does not say when it ends.
	unnamedWait = time.Minute
	// planWait is for what only the operator can change: a plan that is used up, credits
	// that are spent, an app that X does not let in.
	planWait = 15 * time.Minute
)

// Where answers are from.
const (
	ofErrors     = "docs.x.com/x-api/fundamentals/response-codes-and-errors"
	ofSuspension = "github.com/akrherz/iembot issue 156"
	ofLock       = "github.com/akrherz/iembot issue 163"
	ofReplies    = "docs.x.com/changelog, 23 February 2026; github.com/gptme/gptme-contrib pull request 811"
	ofPostiz     = "github.com/gitroomhq/postiz-app libraries/nestjs-libraries/src/integrations/social/x.provider.ts"
	ofUploads    = "github.com/PLHery/node-twitter-api-v2 issue 588, pull request 596; github.com/makerprism/ocaml-social-sdk pull request 25"
	ofFirst      = "developer.x.com, codes of the API's first version"
)

// usageCapped is the type of a plan that is used up.
const usageCapped = "usage-capped"

// uninvited is what a refused reply is told.
const uninvited = "X takes a reply from an app only where the author has mentioned or quoted the account, or has let it reply (since 23 February 2026)"

// unscoped is what a refused upload is told: X says no more than "Forbidden".
const unscoped = "X refuses uploads by this token, as it does where the permission media.write is missing: connect the account again"

// answers is what X's refusals mean beyond their status. Some of v2 still come with codes of the API's
// first version, others with a text alone (type about:blank). A refusal on a read may be about what is
// read: the account is looked at by itself.
func answers() connectors.Answers {
	return connectors.Answers{Read: readRefusal, Table: slices.Concat([]connectors.Answer{
		{ // windows are of an endpoint
			Status: []int{http.StatusTooManyRequests}, Means: connectors.IsAwaited, Wait: unnamedWait, Alone: true,
			Source: ofErrors, Example: `{"title":"Too Many Requests","type":"about:blank","status":429,"detail":"Too Many Requests"}`,
		},
		{ // pay per use, and nothing is left to pay with
			Status: []int{http.StatusPaymentRequired}, Means: connectors.IsAwaited, Wait: planWait,
			Source: ofErrors, Example: `{"title":"CreditsDepleted","type":"https://api.x.com/2/problems/credits","status":402,"detail":"Your enrolled account does not have any credits to fulfill this request."}`,
		},
		{ // of crier's app, whoever the account is
			Status: []int{http.StatusForbidden}, Codes: []string{"client-forbidden"}, Means: connectors.IsAwaited, Wait: planWait,
			Source: ofErrors, Example: `{"title":"Client Forbidden","type":"https://api.x.com/2/problems/client-forbidden","status":403,"detail":"When authenticating requests to the X API v2 endpoints, you must use keys and tokens from a developer App that is attached to a Project.","reason":"client-not-enrolled"}`,
		},
		{
			Status: []int{http.StatusForbidden}, Codes: []string{"unsupported-authentication"}, Means: connectors.ChecksAccount,
			Source: ofPostiz, Example: `{"title":"Unsupported Authentication","type":"https://api.twitter.com/2/problems/unsupported-authentication","status":403,"detail":"Authenticating with OAuth 2.0 Application-Only is forbidden for this endpoint."}`,
		},
		{ // a token brought along, or granted before there was that scope
			Operations: []string{opInitialize, opAppend, opFinalize, opMediaStatus, opDescribe}, Status: []int{http.StatusForbidden}, Says: "Forbidden",
			Means: connectors.IsRefused, Message: unscoped, Source: ofUploads,
			Example: `{"title":"Forbidden","type":"about:blank","status":403,"detail":"Forbidden"}`,
		},
	}, ends(), []connectors.Answer{
		{
			Scope: connectors.VisibleCall, Status: []int{4}, Codes: []string{"187"}, Means: connectors.IsDuplicate,
			Source: ofFirst, Example: `{"errors":[{"code":187,"message":"Status is a duplicate."}]}`,
		},
		{
			Scope: connectors.VisibleCall, Status: []int{http.StatusForbidden}, Says: "duplicate content", Means: connectors.IsDuplicate,
			Source: ofLock, Example: `{"title":"Forbidden","type":"about:blank","status":403,"detail":"You are not allowed to create a Tweet with duplicate content."}`,
		},
		{ // the author of the post chose who may reply
			Scope: connectors.VisibleCall, Status: []int{4}, Codes: []string{"433"}, Means: connectors.IsRefused, Message: uninvited,
			Source: ofFirst, Example: `{"errors":[{"code":433,"message":"The original Tweet author restricted who can reply to this Tweet."}]}`,
		},
		{
			Scope: connectors.VisibleCall, Status: []int{http.StatusForbidden}, Says: "Reply to this conversation is not allowed",
			Means: connectors.IsRefused, Message: uninvited, Source: ofReplies,
			Example: `{"title":"Forbidden","type":"about:blank","status":403,"detail":"Reply to this conversation is not allowed because you have not been mentioned or otherwise engaged by the author of the post you are replying to."}`,
		},
	})}
}

// ends are the ends of accounts. A read's refusal may be about what is read, except that of the account
// itself.
func ends() (rows []connectors.Answer) {
	for _, row := range []connectors.Answer{
		{
			Codes: []string{"user-suspended"}, End: schema.EndSuspended, Source: ofSuspension,
			Example: `{"title":"Forbidden","type":"https://api.twitter.com/2/problems/user-suspended","status":403,"detail":"The user used for authentication is suspended"}`,
		},
		{
			Codes: []string{"64"}, End: schema.EndSuspended, Source: ofFirst,
			Example: `{"errors":[{"code":64,"message":"Your account is suspended and is not permitted to access this feature."}]}`,
		},
		{
			Codes: []string{"326"}, End: schema.EndDeactivated, Source: ofFirst,
			Example: `{"errors":[{"code":326,"message":"This account is locked."}]}`,
		},
		{
			Says: "temporarily locked", End: schema.EndDeactivated, Source: ofLock,
			Example: `{"title":"Forbidden","type":"about:blank","status":403,"detail":"To protect our users from spam and other malicious activity, this account is temporarily locked. Please log in to https://x.com to unlock your account."}`,
		},
	} {
		row.Status = []int{http.StatusForbidden}
		rows = append(rows, connectors.EndOfAccount(row, opMe)...)
	}
	return rows
}

// readRefusal reads a refusal: one of RFC 9457 with X's errors beside it, or those of the API's first
// version alone. The detail of an invalid request is the same for all: what is wrong stands in its errors.
// How long a window lasts that is used up stands in the headers of any refusal.
func readRefusal(response *connectors.Response) (connectors.Refusal, bool) {
	var p struct {
		Type   string `json:"type"`
		Detail string `json:"detail"`
		Errors []struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"errors"`
	}
	refusal := connectors.Refusal{}
	if json.Unmarshal(response.Body, &p) == nil {
		refusal.Message = p.Detail
		for i := len(p.Errors) - 1; i >= 0; i-- {
			if e := p.Errors[i]; e.Message != "" {
				refusal.Message = e.Message
			}
			if code := p.Errors[i].Code; code != 0 {
				refusal.Codes = append(refusal.Codes, strconv.Itoa(code))
			}
		}
		if p.Type != "" {
			refusal.Codes = append(refusal.Codes, urlpath.Base(p.Type))
		}
	}
	for _, name := range []string{window, appDay, userDay} {
		refusal.Wait = max(refusal.Wait, exhausted(response.Header, name))
	}
	if slices.Contains(refusal.Codes, usageCapped) {
		refusal.Wait = max(refusal.Wait, planWait)
	}
	return refusal, refusal.Message != "" || len(refusal.Codes) > 0
}
