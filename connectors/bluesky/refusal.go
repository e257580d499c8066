package bluesky

import (
	"cmp"
	"encoding/json"
	"net/http"
	"time"

	"crier/connectors"
	"crier/schema"
)

// Where answers are from.
const (
	ofLexicon = "bluesky-social/atproto lexicons/com/atproto"
	ofPDS     = "bluesky-social/atproto packages/pds/src/auth-verifier.ts"
	ofRepo    = "bluesky-social/atproto packages/pds/src/api/com/atproto/repo"
)

// answers is what XRPC errors mean beyond their status (atproto.com/specs/xrpc). Tokens that do not work
// are a 400 on a PDS, and so is a record that exists already.
func answers() connectors.Answers {
	table := append(ends(), []connectors.Answer{
		{
			Status: []int{http.StatusUnauthorized}, Codes: []string{secondFactor}, Means: connectors.ChecksAccount,
			Message: "the account's own password needs a second factor: use an app password",
			Source:  ofLexicon + "/server/createSession.json", Example: `{"error":"AuthFactorTokenRequired","message":"A sign in code has been sent to your email address"}`,
		},
		{
			Status: []int{http.StatusBadRequest}, Codes: []string{expiredToken, invalidToken}, Means: connectors.ChecksAccount,
			Source: ofPDS, Example: `{"error":"ExpiredToken","message":"Token has expired"}`,
		},
		{
			Operations: []string{uploadVideo}, Status: []int{4}, Says: "exceeded daily upload", Means: connectors.IsAwaited, Wait: dayWait, Alone: true,
			Message: "Bluesky's video service takes no more videos of the account today",
			Source:  "bluesky-social/social-app src/view/com/composer/state/video.ts",
			Example: `{"error":"User has exceeded daily upload videos limit"}`,
		},
		{
			Scope: connectors.VisibleCall, Status: []int{http.StatusBadRequest}, Codes: []string{invalidSwap}, Means: connectors.IsDuplicate,
			Source: ofRepo + "/putRecord.ts", Example: `{"error":"InvalidSwap","message":"Record was at bafyreib"}`,
		},
	}...)
	return connectors.Answers{Read: readRefusal, Table: table}
}

// ends are the ends of accounts by name, whatever the status below 5xx: servers have used several for
// each. A read may be refused for what it reads, except that of the session.
func ends() (rows []connectors.Answer) {
	for _, row := range []connectors.Answer{
		{
			Codes: []string{"AccountTakedown", "AccountSuspended", "RepoTakendown", "RepoSuspended"}, End: schema.EndSuspended,
			Source: ofLexicon, Example: `{"error":"AccountTakedown","message":"Account has been taken down"}`,
		},
		{
			Codes: []string{"AccountDeactivated", "RepoDeactivated"}, End: schema.EndDeactivated,
			Source: ofLexicon, Example: `{"error":"AccountDeactivated","message":"Account is deactivated"}`,
		},
		{
			Codes: []string{"AccountNotFound"}, End: schema.EndDeleted,
			Source: ofPDS, Example: `{"error":"AccountNotFound","message":"Account not found"}`,
		},
		{
			Codes: []string{"InsufficientScope", "ScopeMissing", "ScopeMissingError"}, End: schema.EndScope,
			Source: ofPDS, Example: `{"error":"ScopeMissingError","message":"Missing required scope"}`,
		},
		{
			Codes: []string{invalidToken}, Says: "Bad token scope", End: schema.EndScope,
			Source: ofPDS, Example: `{"error":"InvalidToken","message":"Bad token scope"}`,
		},
	} {
		row.Status = []int{4}
		rows = append(rows, connectors.EndOfAccount(row, getSession)...)
	}
	return rows
}

// dayWait is for limits of a day, which do not say when they end.
const dayWait = time.Hour

// readRefusal reads the body of a refusal: its name is the code. The video service has a sentence in its
// place.
func readRefusal(response *connectors.Response) (connectors.Refusal, bool) {
	var body struct {
		Name    string `json:"error"`
		Message string `json:"message"`
	}
	if json.Unmarshal(response.Body, &body) != nil || !namePattern.MatchString(body.Name) {
		return connectors.Refusal{Message: cmp.Or(body.Message, body.Name)}, false
	}
	return connectors.Refusal{Codes: []string{body.Name}, Message: cmp.Or(body.Message, body.Name), Cause: xrpcError(body.Name)}, true
}
