package gateway_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"crier/schema"
)

// takes says of all mastodon accounts how long a text their server takes.
func (a *api) takes(characters int) {
	a.Helper()
	a.exec(`update accounts set settings = $1`, fmt.Sprintf(`{"limits": {"text": %d}}`, characters))
	a.ahead.Add(int64(2 * time.Second)) // past what is remembered of accounts
}

func TestAPatchIsHeldToWhatTheAccountsServerTakes(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	a.takes(5000)
	at := a.in(time.Hour)
	post := "/posts/" + a.call(http.MethodPost, "/posts", fmt.Sprintf(`{"content": %q, "platforms": ["mastodon"], "scheduledFor": %q}`, long(1000), at)).
		want(http.StatusCreated).at("post", "id").text()
	thread := "/threads/" + a.call(http.MethodPost, "/threads", fmt.Sprintf(`{"posts": [{"content": %q}, {"content": "x"}], "platforms": ["mastodon"], "scheduledFor": %q}`, long(1000), at)).
		want(http.StatusCreated).at("thread", "id").text()
	changes := []struct{ path, body string }{
		{post, `{"scheduledFor": "` + a.in(2*time.Hour) + `"}`}, {post, `{"metadata": {"a": "b"}}`}, {post, `{"status": "draft"}`},
		{thread, `{"title": "t"}`}, {thread, `{"scheduledFor": "` + a.in(2*time.Hour) + `"}`}, {thread, `{"status": "draft"}`},
	}
	for _, c := range changes {
		a.call(http.MethodPatch, c.path, c.body).want(http.StatusOK)
	}
	a.takes(400)
	for _, c := range append(changes, struct{ path, body string }{post, `{"content": "` + long(450) + `"}`}) {
		e := a.call(http.MethodPatch, c.path, c.body).fails(http.StatusBadRequest, "validation_error")
		if got := e.at("details", 0, "code").text(); got != "text_too_long" {
			t.Errorf("%s %s: details = %v", c.path, c.body, e.at("details"))
		}
	}
}
