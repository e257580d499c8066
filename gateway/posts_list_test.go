package gateway_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/schema"
)

// TestListsAreReadByCursors pages through posts of one time while others are made.
func TestListsAreReadByCursors(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	at := a.in(time.Hour)
	bulk := func(names string) {
		var posts []string
		for _, name := range names {
			posts = append(posts, fmt.Sprintf(`{"content": %q, "platforms": ["mastodon"], "scheduledFor": %q}`, string(name), at))
		}
		a.call(http.MethodPost, "/posts/bulk", `{"posts": [`+strings.Join(posts, ", ")+`]}`).want(http.StatusCreated)
	}
	bulk("abcdefghij")
	for query, want := range map[string]string{
		"sort=scheduledFor": "abcdefghij", "sort=-scheduledFor": "jihgfedcba", "": "jihgfedcba", "sort=createdAt": "abcdefghij", "sort=-createdAt": "jihgfedcba",
		"updatedAfter=2020-01-01": "abcdefghij", "updatedAfter=2020-01-01&status=scheduled": "abcdefghij", "updatedAfter=2100-01-01": "",
	} {
		if got, _ := a.contents("limit=100&" + query); got != want {
			t.Errorf("%s lists %q, want %q", query, got, want)
		}
	}
	first, page := a.contents("limit=4&status=scheduled")
	bulk("xyz")
	second, next := a.contents("limit=3&status=scheduled&cursor=" + page.at("nextCursor").text())
	if next.at("page").value != 2.0 || next.at("total").value != 13.0 {
		t.Errorf("the second page is %v", next)
	}
	third, last := a.contents("limit=4&cursor=" + next.at("nextCursor").text() + "&status=scheduled")
	if first+second+third != "jihgfedcba" || last.has("nextCursor") || last.at("hasMore").value != false {
		t.Errorf("read %s, %s, %s; then %v", first, second, third, last)
	}
	cursor := next.at("nextCursor").text()
	forged := []byte(cursor)
	forged[len(forged)/2] ^= 1
	for name, query := range map[string]string{
		"another query's":     "cursor=" + cursor,
		"beside a page":       "status=scheduled&page=2&cursor=" + cursor,
		"of another order":    "status=scheduled&sort=scheduledFor&cursor=" + cursor,
		"changed":             "status=scheduled&cursor=" + string(forged),
		"none":                "status=scheduled&cursor=" + strings.Repeat("A", 2000),
		"empty":               "status=scheduled&cursor=",
		"an order of nothing": "sort=content",
		"sorted, by platform": "sort=createdAt&platform=mastodon",
		"changes by brand":    "updatedAfter=2020-01-01&brandId=brand_01k9sr3q5wf2g8m7r4t0v1x2y3",
		"changes, sorted":     "updatedAfter=2020-01-01&sort=createdAt",
		"changes by metadata": "updatedAfter=2020-01-01&metadata.a=b",
	} {
		t.Run(name, func(t *testing.T) {
			a.under(t)
			a.call(http.MethodGet, "/posts?"+query, nil).fails(http.StatusBadRequest, "validation_error")
		})
	}
	a.call(http.MethodGet, "/media?cursor="+cursor, nil).fails(http.StatusBadRequest, "validation_error")
	_, other := a.tenant("other", "operator", schema.Read)
	a.callWith(other, http.MethodGet, "/posts?status=scheduled&cursor="+cursor, nil).fails(http.StatusBadRequest, "validation_error")
}

// contents are those of the posts that a query lists, and where the page stands.
func (a *api) contents(query string) (contents string, page tree) {
	a.Helper()
	found := a.call(http.MethodGet, "/posts?"+query, nil).want(http.StatusOK)
	for i := range found.at("posts").size() {
		contents += found.at("posts", i, "content").text()
	}
	return contents, found.at("pagination")
}

// wantLimiTold fails the test unless a list warns of the parameter limi.
func (a *api) wantLimiTold(path string) {
	a.Helper()
	warnings := a.call(http.MethodGet, path, nil).want(http.StatusOK).at("warnings")
	if warnings.size() != 1 || warnings.at(0, "field").text() != "limi" || warnings.at(0, "code").text() != "unknown_field" {
		a.Errorf("%s warns of %v", path, warnings)
	}
}

func TestParametersThatAreNotKnownAreTold(t *testing.T) {
	a := newAPI(t)
	account := a.connect(a.workspace, schema.Mastodon, "@a")
	webhook := a.call(http.MethodPost, "/webhooks", `{"url": "https://hooks.example/a", "events": ["post.failed"]}`).want(http.StatusCreated).at("webhook", "id").text()
	for _, path := range []string{
		"/posts", "/media", "/events", "/keys", "/accounts", "/accounts/health", "/analytics/posts", "/engagement/comments", "/engagement/mentions", "/connect/mastodon",
		"/platforms", "/platforms/mastodon", "/accounts/" + account.String(), "/webhooks/" + webhook, a.post(`"status": "draft"`),
	} {
		a.wantLimiTold(path + "?limi=5")
	}
	if found := a.call(http.MethodGet, "/posts?limit=5&metadata[a]=b", nil).want(http.StatusOK); found.has("warnings") {
		t.Errorf("warnings = %v", found.at("warnings"))
	}
}
