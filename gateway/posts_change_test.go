package gateway_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres"
)

// post makes a post on mastodon and returns its path.
func (a *api) post(mode string) string {
	a.Helper()
	body := `{"content": "x", "platforms": ["mastodon"], "mediaItems": [{"type": "image", "url": "https://media.example/a.png"}], "firstComment": "y", ` + mode + `}`
	return "/posts/" + a.call(http.MethodPost, "/posts", body).want(http.StatusCreated).at("post", "id").text()
}

func (a *api) inAnHour() string { return `"scheduledFor": "` + a.in(time.Hour) + `"` }

func TestAPatchChangesWhatItNames(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	a.connect(a.workspace, schema.Bluesky, "a.bsky.social")
	at := a.now().Truncate(time.Second).Add(2 * time.Hour).UTC()
	for name, tt := range map[string]struct {
		body, field string
		want        any
	}{
		"nothing":            {`{}`, "content", "x"},
		"content":            {`{"content": "z"}`, "content", "z"},
		"platforms":          {`{"platforms": ["bluesky"]}`, "platforms.0.platform", "bluesky"},
		"no media":           {`{"mediaItems": []}`, "mediaItems", []any{}},
		"media stay":         {`{"content": "z"}`, "mediaItems.0.url", "https://media.example/a.png"},
		"comments cleared":   {`{"firstComments": []}`, "firstComments", []any{}},
		"comments stay":      {`{"content": "z"}`, "firstComments.0.text", "y"},
		"one comment":        {`{"firstComment": "w"}`, "firstComments.0.text", "w"},
		"time":               {`{"scheduledFor": "` + at.Format(time.RFC3339) + `"}`, "scheduledFor", at.Format("2006-01-02T15:04:05.000Z")},
		"zone alone":         {`{"timezone": "Asia/Tokyo"}`, "timezone", "Asia/Tokyo"},
		"time in a new zone": {`{"timezone": "Asia/Tokyo", "scheduledFor": "` + at.Add(9*time.Hour).Format("2006-01-02T15:04:05") + `"}`, "scheduledFor", at.Format("2006-01-02T15:04:05.000Z")},
		"settings":           {`{"platformSettings": {"mastodon": {"visibility": "private"}}}`, "platformSettings.mastodon.visibility", "private"},
		"metadata":           {`{"metadata": {"a": "b"}}`, "metadata.a", "b"},
		"draft":              {`{"status": "draft"}`, "status", "draft"},
		"scheduled already":  {`{"status": "scheduled"}`, "status", "scheduled"},
	} {
		t.Run(name, func(t *testing.T) {
			a.under(t)
			path := a.post(a.inAnHour())
			changed := a.call(http.MethodPatch, path, tt.body).want(http.StatusOK).at("post")
			if got := changed.dotted(tt.field); fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("%s = %v, want %v", tt.field, got, tt.want)
			}
			read := a.call(http.MethodGet, path, nil).want(http.StatusOK).at("post")
			if fmt.Sprint(read) != fmt.Sprint(changed) {
				t.Errorf("read:\n%v\nanswered:\n%v", read, changed)
			}
		})
	}
}

func TestTextsOfOnePlatformAreShownAndKeptWithAWarning(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	a.connect(a.workspace, schema.Twitter, "@a")
	a.connect(a.workspace, schema.Bluesky, "a.bsky.social")
	made := `{"content": "x", "platforms": ["mastodon", {"platform": "twitter", "content": "of its own"}, "bluesky"],
		"platformSettings": {"bluesky": {"content": "of the settings"}}, ` + a.inAnHour() + `}`
	for name, tt := range map[string]struct{ body, warned string }{
		"the text":                   {`{"content": "y"}`, "twitter bluesky"},
		"the text and the settings":  {`{"content": "y", "platformSettings": {"bluesky": {"content": "new"}}}`, "twitter"},
		"the text and the platforms": {`{"content": "y", "platforms": ["mastodon", {"platform": "twitter", "content": "new"}]}`, ""},
		"something else":             {`{"metadata": {"a": "b"}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a.under(t)
			id := a.call(http.MethodPost, "/posts", made).want(http.StatusCreated).at("post", "id").text()
			shown := a.call(http.MethodGet, "/posts/"+id, nil).want(http.StatusOK).at("post", "platforms")
			if got := shown.at(1, "contentOverride").text(); got != "of its own" || shown.at(0, "contentOverride").value != nil {
				t.Errorf("platforms = %v", shown)
			}
			changed := a.call(http.MethodPatch, "/posts/"+id, tt.body).want(http.StatusOK)
			var warned []string
			for i := range changed.at("warnings").size() {
				warned = append(warned, changed.at("warnings", i, "platform").text())
			}
			if got := strings.Join(warned, " "); got != tt.warned {
				t.Errorf("warned of %q, want %q", got, tt.warned)
			}
		})
	}
}

func TestATimeWithoutAZoneIsMeantInThePosts(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	path := a.post(a.inAnHour() + `, "timezone": "Asia/Tokyo"`)
	at := a.now().Truncate(time.Second).Add(2 * time.Hour).UTC()
	changed := a.call(http.MethodPatch, path, `{"scheduledFor": "`+at.Add(9*time.Hour).Format("2006-01-02T15:04:05")+`"}`).want(http.StatusOK)
	if got, want := changed.at("post", "scheduledFor").text(), at.Format("2006-01-02T15:04:05.000Z"); got != want {
		t.Errorf("scheduledFor = %s, want %s", got, want)
	}
}

func TestAPatchIsCheckedLikeACreation(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	path := a.post(a.inAnHour())
	draft := a.post(`"status": "draft"`)
	for name, tt := range map[string]struct{ path, body, field string }{
		"a wrong type":             {path, `{"content": 1}`, "content"},
		"too long":                 {path, `{"platformSettings": {"mastodon": {"content": "` + long(501) + `"}}}`, "platformSettings.mastodon.content"},
		"no platforms":             {path, `{"platforms": []}`, "platforms"},
		"an unknown account":       {path, `{"platforms": ["bluesky"]}`, "platforms[0].accountId"},
		"too early":                {path, `{"scheduledFor": "` + a.in(time.Minute) + `"}`, "scheduledFor"},
		"a private address":        {path, `{"mediaItems": [{"type": "image", "url": "http://10.0.0.1/"}]}`, "mediaItems[0].url"},
		"a status nobody sets":     {path, `{"status": "posted"}`, "status"},
		"at once":                  {path, `{"publishNow": true}`, "publishNow"},
		"neither text nor media":   {path, `{"content": "", "mediaItems": []}`, "content"},
		"a draft without its time": {draft, `{"status": "scheduled"}`, "scheduledFor"},
	} {
		t.Run(name, func(t *testing.T) {
			a.under(t)
			before := a.call(http.MethodGet, tt.path, nil).want(http.StatusOK)
			e := a.call(http.MethodPatch, tt.path, tt.body).fails(http.StatusBadRequest, "validation_error")
			if got := e.at("details", 0, "field").text(); got != tt.field {
				t.Errorf("details = %v, want %s", e.at("details"), tt.field)
			}
			if after := a.call(http.MethodGet, tt.path, nil).want(http.StatusOK); fmt.Sprint(after) != fmt.Sprint(before) {
				t.Errorf("the post was changed:\n%v\n%v", before, after)
			}
		})
	}
}

func TestADraftIsScheduledByPatch(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	path := a.post(`"status": "draft"`)
	if got := a.call(http.MethodPatch, path, `{`+a.inAnHour()+`}`).want(http.StatusOK).at("post", "status").text(); got != "draft" {
		t.Errorf("status = %s: a time alone schedules nothing", got)
	}
	if got := a.call(http.MethodPatch, path, `{"status": "scheduled"}`).want(http.StatusOK).at("post", "status").text(); got != "scheduled" {
		t.Errorf("status = %s, want scheduled", got)
	}
	a.call(http.MethodPatch, path, `{"status": "draft"}`).want(http.StatusOK)
	a.ahead.Store(int64(58 * time.Minute))
	a.call(http.MethodPatch, path, `{"status": "scheduled"}`).fails(http.StatusBadRequest, "validation_error") // too close by now
}

func TestDeleteRemovesDraftsAndCancelsScheduledPosts(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	draft, scheduled := a.post(`"status": "draft"`), a.post(a.inAnHour())

	gone := a.call(http.MethodDelete, draft, nil).want(http.StatusOK)
	if gone.at("method").value != nil || gone.at("deleted").value != true || "/posts/"+gone.at("id").text() != draft {
		t.Errorf("answer = %v", gone)
	}
	a.call(http.MethodGet, draft, nil).fails(http.StatusNotFound, "not_found")
	a.call(http.MethodDelete, draft, nil).fails(http.StatusNotFound, "not_found")

	if got := a.call(http.MethodDelete, scheduled, nil).want(http.StatusOK).at("method").text(); got != "cancelled" {
		t.Errorf("method = %q, want cancelled", got)
	}
	post := a.call(http.MethodGet, scheduled, nil).want(http.StatusOK).at("post")
	if post.at("status").text() != "cancelled" || post.at("platforms", 0, "status").text() != "cancelled" {
		t.Errorf("post = %v, want it and its platforms cancelled", post)
	}
	if got := a.call(http.MethodDelete, scheduled, nil).want(http.StatusOK).at("method").text(); got != "cancelled" {
		t.Errorf("once more, method = %q, want cancelled", got)
	}
	a.call(http.MethodPatch, scheduled, `{"content": "z"}`).fails(http.StatusBadRequest, "invalid_state")
}

func TestAPostShowsWhatBecameOfIt(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	a.connect(a.workspace, schema.Bluesky, "b")
	body := `{"content": "x", "platforms": ["mastodon", "bluesky"], "publishNow": true}`
	id, err := schema.ParsePostID(a.call(http.MethodPost, "/posts", body).want(http.StatusCreated).at("post", "id").text())
	if err != nil {
		t.Fatal(err)
	}
	path := "/posts/" + id.String()
	publish := postgres.NewPublish(a.store, noComments)

	a.step(publish, id, 0, schema.Outcome{Receipt: schema.Receipt{NativeID: "109", URL: "https://mastodon.example/@a/109"}})
	a.step(publish, id, 1, schema.Outcome{Err: &schema.Error{Kind: schema.Retryable, Message: "HTTP 502"}})
	post := a.call(http.MethodGet, path, nil).want(http.StatusOK).at("post")
	if got := post.at("status").text(); got != "processing" {
		t.Errorf("status = %s, want processing", got)
	}
	if got := post.at("platforms", 0); got.at("status").text() != "posted" || got.at("postId").text() != "109" ||
		got.at("postUrl").text() != "https://mastodon.example/@a/109" || got.at("postedAt").text() == "" {
		t.Errorf("platforms[0] = %v, want it posted", got)
	}
	if got := post.at("platforms", 1); got.at("status").text() != "pending" || got.at("previousError").text() != "HTTP 502" || got.at("error").value != nil {
		t.Errorf("platforms[1] = %v, want it pending with its last error", got)
	}
	a.call(http.MethodPatch, path, `{"content": "z"}`).fails(http.StatusBadRequest, "invalid_state")
	a.call(http.MethodDelete, path, nil).fails(http.StatusBadRequest, "invalid_state")

	a.exec(`update targets set next_at = now()`)
	a.step(publish, id, 1, schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no links here"}})
	post = a.call(http.MethodGet, path, nil).want(http.StatusOK).at("post")
	if got := post.at("platforms", 1); got.at("status").text() != "failed" || got.at("error", "code").text() != "platform_refused" || got.at("previousError").value != nil {
		t.Errorf("platforms[1] = %v, want it failed", got)
	}
	if got := post.at("status").text(); got != "partially_failed" {
		t.Errorf("status = %s, want partially_failed", got)
	}
}

// step takes a target of a post one step on, as the pipeline does.
func (a *api) step(publish *postgres.Publish, id schema.PostID, n int16, outcome schema.Outcome) {
	a.Helper()
	claimed, err := publish.Claim(context.Background(), []schema.TargetRef{{Post: id, N: n, Version: 1}})
	if err != nil || len(claimed) != 1 {
		a.Fatalf("claimed %v, %v", claimed, err)
	}
	if err := publish.Finish(context.Background(), claimed[0].After(outcome, a.store.Now(), 0)); err != nil {
		a.Fatal(err)
	}
}

func noComments(p schema.Platform) schema.Constraints { return schema.Constraints{Platform: p} }

func TestListsAreFilteredAndPaged(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	a.connect(a.workspace, schema.Bluesky, "b")
	base := a.now().Truncate(time.Second).Add(time.Hour).UTC()
	for i := range 5 {
		platform := "mastodon"
		if i == 4 {
			platform = "bluesky"
		}
		at := base.Add(time.Duration(i) * time.Hour).Format(time.RFC3339)
		a.call(http.MethodPost, "/posts", fmt.Sprintf(`{"content": "%d", "platforms": [%q], "scheduledFor": %q}`, i, platform, at)).want(http.StatusCreated)
	}
	tagged := `{"content": "%d", "platforms": ["mastodon"], "scheduledFor": %q, "externalId": "e%[1]d", "metadata": {"campaign": "spring", "n": "%[1]d"}}`
	for i := range 2 {
		a.call(http.MethodPost, "/posts", fmt.Sprintf(tagged, 5+i, base.Add(time.Duration(5+i)*24*time.Hour).Format(time.RFC3339))).want(http.StatusCreated)
	}
	a.call(http.MethodPost, "/posts", `{"content": "draft", "platforms": ["mastodon"], "status": "draft"}`).want(http.StatusCreated)
	for name, tt := range map[string]struct {
		query   string
		content string // of all found, in order
		total   int
		more    bool
	}{
		"newest first":    {"?status=scheduled", "6543210", 7, false},
		"by platform":     {"?platform=bluesky", "4", 1, false},
		"drafts":          {"?status=draft", "draft", 1, false},
		"cancelled":       {"?status=cancelled", "", 0, false},
		"at or after":     {"?after=" + base.Add(3*time.Hour).Format(time.RFC3339), "6543", 4, false},
		"at or before":    {"?before=" + base.Add(time.Hour).Format(time.RFC3339), "10", 2, false},
		"with an offset":  {"?before=" + base.Add(time.Hour).In(time.FixedZone("", 7200)).Format(time.RFC3339), "10", 2, false},
		"first page":      {"?status=scheduled&limit=2", "65", 7, true},
		"last page":       {"?status=scheduled&limit=2&page=4", "0", 7, false},
		"past the end":    {"?status=scheduled&limit=2&page=5", "", 7, false},
		"exactly full":    {"?status=scheduled&limit=7", "6543210", 7, false},
		"by external id":  {"?externalId=e5", "5", 1, false},
		"of no such id":   {"?externalId=e", "", 0, false},
		"by metadata":     {"?metadata[campaign]=spring", "65", 2, false},
		"with a dot":      {"?metadata.campaign=spring&metadata.n=6", "6", 1, false},
		"metadata paged":  {"?metadata[campaign]=spring&limit=1", "6", 2, true},
		"other metadata":  {"?metadata[campaign]=autumn", "", 0, false},
		"in publishing":   {"?status=immediate", "", 0, false},
		"another brand's": {"?brandId=brand_01k9sr3q5wf2g8m7r4t0v1x2y3", "", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			a.under(t)
			found := a.call(http.MethodGet, "/posts"+tt.query, nil).want(http.StatusOK)
			got := ""
			for i := range found.at("posts").size() {
				got += found.at("posts", i, "content").text()
			}
			page := found.at("pagination")
			if got != tt.content || page.at("total").value != float64(tt.total) || page.at("hasMore").value != tt.more {
				t.Errorf("found %q, %v; want %q, total %d, more %t", got, page, tt.content, tt.total, tt.more)
			}
		})
	}
	for _, query := range []string{"?limit=0", "?limit=101", "?limit=x", "?page=0", "?status=lost", "?platform=myspace", "?after=soon", "?brandId=1", "?brandId=", "?status=", "?limit=", "?after=", "?limit=1&limit=2", "?metadata[]=x", "?metadata[a=x", "?metadata.a=1&metadata.a=2", "?externalId=" + long(256), "?status=failed&platform=%zz", "?limit=1;page=2"} {
		a.call(http.MethodGet, "/posts"+query, nil).fails(http.StatusBadRequest, "validation_error")
	}
}

func TestAccountsAreListedWithoutTheirSecrets(t *testing.T) {
	a := newAPI(t)
	id := a.connect(a.workspace, schema.Mastodon, "@a")
	a.connect(a.workspace, schema.Bluesky, "b")
	if n := a.call(http.MethodGet, "/accounts", nil).want(http.StatusOK).at("accounts").size(); n != 2 {
		t.Errorf("%d accounts, want 2", n)
	}
	if n := a.call(http.MethodGet, "/accounts?platform=bluesky", nil).want(http.StatusOK).at("accounts").size(); n != 1 {
		t.Errorf("%d accounts on bluesky, want 1", n)
	}
	a.exec(`update accounts set needs_reconnect = true where platform = $1`, int16(schema.Mastodon))
	account := a.call(http.MethodGet, "/accounts/"+id.String(), nil).want(http.StatusOK).at("account")
	if account.at("isConnected").value != false || account.at("needsReconnect").value != true || account.at("name").text() != "@a" {
		t.Errorf("account = %v", account)
	}
	for _, path := range []string{"/accounts/x", "/accounts/" + schema.NewAccountID(a.now()).String()} {
		a.call(http.MethodGet, path, nil).fails(http.StatusNotFound, "not_found")
	}
}

func long(n int) string { return fmt.Sprintf("%0*d", n, 0) }
