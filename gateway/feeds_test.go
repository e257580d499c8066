package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"crier/gateway"
	"crier/gateway/feeds"
	"crier/schema"
)

func TestMonitorsAreMadeReadChangedAndDeleted(t *testing.T) {
	a := newAPI(t)
	made := a.call(http.MethodPost, "/feeds/keywords", `{"name": " Coffee ", "include": ["coffee", " flat  white", "coffee"], "exclude": ["decaf"], "language": "en", "platforms": ["bluesky"], "colour": "red"}`).
		want(http.StatusCreated)
	id := made.at("monitor", "id").text()
	if m := made.at("monitor"); m.at("name").text() != "Coffee" || fmt.Sprint(m.at("include").value) != "[coffee flat white]" || m.at("isPaused").value != false {
		t.Errorf("made = %v", made)
	}
	if made.at("warnings", 0, "field").text() != "colour" {
		t.Errorf("no warning of a field that is not known: %v", made)
	}
	changed := a.call(http.MethodPatch, "/feeds/keywords/"+id, `{"isPaused": true, "exclude": [], "language": null}`).want(http.StatusOK).at("monitor")
	if changed.at("isPaused").value != true || fmt.Sprint(changed.at("exclude").value) != "[]" || changed.at("language").value != nil || changed.at("name").text() != "Coffee" {
		t.Errorf("changed = %v", changed)
	}
	second := a.call(http.MethodPost, "/feeds/keywords", `{"name": "b", "include": ["咖啡"]}`).want(http.StatusCreated).at("monitor", "id").text()
	if made.at("monitor", "search").value != nil {
		t.Errorf("something is searched for a monitor of bluesky alone: %v", made)
	}
	searched := a.call(http.MethodPatch, "/feeds/keywords/"+second, `{"platforms": ["bluesky", "threads"], "language": "de"}`).want(http.StatusOK)
	if searched.at("warnings", 0, "field").text() != "language" || searched.at("warnings", 1, "code").text() != "account_missing" || searched.at("monitor", "search", "problem").value != nil {
		t.Errorf("a monitor of threads in a workspace without an account = %v", searched)
	}
	a.call(http.MethodPost, "/connect/threads", `{"accessToken": "token-of-a"}`).want(http.StatusCreated)
	if again := a.call(http.MethodPatch, "/feeds/keywords/"+second, `{"language": null}`).want(http.StatusOK); again.at("warnings").value != nil {
		t.Errorf("with an account: %v", again)
	}
	a.exec(`update monitors set paused = false, include = array[repeat('x', 2 << 20)] where id = (select min(id::text)::uuid from monitors)`)
	if left := a.call(http.MethodGet, "/feeds/keywords/"+second, nil).want(http.StatusOK); left.at("warnings", 0, "code").text() != "monitor_left_out" {
		t.Errorf("a monitor beyond what is listened for = %v", left.at("warnings").value)
	}
	a.exec(`update monitors set include = '{coffee}' where octet_length(include[1]) > 100`)
	if again := a.call(http.MethodGet, "/feeds/keywords/"+second, nil).want(http.StatusOK); again.at("warnings").value != nil {
		t.Errorf("one that is listened for: %v", again.at("warnings").value)
	}
	page := a.call(http.MethodGet, "/feeds/keywords?limit=1", nil).want(http.StatusOK)
	if page.at("monitors", 0, "id").text() != id || page.at("nextCursor").text() != id {
		t.Errorf("first page = %v", page)
	}
	if page := a.call(http.MethodGet, "/feeds/keywords?limit=1&cursor="+id, nil).want(http.StatusOK); page.at("monitors", 0, "id").text() != second || page.at("nextCursor").value != nil {
		t.Errorf("second page = %v", page)
	}
	a.wantLimiTold("/feeds/keywords?limi=5")
	a.wantLimiTold("/feeds/keywords/" + id + "/items?limi=5")
	found := a.call(http.MethodGet, "/feeds/keywords/"+id+"/items?limit=1", nil).want(http.StatusOK)
	cursor := found.at("nextCursor").text()
	if found.at("items", 0, "nativeId").text() != "at://b" {
		t.Errorf("items = %v", found)
	}
	if rest := a.call(http.MethodGet, "/feeds/keywords/"+id+"/items?cursor="+cursor, nil).want(http.StatusOK); rest.at("nextCursor").value != nil {
		t.Errorf("rest = %v", rest)
	}
	for name, bad := range map[string]string{"another monitor's": cursor, "forged": cursor[:len(cursor)-9], "no cursor": "x%25", "huge": strings.Repeat("A", 4000)} {
		at := "/feeds/keywords/" + second
		if name == "forged" {
			at = "/feeds/keywords/" + id
			bad = strings.Repeat("A", 22) + bad
		}
		if got := a.call(http.MethodGet, at+"/items?cursor="+bad, nil).want(http.StatusBadRequest); got.at("error", "details", 0, "field").text() != "cursor" {
			t.Errorf("%s: %v", name, got)
		}
	}
	a.call(http.MethodDelete, "/feeds/keywords/"+id, nil).want(http.StatusOK)
	for _, path := range []string{"", "/items"} {
		a.call(http.MethodGet, "/feeds/keywords/"+id+path, nil).want(http.StatusNotFound)
	}
	a.call(http.MethodGet, "/feeds/keywords/mon_nonsense", nil).want(http.StatusNotFound)
}

// unsaid cannot tell which monitors are left out.
type unsaid struct{ feeds.Store }

func (unsaid) LeftOut(context.Context, schema.Monitor, schema.Platform, int) (bool, error) {
	return false, errors.New("broken")
}

func TestMonitorsThatMakeNoSense(t *testing.T) {
	a := newAPI(t, func(c *gateway.Config) { c.Stores.Feeds = unsaid{c.Stores.Feeds} })
	a.call(http.MethodPost, "/feeds/keywords", `{"name": "x", "include": ["tea"]}`).want(http.StatusCreated) // once, since it is told
	for name, tt := range map[string]struct{ body, field string }{
		"no name":                  {`{"include": ["tea"]}`, "name"},
		"a blank name":             {`{"name": " ", "include": ["tea"]}`, "name"},
		"nothing to look for":      {`{"name": "x"}`, "include"},
		"no keywords":              {`{"name": "x", "include": []}`, "include"},
		"a keyword of 10 KB":       {`{"name": "x", "include": ["` + strings.Repeat("x", 10<<10) + `"]}`, "include[0]"},
		"of one letter":            {`{"name": "x", "include": ["tea", "a"]}`, "include[1]"},
		"of one letter and blanks": {`{"name": "x", "include": ["  a  "]}`, "include[0]"},
		"of signs":                 {`{"name": "x", "include": ["--."]}`, "include[0]"},
		"with a control character": {`{"name": "x", "include": ["a\u0001b"]}`, "include[0]"},
		"a number":                 {`{"name": "x", "include": [17]}`, "include[0]"},
		"21 keywords":              {`{"name": "x", "include": [` + strings.TrimSuffix(strings.Repeat(`"tea",`, 21), ",") + `]}`, "include"},
		"a language that is none":  {`{"name": "x", "include": ["tea"], "language": "English"}`, "language"},
		"a platform without one":   {`{"name": "x", "include": ["tea"], "platforms": ["mastodon"]}`, "platforms[0]"},
		"no platform":              {`{"name": "x", "include": ["tea"], "platforms": []}`, "platforms"},
	} {
		t.Run(name, func(t *testing.T) {
			got := a.call(http.MethodPost, "/feeds/keywords", tt.body).want(http.StatusBadRequest)
			if got.at("error", "details", 0, "field").text() != tt.field {
				t.Errorf("%v, want %s", got, tt.field)
			}
		})
	}
}

func TestFeedsAreSearched(t *testing.T) {
	a := newAPI(t)
	search := func(query string) *answer { return a.call(http.MethodGet, "/feeds/search?"+query, nil) }
	if got := search("platform=bluesky&q=coffee").want(http.StatusBadRequest); got.at("error", "code").text() != "invalid_state" {
		t.Errorf("without an account: %v", got)
	}
	account := a.call(http.MethodPost, "/connect/bluesky", `{"identifier": "a.example.com", "password": "abcd-efgh-ijkl-mnop"}`).want(http.StatusCreated).at("account", "id").text()
	found := search("platform=bluesky&q=coffee&limit=2&accountId=" + account).want(http.StatusOK)
	if !strings.Contains(strings.ToLower(found.at("items", 1, "text").text()), "coffee") || found.at("items", 0, "author", "handle").text() == "" {
		t.Fatalf("found = %v", found)
	}
	cursor := url.QueryEscape(found.at("nextCursor").text())
	next := search("platform=bluesky&q=coffee&limit=2&cursor=" + cursor).want(http.StatusOK)
	if next.at("items", 0, "nativeId").text() == found.at("items", 1, "nativeId").text() {
		t.Errorf("the next page begins with the end of the last one: %v", next)
	}
	for query, field := range map[string]string{
		"q=coffee":                   "platform",
		"platform=mastodon&q=coffee": "platform",
		"platform=bluesky":           "q",
		"platform=bluesky&q=x":       "q",
		"platform=bluesky&q=" + strings.Repeat("x", 10<<10):                                  "q",
		"platform=bluesky&q=coffee&limit=101":                                                "limit",
		"platform=bluesky&q=coffee&language=xx1":                                             "language",
		"platform=threads&q=coffee&language=en":                                              "language",
		"platform=bluesky&q=tea&cursor=" + cursor:                                            "cursor",
		"platform=bluesky&q=coffee&accountId=" + schema.NewAccountID(a.store.Now()).String(): "accountId",
	} {
		if got := search(query).want(http.StatusBadRequest); got.at("error", "details", 0, "field").text() != field {
			t.Errorf("%.80s: %v, want %s", query, got, field)
		}
	}
	a.call(http.MethodPost, "/connect/threads", `{"accessToken": "token-of-a"}`).want(http.StatusCreated)
	there := search("platform=threads&q=coffee&limit=2").want(http.StatusOK)
	if !strings.Contains(there.at("items", 1, "text").text(), "coffee") || there.at("items", 0, "author", "handle").text() == "" {
		t.Errorf("found on threads = %v", there)
	}
	more := search("platform=threads&q=coffee&limit=2&cursor=" + url.QueryEscape(there.at("nextCursor").text())).want(http.StatusOK)
	if more.at("items", 0, "nativeId").text() == there.at("items", 1, "nativeId").text() {
		t.Errorf("the next page of threads begins with the end of the last one: %v", more)
	}
	a.wantLimiTold("/feeds/search?platform=bluesky&q=coffee&limi=5")
	a.wantLimiTold("/feeds/profile?handle=author7.stream.test&limi=5")
	profile := a.call(http.MethodGet, "/feeds/profile?handle=@Author7.stream.test", nil).want(http.StatusOK).at("profile")
	if profile.at("handle").text() != "author7.stream.test" || profile.at("followers").value != 7.0 || profile.at("avatarUrl").value != nil {
		t.Errorf("profile = %v", profile)
	}
	a.call(http.MethodGet, "/feeds/profile?handle="+profile.at("id").text(), nil).want(http.StatusOK)
	a.call(http.MethodGet, "/feeds/profile?handle=nobody.example.com", nil).want(http.StatusNotFound)
	for _, handle := range []string{"", "no%20handle", "a/../b", strings.Repeat("x", 400), "%C3%A9.example.com"} {
		a.call(http.MethodGet, "/feeds/profile?handle="+handle, nil).want(http.StatusBadRequest)
	}
	a.call(http.MethodGet, "/feeds/profile?platform=threads&handle=a.example.com", nil).want(http.StatusBadRequest)
}
