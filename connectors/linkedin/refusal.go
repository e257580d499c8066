package linkedin

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"time"

	"crier/connectors"
	"crier/schema"
)

// refusal is the body of an error.
type refusal struct {
	Message string `json:"message"`
	Code    string `json:"code"`
	Details struct {
		Inputs []inputError `json:"inputErrors"`
	} `json:"errorDetails"`
}

type inputError struct {
	Code string `json:"code"`
}

const (
	// versionWait is when a call of a version that has ended is made again: its operator has
	// to set another.
	versionWait = 5 * time.Minute
	// mediaWait is when a post is sent again whose media was not ready.
	mediaWait = 10 * time.Second
	// freshWait is when a comment is sent again on a post that was not known yet: five tries are some minutes.
	freshWait = time.Minute
	// minuteWait is for limits of a minute, which no header tells the end of.
	minuteWait = time.Minute
)

// answers is what LinkedIn's refusals mean beyond their status.
func answers() connectors.Answers {
	const posts = "learn.microsoft.com/linkedin/marketing/community-management/shares/posts-api"
	const outdated = "LinkedIn no longer serves the version of its API that crier asks for; its operator has to set CRIER_LINKEDIN_VERSION"
	return connectors.Answers{Read: readRefusal, Table: []connectors.Answer{
		{ // it costs no try: nothing is wrong with the post
			Status: []int{http.StatusUpgradeRequired}, Means: connectors.IsAwaited, Wait: versionWait, Cause: connectors.ErrOutdated,
			Message: outdated, Source: "learn.microsoft.com/linkedin/marketing/versioning",
		},
		{ // whatever status it comes with
			Codes: []string{"NONEXISTENT_VERSION"}, Means: connectors.IsAwaited, Wait: versionWait, Cause: connectors.ErrOutdated,
			Message: outdated, Source: "n8n-io/n8n #14706",
			Example: `{"message":"Requested version 20240401 is not active","status":400,"code":"NONEXISTENT_VERSION"}`,
		},
		{
			Codes: []string{"DUPLICATE_POST"}, Means: connectors.IsDuplicate, Source: posts,
			Example: `{"message":"m","status":422,"errorDetails":{"inputErrors":[{"code":"DUPLICATE_POST"}]}}`,
		},
		{
			Says: "is a duplicate of", Means: connectors.IsDuplicate, Source: posts,
			Example: `{"message":"Content is a duplicate of urn:li:share:7","status":422}`,
		},
		{
			Codes: []string{"MEDIA_ASSET_WAITING_UPLOAD"}, Means: connectors.IsRetried, Wait: mediaWait, Source: posts,
			Example: `{"message":"m","status":400,"errorDetails":{"inputErrors":[{"code":"MEDIA_ASSET_WAITING_UPLOAD"}]}}`,
		},
		{ // one bad post, and not the account
			Status: []int{http.StatusForbidden}, Says: "Unpermitted fields present", Means: connectors.IsRefused, Source: "sonata-labs, LinkedIn's fixtures",
			Example: `{"message":"Unpermitted fields present in REQUEST_BODY: Data Processing Exception while processing fields [/x]","status":403,"code":"ACCESS_DENIED"}`,
		},
		{ // a post of seconds ago is not known everywhere
			Operations: []string{opComment}, Status: []int{http.StatusNotFound}, Means: connectors.IsRetried, Wait: freshWait, Alone: true,
			Source: "gitroomhq/postiz-app #408, #1319", Example: `{"message":"Not Found","status":404}`,
		},
		{
			Operations: []string{opComment}, Says: "resource is forbidden", Means: connectors.IsRetried, Wait: freshWait, Alone: true,
			Source: "gitroomhq/postiz-app, LinkedIn provider", Example: `{"message":"resource is forbidden","status":403}`,
		},
		{
			Operations: []string{opComment}, Says: "Unable to obtain activity", Means: connectors.IsRetried, Wait: freshWait, Alone: true,
			Source: "gitroomhq/postiz-app, LinkedIn provider", Example: `{"message":"Unable to obtain activity","status":400}`,
		},
		{
			Status: []int{http.StatusForbidden}, Says: "Not enough permissions", Means: connectors.EndsAccount, End: schema.EndScope,
			Source: posts, Example: `{"message":"Not enough permissions to access: posts.CREATE","status":403,"serviceErrorCode":100}`,
		},
		{
			Status: []int{http.StatusForbidden}, Codes: []string{"ACCESS_DENIED"}, Means: connectors.ChecksAccount,
			Source: posts, Example: `{"message":"m","status":403,"code":"ACCESS_DENIED"}`,
		},
		{ // limits are of an endpoint
			Status: []int{http.StatusTooManyRequests}, Own: true, Means: connectors.IsAwaited, Wait: minuteWait, Alone: true,
			Source: "learn.microsoft.com/linkedin/shared/api-guide/concepts/rate-limits", Example: `{"message":"throttle MEMBER MINUTE limit","status":429}`,
		},
	}}
}

// namedCode is a code that older services name in their message alone.
var namedCode = regexp.MustCompile(`\b[A-Z]+(?:_[A-Z]+)+\b`)

func readRefusal(response *connectors.Response) (connectors.Refusal, bool) {
	var r refusal
	if json.Unmarshal(response.Body, &r) != nil || r.Message == "" && r.Code == "" {
		return connectors.Refusal{}, false
	}
	codes := append([]string{r.Code}, namedCode.FindAllString(r.Message, -1)...)
	for _, input := range r.Details.Inputs {
		codes = append(codes, input.Code)
	}
	read := connectors.Refusal{Codes: codes, Message: r.Message}
	if response.Status == http.StatusTooManyRequests && response.Header.Get("Retry-After") == "" {
		read.Wait = waitOf(r, response.Header)
	}
	return read, true
}

// waitOf returns how long a limit lasts: those of a day end at midnight UTC, and no header
// tells (shared/api-guide/concepts/rate-limits).
func waitOf(r refusal, header http.Header) time.Duration {
	at, err := http.ParseTime(header.Get("Date"))
	if err != nil || !strings.Contains(r.Message, " DAY limit") {
		return minuteWait
	}
	const day = 24 * time.Hour
	return at.Truncate(day).Add(day).Sub(at)
}
