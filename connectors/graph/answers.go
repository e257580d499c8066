package graph

import (
	"cmp"
	"net/http"
	"strconv"
	"time"

	"crier/connectors"
	"crier/schema"
)

// defaultWait is how long a caller waits that is told of no time: limits are of the last
// hour, and something of it has passed by then.
const defaultWait = 5 * time.Minute

// incidentWait is when a read is made again that was refused as without permission.
const incidentWait = 30 * time.Second

// transient is the code of what Meta says that it passes, and of the codes below zero.
const transient = "transient"

// Answers are what refusals mean on a platform that has rows of its own, which come before those that all
// Graph APIs have; but a failed server's code says nothing. token are the operations that only ask whose
// a token is: those alone of all reads can end an account.
func Answers(own []connectors.Answer, token ...string) connectors.Answers {
	table := append([]connectors.Answer{ofFailedServer()}, own...)
	return connectors.Answers{Read: readRefusal, Table: append(append(table, ofTokens(token)...), ofAll()...)}
}

// readRefusal reads a refusal. Its codes are such as "190/459", "190" and "/459".
func readRefusal(response *connectors.Response) (connectors.Refusal, bool) {
	r, ok := Read(response.Status, response.Body)
	if !ok {
		return connectors.Refusal{}, false
	}
	refusal := connectors.Refusal{Message: cmp.Or(r.UserMessage, r.Message, "the platform gave no reason"), Cause: r}
	if r.Code != 0 {
		code := strconv.Itoa(r.Code)
		refusal.Codes = []string{code + "/" + strconv.Itoa(r.Subcode), code}
	}
	if r.Subcode != 0 {
		refusal.Codes = append(refusal.Codes, "/"+strconv.Itoa(r.Subcode))
	}
	if r.Transient || r.Code < 0 {
		refusal.Codes = append(refusal.Codes, transient)
	}
	if response.Header.Get("Retry-After") == "" {
		refusal.Wait = usageOf(response.Header).regain
	}
	return refusal, true
}

const (
	errorHandling = "developers.facebook.com/docs/graph-api/guides/error-handling"
	rateLimiting  = "developers.facebook.com/docs/graph-api/overview/rate-limiting"
	incident      = "Meta in May 2026: geoff-maddock/events-tracker #1900, gitroomhq/postiz-app #1562"
)

// ofFailedServer: a publish was answered 500 with the code of a missing permission while the post went up.
func ofFailedServer() connectors.Answer {
	return connectors.Answer{
		Status: []int{5}, Codes: []string{"1-999999", transient}, Means: connectors.IsUnknown,
		Source:  "threads-go http_client.go; fia-f1-docs-bot #52",
		Example: `{"error":{"message":"Application does not have permission for this action","type":"OAuthException","code":10}}`,
	}
}

// ofTokens are the answers about a token. A person has to settle 459 and 464 with Meta, after which it
// works again.
func ofTokens(token []string) []connectors.Answer {
	const (
		dead       = `{"error":{"message":"Error validating access token: Session has expired.","type":"OAuthException","code":190,"error_subcode":463}}`
		checkpoint = `{"error":{"message":"You cannot access the app till you log in to www.facebook.com","type":"OAuthException","code":190,"error_subcode":459}}`
	)
	return append(connectors.EndOfAccount(connectors.Answer{
		Codes: []string{"190/459", "190/464"}, End: schema.EndDeactivated, Source: errorHandling, Example: checkpoint,
	}, token...), connectors.Answer{Codes: []string{"190", "102"}, Means: connectors.ChecksAccount, Source: errorHandling, Example: dead})
}

// ofAll are the answers that all Graph APIs have.
func ofAll() []connectors.Answer {
	const denied = `{"error":{"message":"Application does not have permission for this action","type":"OAuthException","code":10}}`
	permission := []string{"10", "200-299"}
	return []connectors.Answer{
		{ // soon again makes it worse
			Codes: []string{"/2207051"}, Means: connectors.IsRefused, Source: "instagram-graph-api/reference/error-codes; gitroomhq/postiz-app threads.provider.ts",
			Example: `{"error":{"message":"Application request limit reached","type":"OAuthException","code":4,"error_subcode":2207051}}`,
		},
		{ // the media could not be fetched, which passes where its address is open to Meta
			Codes: []string{"/2207052"}, Means: connectors.IsUnknown,
			Source:  "instagram-graph-api/reference/error-codes; of threads too ayrshare.com/docs, Meta Media Crawler Blocked",
			Example: `{"error":{"message":"The media could not be fetched from this URI","type":"OAuthException","code":9004,"error_subcode":2207052}}`,
		},
		{ // which others than this call seldom meet, so that neither they nor the breaker hear of it
			Scope: connectors.ReadCall, Codes: permission, Means: connectors.IsAwaited, Wait: incidentWait, Alone: true,
			Source: incident, Example: denied,
		},
		{Codes: permission, Means: connectors.DoubtsAccount, Source: errorHandling + "; " + incident, Example: denied},
		{ // of the app (4), the user (17), the page (32), the app's hour (341), one operation (613), a use case
			Codes: []string{"4", "17", "32", "341", "613", "80000-80014"}, Means: connectors.IsAwaited, Wait: defaultWait,
			Source: rateLimiting, Example: `{"error":{"message":"Application request limit reached","type":"OAuthException","code":4}}`,
		},
		{
			Codes: []string{"506"}, Means: connectors.IsDuplicate, Source: errorHandling,
			Example: `{"error":{"message":"Duplicate Post","type":"OAuthException","code":506}}`,
		},
		{
			Codes: []string{"1", "2", transient}, Means: connectors.IsUnknown, Source: errorHandling,
			Example: `{"error":{"message":"An unexpected error has occurred. Please retry your request later.","type":"OAuthException","code":2,"is_transient":true}}`,
		},
		{
			Status: []int{http.StatusTooManyRequests}, Means: connectors.IsAwaited, Wait: defaultWait, Source: rateLimiting,
			Example: `{"error":{"message":"Too many requests","type":"OAuthException","code":100}}`,
		},
	}
}

// NotGranted is the row of reads for which an account may be without the permission: they are not made
// again, and the account goes on.
func NotGranted(source string, operations ...string) connectors.Answer {
	return connectors.Answer{
		Operations: operations, Codes: []string{"10", "200-299"}, Means: connectors.EndsAccount, End: schema.EndScope, Source: source,
		Example: `{"error":{"message":"Application does not have permission for this action","type":"OAuthException","code":10}}`,
	}
}

// Dispensable is the row of calls that publishing does not need: a token that may not make them may publish.
func Dispensable(source string, operations ...string) connectors.Answer {
	return connectors.Answer{
		Operations: operations, Codes: []string{"10", "200-299"}, Means: connectors.IsRefused, Source: source,
		Example: `{"error":{"message":"Application does not have permission for this action","type":"OAuthException","code":10}}`,
	}
}
