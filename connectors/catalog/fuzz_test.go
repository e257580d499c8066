package catalog_test

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"crier/connectors/catalog"
	"crier/schema"
)

// answers is a platform that says the same to every request.
type answers struct {
	status int
	header string // lines
	body   string
}

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
		_ = r.Body.Close()
	}
	header := http.Header{"Content-Type": {"application/json"}}
	for line := range strings.SplitSeq(a.header, "\n") {
		if name, value, ok := strings.Cut(line, ":"); ok {
			header.Set(name, strings.TrimSpace(value))
		}
	}
	return &http.Response{
		StatusCode: a.status, Header: header, Body: io.NopCloser(strings.NewReader(a.body)), Request: r, ProtoMajor: 1, ProtoMinor: 1,
	}, nil
}

// FuzzAnswers holds what connectors make of any answer against what the pipeline relies
// on: a typed error, or a receipt that names the post, in text that can be stored.
func FuzzAnswers(f *testing.F) {
	deps := newDeps(f)
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	deps.Now = func() time.Time { return now }
	operations := []string{"publish", "find", "comment", "prepare"}
	platforms := []schema.Platform{schema.Mastodon, schema.Bluesky, schema.Telegram, schema.Twitter, schema.LinkedIn, schema.Facebook, schema.Threads}
	for _, seed := range []struct {
		status       int
		header, body string
	}{
		{200, "", `{"id": "109", "url": "https://mastodon.example/@a/109", "created_at": "2026-03-04T05:06:07.000Z", "content": "<p>hello</p>"}`},
		{200, "", `[{"id": "109", "url": "javascript:alert(1)", "created_at": "2026-03-04T05:06:07.000Z", "content": "<p>hello</p>", "in_reply_to_id": null}]`},
		{200, "", `{"uri": "at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.feed.post/3k", "cid": "bafyrei", "accessJwt": "a.e30.c", "refreshJwt": "a.e30.c", "did": "did:plc:ewvi7nxzyoun6zhxrhs64oiz", "handle": "a.example"}`},
		{200, "", `{"records": [{"uri": "at://x/y/3k", "cid": "c", "value": {"$type": "app.bsky.feed.post", "text": "hello", "createdAt": "2026-03-04T05:06:07Z"}}], "cursor": "3k"}`},
		{200, "", `{"ok": true, "result": {"message_id": 5, "date": 1772600767, "chat": {"id": -100, "type": "channel", "username": "a"}, "text": "hello"}}`},
		{200, "", `{"ok": true, "result": {"message_id": 5, "date": 1772600767, "chat": {"id": -100, "type": "channel", "username": "%0X"}, "text": "hello"}}`},
		{201, "", `{"data": {"id": "109", "text": "hello"}, "errors": [{"title": "x"}]}`},
		{200, "", `{"data": [{"id": "109/../%0X", "text": "hello", "created_at": "2026-03-04T05:06:07.000Z"}], "meta": {"result_count": 1}}`},
		{429, "X-App-Limit-24hour-Remaining: 0\nX-App-Limit-24hour-Reset: 99999999999999\nDate: Wed, 04 Mar 2026 05:06:07 GMT", `{"errors": [{"code": 88}]}`},
		{400, "", `{"ok": false, "error_code": 400, "description": "Bad Request: \u0000 \ud800", "parameters": {"retry_after": -1, "migrate_to_chat_id": -5}}`},
		{200, "", `{"data": [{"id": "1_2", "message": "hello", "created_time": "2026-03-04T05:06:07+0000"}], "paging": {"cursors": {"after": "a"}}}`},
		{400, "X-App-Usage: {\"call_count\": 100}", `{"error": {"message": "(#4) Application request limit reached", "type": "OAuthException", "code": 4}}`},
		{201, "X-RestLi-Id: urn:li:share:1", ``},
		{200, "", `{"paging": {"start": 0, "count": 100}, "elements": [{"id": "urn:li:share:1", "author": "urn:li:organization:1", "commentary": "hello", "createdAt": 1772600767000, "lastModifiedAt": 1772600767000, "lifecycleState": "PUBLISHED"}]}`},
		{429, "Date: Wed, 04 Mar 2026 22:30:00 GMT", `{"message": "Resource level throttle APPLICATION DAY limit for calls to this resource is reached.", "status": 429}`},
		{429, "Retry-After: 99999999999999999999\nX-RateLimit-Reset: 2026-03-04T06:00:00Z\nX-RateLimit-Remaining: 0", `{"error": "Too many"}`},
		{429, "ratelimit-reset: -5\nRetry-After: Wed, 21 Oct 2015 07:28:00 GMT", `{"error": "RateLimitExceeded", "message": "` + "\xff" + `"}`},
		{401, "WWW-Authenticate: Bearer", `{"error": "invalid_token"}`}, {503, "", "<html>"}, {200, "", "null"}, {206, "", `{"id": "\u0000"}`}, {302, "Location: https://else.example/", ""},
	} {
		for platform := range platforms {
			for operation := range operations {
				f.Add(byte(platform), byte(operation), seed.status, seed.header, seed.body)
			}
		}
	}
	f.Fuzz(func(t *testing.T, platform, operation byte, status int, header, body string) {
		if status < 200 || status > 599 {
			return // net/http hands none of them on
		}
		of := platforms[int(platform)%len(platforms)]
		d := deps
		d.HTTP = &http.Client{Transport: answers{status, header, body}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		c, err := catalog.New(d)
		if err != nil {
			t.Fatal(err)
		}
		delivery := deliveryTo(of, now)
		connector, err := c.Connector(delivery.Account)
		if err != nil {
			t.Fatal(err)
		}
		switch operations[int(operation)%len(operations)] {
		case "publish":
			receipt, err := connector.Publish(t.Context(), delivery)
			wantReceipt(t, receipt, err)
		case "find":
			receipt, verdict, err := connector.Find(t.Context(), delivery)
			if verdict == schema.Found && err == nil {
				wantReceipt(t, receipt, nil)
			}
			wantTyped(t, err)
		case "comment":
			delivery.Comment = &schema.Comment{Text: "first"}
			delivery.Receipts = []schema.Receipt{{NativeID: "5", State: `{"uri": "at://a/b/c", "cid": "d"}`}}
			receipt, err := connector.Comment(t.Context(), delivery)
			wantReceipt(t, receipt, err)
		case "prepare":
			_, err := connector.Prepare(t.Context(), delivery)
			wantTyped(t, err)
		}
	})
}

func deliveryTo(p schema.Platform, now time.Time) schema.Delivery {
	d := installation{}.delivery(p, "https://server.example", false)
	d.Account.ID, d.Account.NativeID = schema.NewID[schema.AccountID](now), "did:plc:ewvi7nxzyoun6zhxrhs64oiz"
	d.Since, d.DueAt, d.Deadline, d.Tries = now, now, now.Add(time.Minute), 5
	return d
}

func wantReceipt(t *testing.T, r schema.Receipt, err error) {
	t.Helper()
	if err != nil {
		wantTyped(t, err)
		return
	}
	if r.NativeID == "" && !r.Open {
		t.Errorf("receipt %+v names no post", r)
	}
	wantText(t, r.NativeID)
	wantText(t, r.URL)
	wantText(t, r.State)
	if u, err := url.Parse(r.URL); err != nil || r.URL != "" && u.Scheme != "https" && u.Scheme != "http" {
		t.Errorf("url %q: %v", r.URL, err)
	}
}

// wantTyped fails the test for an error that says nobody knows what happened.
func wantTyped(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	e, ok := errors.AsType[*schema.Error](err)
	if !ok {
		t.Fatalf("error = %v, want a *schema.Error", err)
	}
	wantText(t, e.Message)
	if e.RetryAfter < 0 {
		t.Errorf("RetryAfter = %v", e.RetryAfter)
	}
}

// wantText fails the test for what PostgreSQL does not take as text.
func wantText(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		t.Errorf("%q cannot be stored", text)
	}
}
