package gateway_test

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"crier/gateway/gatewaytest"
	"crier/schema"
)

// wrongRequests are those of docs/errors.md: what people get wrong, by part of the API.
type wrongRequest struct {
	what    string
	method  string // POST where empty
	path    string
	body    string
	headers []string
}

const wrongFile = "../docs/errors.md"

// toMastodon is a post that lacks nothing but the fields of more.
func toMastodon(more string) string {
	return `{"content": "x", "platforms": [{"platform": "mastodon", "accountId": "$mastodon"}]` + more + `}`
}

func wrongRequests() []wrongRequest {
	const now = `, "publishNow": true`
	post := func(what, body string) wrongRequest { return wrongRequest{what: what, path: "/posts", body: body} }
	return []wrongRequest{
		{what: "a form", path: "/posts", body: "content=x&platforms=mastodon", headers: []string{"Content-Type", "application/x-www-form-urlencoded"}},
		post("no body", ""),
		post("JSON that ends too soon", `{"content": "x"`),
		post("a list for one post", `[{"content": "x"}]`),
		post("a field twice", `{"content": "x", "content": "y"}`),
		post("a number for a text", `{"content": 5, "platforms": ["bluesky"]`+now+`}`),
		post("null for a field", `{"content": "x", "platforms": ["bluesky"], "timezone": null`+now+`}`),
		post("a misspelt field", `{"contnet": "x", "platforms": ["bluesky"]`+now+`}`),
		post("a field as another API calls it", `{"content": "x", "platforms": ["bluesky"], "schedule_for": "2026-12-01T09:00:00Z"}`),
		post("settings under a misspelt name", toMastodon(`, "platformSetings": {"mastodon": {"visibility": "private"}}`+now)),
		post("a setting in the wrong place", toMastodon(`, "visibility": "private"`+now)),
		post("a setting without its platform", toMastodon(`, "platformSettings": {"visibility": "private"}`+now)),
		post("settings of a platform outside platformSettings", toMastodon(`, "mastodon": {"visibility": "private"}`+now)),
		post("settings under another name", toMastodon(`, "options": {"mastodon": {"visibility": "private"}}`+now)),
		post("settings in an entry of platforms", `{"content": "x", "platforms": [{"platform": "mastodon", "accountId": "$mastodon", "settings": {"visibility": "private"}}]`+now+`}`),
		post("platformSettings in an entry of platforms", `{"content": "x", "platforms": [{"platform": "mastodon", "accountId": "$mastodon", "platformSettings": {"visibility": "private"}}]`+now+`}`),
		post("a setting that is lost otherwise", toMastodon(`, "spoilerText": "The end of the film"`+now)),
		post("a platform's text under another name", `{"content": "x", "platforms": [{"platform": "mastodon", "accountId": "$mastodon", "text": "y"}]`+now+`}`),
		post("media under another name", toMastodon(`, "media": [{"type": "image", "url": "https://media.example/a.png"}]`+now)),
		post("a misspelt timezone", toMastodon(`, "scheduledFor": "2026-12-01T09:00:00", "timezome": "Europe/Berlin"`)),
		post("a dry run of a post", toMastodon(`, "dryRun": true`+now)),
		post("no platforms", `{"content": "x"`+now+`}`),
		post("a list of no platforms", `{"content": "x", "platforms": []`+now+`}`),
		post("a misspelt platform", `{"content": "x", "platforms": ["blusky"]`+now+`}`),
		post("a platform by its new name", `{"content": "x", "platforms": ["X"]`+now+`}`),
		post("a platform with two accounts", `{"content": "x", "platforms": ["mastodon"]`+now+`}`),
		post("an account of another platform", `{"content": "x", "platforms": [{"platform": "bluesky", "accountId": "$mastodon"}]`+now+`}`),
		post("an account that is not there", `{"content": "x", "platforms": [{"platform": "bluesky", "accountId": "acc_1"}]`+now+`}`),
		post("a platform without an account", `{"content": "x", "platforms": ["pinterest"]`+now+`}`),
		post("one account twice", `{"content": "x", "platforms": ["bluesky", "bluesky"]`+now+`}`),
		post("a brand that is not there", toMastodon(`, "brandId": "Harbour Cafe"`+now)),
		post("nothing to say", `{"platforms": ["bluesky"]`+now+`}`),
		post("a text that is too long", `{"content": "$long", "platforms": ["bluesky"]`+now+`}`),
		post("a video platform without a video", `{"content": "x", "platforms": ["tiktok"], "platformSettings": {"tiktok": {"privacy": "SELF_ONLY"}}`+now+`}`),
		post("a file of one's own machine", toMastodon(`, "mediaItems": [{"type": "image", "url": "/home/ann/harbour.jpg"}]`+now)),
		post("media without a type", toMastodon(`, "mediaItems": [{"url": "https://media.example/a.png"}]`+now)),
		post("an upload that is not there", toMastodon(`, "mediaItems": [{"mediaId": "med_1"}]`+now)),
		post("a picture beside a video", toMastodon(`, "mediaItems": [{"type": "image", "url": "https://media.example/a.png"}, {"type": "video", "url": "https://media.example/a.mp4"}]`+now)),
		post("a setting that is required", `{"content": "x", "platforms": ["tiktok"], "mediaItems": [{"type": "video", "url": "https://media.example/a.mp4"}]`+now+`}`),
		post("a value that a setting has not", toMastodon(`, "platformSettings": {"mastodon": {"visibility": "friends"}}`+now)),
		post("a misspelt setting that says who sees a post", toMastodon(`, "platformSettings": {"mastodon": {"visiblity": "private"}}`+now)),
		post("no time", toMastodon("")),
		post("two times", toMastodon(`, "scheduledFor": "$ahead"`+now)),
		post("a draft with a time", toMastodon(`, "status": "draft", "scheduledFor": "$ahead"`)),
		post("a time in a minute", toMastodon(`, "scheduledFor": "$soon"`)),
		post("a time as people say it", toMastodon(`, "scheduledFor": "tomorrow at 9"`)),
		post("a timezone that is none", toMastodon(`, "scheduledFor": "2026-12-01T09:00:00", "timezone": "Berlin"`)),
		post("a queue where there is none", toMastodon(`, "queue": true`)),
		{what: "a thread of one post", path: "/threads", body: `{"posts": [{"content": "x"}], "platforms": ["bluesky"]` + now + `}`},
		{what: "a thread of texts alone", path: "/threads", body: `{"posts": ["a", "b"], "platforms": ["bluesky"]` + now + `}`},
		{what: "a misspelt path", method: http.MethodGet, path: "/post"},
		{what: "another method", method: http.MethodPut, path: "/posts/$post", body: `{"content": "y"}`},
		{what: "a change of what is cancelled", method: http.MethodPatch, path: "/posts/$post", body: `{"content": "y"}`},
		{what: "a post that is not there", method: http.MethodGet, path: "/posts/post_1"},
		{what: "a cancel by a path of its own", path: "/posts/$post/cancel"},
		{what: "a cancel by PATCH", method: http.MethodPatch, path: "/posts/$post", body: `{"status": "cancelled"}`},
		{what: "an account that is not there, read", method: http.MethodGet, path: "/accounts/acc_1"},
		{what: "a misspelt platform, read", method: http.MethodGet, path: "/platforms/blusky"},
		{what: "no key", method: http.MethodGet, path: "/posts", headers: []string{"Authorization", ""}},
	}
}

// TestWrongRequestsAreAnsweredAsDocumented compares docs/errors.md with what is answered; with
// CRIER_TEST_UPDATE=1 it writes the table anew.
func TestWrongRequestsAreAnsweredAsDocumented(t *testing.T) {
	a := gatewaytest.New(t)
	mastodon := a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	a.AddAccount(a.Workspace, schema.Mastodon, "@b")
	a.AddAccount(a.Workspace, schema.Bluesky, "a.bsky.social")
	a.AddAccount(a.Workspace, schema.TikTok, "a")
	a.Exec(`update accounts set settings = '{}'`)
	post := a.Request(http.MethodPost, "/posts", strings.ReplaceAll(toMastodon(`, `+a.InAnHour()), "$mastodon", mastodon.String())).Want(http.StatusCreated).At("post", "id").Text()
	a.Request(http.MethodDelete, "/posts/"+post, nil).Want(http.StatusOK)
	placeholders := strings.NewReplacer(mastodon.String(), "acc_…", post, "post_…")
	filled := strings.NewReplacer("$mastodon", mastodon.String(), "$post", post, "$soon", a.In(time.Minute), "$ahead", a.In(time.Hour), "$long", strings.Repeat("a", 301))
	short := strings.NewReplacer("$mastodon", "acc_…", "$post", "post_…", "$soon", "in a minute", "$ahead", "2026-12-01T09:00:00Z", "$long", "301 characters")
	ids := regexp.MustCompile(`\b(acc|post|brand)_[0-9a-hjkmnp-tv-z]{26}`)
	var table strings.Builder
	requests := wrongRequests()
	table.WriteString("| what is wrong | request | answer |\n|---|---|---|\n")
	for _, r := range requests {
		if r.method == "" {
			r.method = http.MethodPost
		}
		got := a.Request(r.method, filled.Replace(r.path), filled.Replace(r.body), r.headers...)
		if got.Status < 400 || got.Status >= 500 {
			t.Errorf("%s: status = %d: %s", r.what, got.Status, got.Body)
			continue
		}
		message := ids.ReplaceAllString(placeholders.Replace(got.Want(got.Status).At("error", "message").Text()), "${1}_…")
		message = strings.ReplaceAll(message, schema.PlatformNames(), "twitter, …")
		request := strings.TrimSpace(r.method + " " + short.Replace(r.path) + " " + short.Replace(r.body))
		if r.what == "no key" {
			request += " (without Authorization)"
		}
		fmt.Fprintf(&table, "| %s | `%s` | %d: %s |\n", r.what, request, got.Status, strings.ReplaceAll(message, "|", `\|`))
	}
	if len(requests) != 59 {
		t.Errorf("there are %d requests, and the document says 59", len(requests))
	}
	document, err := os.ReadFile(wrongFile)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(document), "| what is wrong |")
	documented, after, _ := strings.Cut("| what is wrong |"+rest, "\n\n")
	if documented == strings.TrimSuffix(table.String(), "\n") {
		return
	}
	if os.Getenv("CRIER_TEST_UPDATE") == "" {
		t.Errorf("%s is out of date: run this test with CRIER_TEST_UPDATE=1. The table is\n%s", wrongFile, &table)
		return
	}
	if err := os.WriteFile(wrongFile, []byte(before+table.String()+"\n"+after), 0o644); err != nil { //nolint:gosec // a document
		t.Fatal(err)
	}
}
