package posts_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/gateway/gatewaytest"
	"crier/schema"
)

// TestListsAreReadByCursors pages through posts of one time while others are made.
func TestListsAreReadByCursors(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	at := a.In(time.Hour)
	bulk := func(names string) {
		var posts []string
		for _, name := range names {
			posts = append(posts, fmt.Sprintf(`{"content": %q, "platforms": ["mastodon"], "scheduledFor": %q}`, string(name), at))
		}
		a.Request(http.MethodPost, "/posts/bulk", `{"posts": [`+strings.Join(posts, ", ")+`]}`).Want(http.StatusCreated)
	}
	bulk("abcdefghij")
	for query, want := range map[string]string{
		"sort=scheduledFor": "abcdefghij", "sort=-scheduledFor": "jihgfedcba", "": "jihgfedcba", "sort=createdAt": "abcdefghij", "sort=-createdAt": "jihgfedcba",
		"updatedAfter=2020-01-01": "abcdefghij", "updatedAfter=2020-01-01&status=scheduled": "abcdefghij", "updatedAfter=2100-01-01": "",
	} {
		if got, _ := contents(a, "limit=100&"+query); got != want {
			t.Errorf("%s lists %q, want %q", query, got, want)
		}
	}
	first, page := contents(a, "limit=4&status=scheduled")
	bulk("xyz")
	second, next := contents(a, "limit=3&status=scheduled&cursor="+page.At("nextCursor").Text())
	if next.At("page").Value != 2.0 || next.At("total").Value != 13.0 {
		t.Errorf("the second page is %v", next)
	}
	third, last := contents(a, "limit=4&cursor="+next.At("nextCursor").Text()+"&status=scheduled")
	if first+second+third != "jihgfedcba" || last.Has("nextCursor") || last.At("hasMore").Value != false {
		t.Errorf("read %s, %s, %s; then %v", first, second, third, last)
	}
	cursor := next.At("nextCursor").Text()
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
			a.Under(t)
			a.Request(http.MethodGet, "/posts?"+query, nil).WantError(http.StatusBadRequest, "validation_error")
		})
	}
	a.Request(http.MethodGet, "/media?cursor="+cursor, nil).WantError(http.StatusBadRequest, "validation_error")
	_, other := a.CreateWorkspace("other", "operator", schema.Read)
	a.RequestWith(other, http.MethodGet, "/posts?status=scheduled&cursor="+cursor, nil).WantError(http.StatusBadRequest, "validation_error")
}

// contents are those of the posts that a query lists, and where the page stands.
func contents(a *gatewaytest.API, query string) (contents string, page gatewaytest.JSON) {
	a.Helper()
	found := a.Request(http.MethodGet, "/posts?"+query, nil).Want(http.StatusOK)
	for i := range found.At("posts").Len() {
		contents += found.At("posts", i, "content").Text()
	}
	return contents, found.At("pagination")
}

func TestParametersThatAreNotKnownAreTold(t *testing.T) {
	a := gatewaytest.New(t)
	account := a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	webhook := a.Request(http.MethodPost, "/webhooks", `{"url": "https://hooks.example/a", "events": ["post.failed"]}`).Want(http.StatusCreated).At("webhook", "id").Text()
	for _, path := range []string{
		"/posts", "/media", "/events", "/keys", "/accounts", "/accounts/health", "/analytics/posts", "/engagement/comments", "/engagement/mentions", "/connect/mastodon",
		"/platforms", "/platforms/mastodon", "/accounts/" + account.String(), "/webhooks/" + webhook, a.CreatePost(`"status": "draft"`),
	} {
		a.WantLimiWarning(path + "?limi=5")
	}
	if found := a.Request(http.MethodGet, "/posts?limit=5&metadata[a]=b", nil).Want(http.StatusOK); found.Has("warnings") {
		t.Errorf("warnings = %v", found.At("warnings"))
	}
}
