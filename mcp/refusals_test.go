package mcp_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"crier/client"
	"crier/client/clienttest"
)

func (a *assistant) wrongInput() {
	for name, tt := range map[string]struct {
		tool      string
		arguments map[string]any
		want      []string
	}{
		"a platform that is none":  {"publish_post", map[string]any{"content": "x", "platforms": []map[string]any{{"platform": "myspace"}}}, []string{`platforms[0].platform: one of twitter`, `mastodon`, `is wanted, not "myspace"`}},
		"no platform":              {"publish_post", map[string]any{"content": "x"}, []string{"platforms: at least one"}},
		"no account there":         {"publish_post", map[string]any{"content": "x", "platforms": []map[string]any{{"platform": "twitter"}}}, []string{"validation_error (400)", "no twitter account"}},
		"a setting that is none":   {"draft_post", with(content("x"), "platformSettings", map[string]any{"mastodon": map[string]any{"nope": 1}}), []string{"nope"}},
		"a text that is too long":  {"publish_post", content(strings.Repeat("x", 501)), []string{"validation_error (400)", "500"}},
		"a time that is none":      {"schedule_post", with(content("x"), "scheduledFor", "soon"), []string{"scheduledFor", "2026-12-24T18:00"}},
		"a time that is over":      {"schedule_post", with(content("x"), "scheduledFor", "2020-01-01T00:00:00Z"), []string{"scheduledFor"}},
		"a zone that is none":      {"schedule_post", with(with(content("x"), "scheduledFor", "2030-01-01T00:00"), "timezone", "Nowhere"), []string{"Europe/Berlin"}},
		"a queue that is none":     {"schedule_post", with(content("x"), "queue", true), []string{"validation_error (400)", "no default queue"}},
		"a post that is none":      {"get_post", map[string]any{"postId": "post_00000000000000000000000000"}, []string{"not_found (404)", "requestId: req_"}},
		"a page that is none":      {"list_accounts", map[string]any{"cursor": "acc_x"}, []string{"begin without a cursor"}},
		"a file that is not there": {"media_from_url", map[string]any{"url": "http://127.0.0.1:1/a.png"}, []string{"(400)"}},
		"an item that is none":     {"reply", map[string]any{"itemId": "post_00000000000000000000000000", "text": "x"}, []string{"itemId", "inbox has them"}},
		"a reply without a text":   {"reply", map[string]any{"itemId": "item_00000000000000000000000000", "text": " "}, []string{"text: must not be empty"}},
		"a number for a text":      {"draft_post", with(content("x"), "content", 5), []string{"content: string (the text; may be left out where media is enough) is wanted, not 5"}},
		"a text for a number":      {"inbox", map[string]any{"limit": "ten"}, []string{"limit: integer", `is wanted, not "ten"`}},
		"a plan that is a truth":   {"publish_post", with(content("x"), "confirm", true), []string{"confirm: string (the plan that the call without it answered", "is wanted, not true"}},
		"nothing":                  {"get_post", nil, []string{"postId: this field is required (id of the post)"}},
		"two things at once":       {"reply", map[string]any{"text": 5}, []string{"itemId: this field is required", "text: string"}},
		"a field that is unknown":  {"inbox", map[string]any{"acount": "x"}, []string{"acount: there is no such field; there are accountId, cursor, kind"}},
	} {
		got := a.call(tt.tool, tt.arguments)
		if !got.refused {
			a.Errorf("%s: %s", name, got.text)
		}
		a.wants(got.text, tt.want...)
	}
}

// mayAsItsKey has keys of less do what they may not: one that reads, and one of another workspace, the
// sandbox.
func mayAsItsKey(t *testing.T, server *clienttest.Server, api *client.Client) {
	made, err := api.Posts.Create(t.Context(), client.Post{Content: "Ours", Platforms: client.To(client.Mastodon), Status: client.PostDraft})
	if err != nil {
		t.Fatal(err)
	}
	key := func(k client.NewKey) string {
		made, err := api.Keys.Create(t.Context(), k)
		if err != nil {
			t.Fatal(err)
		}
		return made.Secret
	}
	reader := overHTTP(t, server.URL, key(client.NewKey{Name: "reader", Permission: client.Read}))
	if got := reader.call("get_post", map[string]any{"postId": made.ID}); got.refused {
		t.Errorf("a key that reads reads not: %s", got.text)
	}
	for tool, arguments := range map[string]map[string]any{
		"draft_post": content("x"), "publish_post": content("x"), "cancel_post": {"postId": made.ID}, "schedule_post": with(content("x"), "queue", true),
		"media_from_url": {"url": "https://example.com/a.png"},
	} {
		if got := reader.call(tool, arguments); !got.refused || !strings.Contains(got.text, "forbidden (403)") {
			t.Errorf("a key that reads: %s answers %s", tool, got.text)
		}
	}
	reply := map[string]any{"itemId": "item_00000000000000000000000000", "text": "x"}
	if got := reader.call("reply", with(reply, "confirm", reader.call("reply", reply).Plan)); !got.refused || !strings.Contains(got.text, "forbidden (403)") {
		t.Errorf("a key that reads: reply answers %s", got.text)
	}
	other := overHTTP(t, server.URL, key(client.NewKey{Name: "other", Permission: client.Admin, Test: true}))
	for tool, arguments := range map[string]map[string]any{
		"get_post": {"postId": made.ID}, "cancel_post": {"postId": made.ID}, "retry_post": {"postId": made.ID}, "validate_post": {"draftId": made.ID},
		"schedule_post": {"draftId": made.ID, "scheduledFor": "2026-12-24T18:00:00Z"},
	} {
		for _, confirm := range []string{"", "plan_0"} {
			if tool == "schedule_post" || tool == "retry_post" {
				arguments = with(arguments, "confirm", confirm)
			}
			if got := other.call(tool, arguments); !got.refused || !strings.Contains(got.text, "not_found (404)") {
				t.Errorf("a key of another workspace: %s answers %s", tool, got.text)
			}
		}
	}
	if got := other.call("list_posts", nil); len(got.Posts) > 0 {
		t.Errorf("a key of another workspace sees %s", got.text)
	}
	if post, err := api.Posts.Get(t.Context(), made.ID); err != nil || post.Status != client.PostDraft {
		t.Errorf("the draft is %+v, %v", post, err)
	}
}

// wrongMessages are refused before a tool sees them.
func wrongMessages(t *testing.T, server *clienttest.Server) {
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for name, tt := range map[string]struct {
		method, body, key, origin string
		status                    int
	}{
		"a message":                  {http.MethodPost, list, server.Key, "", http.StatusOK},
		"from a page of the server":  {http.MethodPost, list, server.Key, server.URL, http.StatusOK},
		"from a page of another":     {http.MethodPost, list, server.Key, "https://elsewhere.example", http.StatusForbidden},
		"from a page without origin": {http.MethodPost, list, server.Key, "null", http.StatusForbidden},
		"without a key":              {http.MethodPost, list, "", "", http.StatusUnauthorized},
		"with a key that is none":    {http.MethodPost, list, "crier_live_x", "", http.StatusUnauthorized},
		"a batch":                    {http.MethodPost, " [" + list + "]", server.Key, "", http.StatusBadRequest},
		"no message":                 {http.MethodPost, "{", server.Key, "", http.StatusBadRequest},
		"too much":                   {http.MethodPost, strings.Repeat(" ", 1<<20+1), server.Key, "", http.StatusRequestEntityTooLarge},
		"a stream":                   {http.MethodGet, "", server.Key, "", http.StatusMethodNotAllowed},
	} {
		request, err := http.NewRequest(tt.method, server.URL+"/mcp", strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		for header, value := range map[string]string{"Authorization": "Bearer " + tt.key, "Origin": tt.origin} {
			if value != "" {
				request.Header.Set(header, value)
			}
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != tt.status {
			t.Errorf("%s: %d %s, want %d", name, response.StatusCode, body, tt.status)
		}
	}
}

func (a *assistant) limits() {
	list, err := a.session.ListResources(a.Context(), nil)
	if err != nil || len(list.Resources) != 12 {
		a.Fatalf("resources = %+v, %v", list, err)
	}
	got, err := a.session.ReadResource(a.Context(), &sdk.ReadResourceParams{URI: "crier://platforms/mastodon"})
	if err != nil {
		a.Fatal(err)
	}
	a.wants(got.Contents[0].Text, `"platform": "mastodon"`, `"maxLength": 500`)
	if _, err := a.session.ReadResource(a.Context(), &sdk.ReadResourceParams{URI: "crier://platforms/myspace"}); err == nil {
		a.Error("myspace has limits")
	}
}
