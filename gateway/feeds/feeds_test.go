package feeds_test

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
	"crier/gateway/gatewaytest"
	"crier/schema"
)

func TestMonitorsAreMadeReadChangedAndDeleted(t *testing.T) {
	a := gatewaytest.New(t)
	monitor := a.Request(http.MethodPost, "/feeds/keywords", `{"name": " Coffee ", "include": ["coffee", " flat  white", "coffee"], "exclude": ["decaf"], "language": "en", "platforms": ["bluesky"], "colour": "red"}`).
		Want(http.StatusCreated)
	id := monitor.At("monitor", "id").Text()
	if m := monitor.At("monitor"); m.At("name").Text() != "Coffee" || fmt.Sprint(m.At("include").Value) != "[coffee flat white]" || m.At("isPaused").Value != false {
		t.Errorf("made = %v", monitor)
	}
	if monitor.At("warnings", 0, "field").Text() != "colour" {
		t.Errorf("no warning of a field that is not known: %v", monitor)
	}
	changed := a.Request(http.MethodPatch, "/feeds/keywords/"+id, `{"isPaused": true, "exclude": [], "language": null}`).Want(http.StatusOK).At("monitor")
	if changed.At("isPaused").Value != true || fmt.Sprint(changed.At("exclude").Value) != "[]" || changed.At("language").Value != nil || changed.At("name").Text() != "Coffee" {
		t.Errorf("changed = %v", changed)
	}
	second := a.Request(http.MethodPost, "/feeds/keywords", `{"name": "b", "include": ["咖啡"]}`).Want(http.StatusCreated).At("monitor", "id").Text()
	if monitor.At("monitor", "search").Value != nil {
		t.Errorf("something is searched for a monitor of bluesky alone: %v", monitor)
	}
	searched := a.Request(http.MethodPatch, "/feeds/keywords/"+second, `{"platforms": ["bluesky", "threads"], "language": "de"}`).Want(http.StatusOK)
	if searched.At("warnings", 0, "field").Text() != "language" || searched.At("warnings", 1, "code").Text() != "account_missing" || searched.At("monitor", "search", "problem").Value != nil {
		t.Errorf("a monitor of threads in a workspace without an account = %v", searched)
	}
	a.Request(http.MethodPost, "/connect/threads", `{"accessToken": "token-of-a"}`).Want(http.StatusCreated)
	if again := a.Request(http.MethodPatch, "/feeds/keywords/"+second, `{"language": null}`).Want(http.StatusOK); again.At("warnings").Value != nil {
		t.Errorf("with an account: %v", again)
	}
	a.Exec(`update monitors set paused = false, include = array[repeat('x', 2 << 20)] where id = (select min(id::text)::uuid from monitors)`)
	if left := a.Request(http.MethodGet, "/feeds/keywords/"+second, nil).Want(http.StatusOK); left.At("warnings", 0, "code").Text() != "monitor_left_out" {
		t.Errorf("a monitor beyond what is listened for = %v", left.At("warnings").Value)
	}
	a.Exec(`update monitors set include = '{coffee}' where octet_length(include[1]) > 100`)
	if again := a.Request(http.MethodGet, "/feeds/keywords/"+second, nil).Want(http.StatusOK); again.At("warnings").Value != nil {
		t.Errorf("one that is listened for: %v", again.At("warnings").Value)
	}
	page := a.Request(http.MethodGet, "/feeds/keywords?limit=1", nil).Want(http.StatusOK)
	if page.At("monitors", 0, "id").Text() != id || page.At("nextCursor").Text() != id {
		t.Errorf("first page = %v", page)
	}
	if page := a.Request(http.MethodGet, "/feeds/keywords?limit=1&cursor="+id, nil).Want(http.StatusOK); page.At("monitors", 0, "id").Text() != second || page.At("nextCursor").Value != nil {
		t.Errorf("second page = %v", page)
	}
	a.WantLimiWarning("/feeds/keywords?limi=5")
	a.WantLimiWarning("/feeds/keywords/" + id + "/items?limi=5")
	found := a.Request(http.MethodGet, "/feeds/keywords/"+id+"/items?limit=1", nil).Want(http.StatusOK)
	cursor := found.At("nextCursor").Text()
	if found.At("items", 0, "nativeId").Text() != "at://b" {
		t.Errorf("items = %v", found)
	}
	if rest := a.Request(http.MethodGet, "/feeds/keywords/"+id+"/items?cursor="+cursor, nil).Want(http.StatusOK); rest.At("nextCursor").Value != nil {
		t.Errorf("rest = %v", rest)
	}
	for name, bad := range map[string]string{"another monitor's": cursor, "forged": cursor[:len(cursor)-9], "no cursor": "x%25", "huge": strings.Repeat("A", 4000)} {
		at := "/feeds/keywords/" + second
		if name == "forged" {
			at = "/feeds/keywords/" + id
			bad = strings.Repeat("A", 22) + bad
		}
		if got := a.Request(http.MethodGet, at+"/items?cursor="+bad, nil).Want(http.StatusBadRequest); got.At("error", "details", 0, "field").Text() != "cursor" {
			t.Errorf("%s: %v", name, got)
		}
	}
	a.Request(http.MethodDelete, "/feeds/keywords/"+id, nil).Want(http.StatusOK)
	for _, path := range []string{"", "/items"} {
		a.Request(http.MethodGet, "/feeds/keywords/"+id+path, nil).Want(http.StatusNotFound)
	}
	a.Request(http.MethodGet, "/feeds/keywords/mon_nonsense", nil).Want(http.StatusNotFound)
}

// unsaid cannot tell which monitors are left out.
type unsaid struct{ feeds.Store }

func (unsaid) LeftOut(context.Context, schema.Monitor, schema.Platform, int) (bool, error) {
	return false, errors.New("broken")
}

func TestMonitorsThatMakeNoSense(t *testing.T) {
	a := gatewaytest.New(t, func(c *gateway.Config) { c.Stores.Feeds = unsaid{c.Stores.Feeds} })
	a.Request(http.MethodPost, "/feeds/keywords", `{"name": "x", "include": ["tea"]}`).Want(http.StatusCreated) // once, since it is told
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
			got := a.Request(http.MethodPost, "/feeds/keywords", tt.body).Want(http.StatusBadRequest)
			if got.At("error", "details", 0, "field").Text() != tt.field {
				t.Errorf("%v, want %s", got, tt.field)
			}
		})
	}
}

func TestFeedsAreSearched(t *testing.T) {
	a := gatewaytest.New(t)
	search := func(query string) *gatewaytest.Response {
		return a.Request(http.MethodGet, "/feeds/search?"+query, nil)
	}
	if got := search("platform=bluesky&q=coffee").Want(http.StatusBadRequest); got.At("error", "code").Text() != "invalid_state" {
		t.Errorf("without an account: %v", got)
	}
	account := a.Request(http.MethodPost, "/connect/bluesky", `{"identifier": "a.example.com", "password": "abcd-efgh-ijkl-mnop"}`).Want(http.StatusCreated).At("account", "id").Text()
	found := search("platform=bluesky&q=coffee&limit=2&accountId=" + account).Want(http.StatusOK)
	if !strings.Contains(strings.ToLower(found.At("items", 1, "text").Text()), "coffee") || found.At("items", 0, "author", "handle").Text() == "" {
		t.Fatalf("found = %v", found)
	}
	cursor := url.QueryEscape(found.At("nextCursor").Text())
	next := search("platform=bluesky&q=coffee&limit=2&cursor=" + cursor).Want(http.StatusOK)
	if next.At("items", 0, "nativeId").Text() == found.At("items", 1, "nativeId").Text() {
		t.Errorf("the next page begins with the end of the last one: %v", next)
	}
	for query, field := range map[string]string{
		"q=coffee":                   "platform",
		"platform=mastodon&q=coffee": "platform",
		"platform=bluesky":           "q",
		"platform=bluesky&q=x":       "q",
		"platform=bluesky&q=" + strings.Repeat("x", 10<<10):                                             "q",
		"platform=bluesky&q=coffee&limit=101":                                                           "limit",
		"platform=bluesky&q=coffee&language=xx1":                                                        "language",
		"platform=threads&q=coffee&language=en":                                                         "language",
		"platform=bluesky&q=tea&cursor=" + cursor:                                                       "cursor",
		"platform=bluesky&q=coffee&accountId=" + schema.NewID[schema.AccountID](a.Store.Now()).String(): "accountId",
	} {
		if got := search(query).Want(http.StatusBadRequest); got.At("error", "details", 0, "field").Text() != field {
			t.Errorf("%.80s: %v, want %s", query, got, field)
		}
	}
	a.Request(http.MethodPost, "/connect/threads", `{"accessToken": "token-of-a"}`).Want(http.StatusCreated)
	there := search("platform=threads&q=coffee&limit=2").Want(http.StatusOK)
	if !strings.Contains(there.At("items", 1, "text").Text(), "coffee") || there.At("items", 0, "author", "handle").Text() == "" {
		t.Errorf("found on threads = %v", there)
	}
	more := search("platform=threads&q=coffee&limit=2&cursor=" + url.QueryEscape(there.At("nextCursor").Text())).Want(http.StatusOK)
	if more.At("items", 0, "nativeId").Text() == there.At("items", 1, "nativeId").Text() {
		t.Errorf("the next page of threads begins with the end of the last one: %v", more)
	}
	a.WantLimiWarning("/feeds/search?platform=bluesky&q=coffee&limi=5")
	a.WantLimiWarning("/feeds/profile?handle=author7.stream.test&limi=5")
	profile := a.Request(http.MethodGet, "/feeds/profile?handle=@Author7.stream.test", nil).Want(http.StatusOK).At("profile")
	if profile.At("handle").Text() != "author7.stream.test" || profile.At("followers").Value != 7.0 || profile.At("avatarUrl").Value != nil {
		t.Errorf("profile = %v", profile)
	}
	a.Request(http.MethodGet, "/feeds/profile?handle="+profile.At("id").Text(), nil).Want(http.StatusOK)
	a.Request(http.MethodGet, "/feeds/profile?handle=nobody.example.com", nil).Want(http.StatusNotFound)
	for _, handle := range []string{"", "no%20handle", "a/../b", strings.Repeat("x", 400), "%C3%A9.example.com"} {
		a.Request(http.MethodGet, "/feeds/profile?handle="+handle, nil).Want(http.StatusBadRequest)
	}
	a.Request(http.MethodGet, "/feeds/profile?platform=threads&handle=a.example.com", nil).Want(http.StatusBadRequest)
}
