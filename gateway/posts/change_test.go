package posts_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/gateway/gatewaytest"
	"crier/schema"
	"crier/schema/postgres"
)

func TestAPatchChangesWhatItNames(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	a.AddAccount(a.Workspace, schema.Bluesky, "a.bsky.social")
	at := a.Now().Truncate(time.Second).Add(2 * time.Hour).UTC()
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
			a.Under(t)
			path := a.CreatePost(a.InAnHour())
			changed := a.Request(http.MethodPatch, path, tt.body).Want(http.StatusOK).At("post")
			if got := changed.Dotted(tt.field); fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("%s = %v, want %v", tt.field, got, tt.want)
			}
			read := a.Request(http.MethodGet, path, nil).Want(http.StatusOK).At("post")
			if fmt.Sprint(read) != fmt.Sprint(changed) {
				t.Errorf("read:\n%v\nanswered:\n%v", read, changed)
			}
		})
	}
}

func TestTextsOfOnePlatformAreShownAndKeptWithAWarning(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	a.AddAccount(a.Workspace, schema.Twitter, "@a")
	a.AddAccount(a.Workspace, schema.Bluesky, "a.bsky.social")
	withTexts := `{"content": "x", "platforms": ["mastodon", {"platform": "twitter", "content": "of its own"}, "bluesky"],
		"platformSettings": {"bluesky": {"content": "of the settings"}}, ` + a.InAnHour() + `}`
	for name, tt := range map[string]struct{ body, warned string }{
		"the text":                   {`{"content": "y"}`, "twitter bluesky"},
		"the text and the settings":  {`{"content": "y", "platformSettings": {"bluesky": {"content": "new"}}}`, "twitter"},
		"the text and the platforms": {`{"content": "y", "platforms": ["mastodon", {"platform": "twitter", "content": "new"}]}`, ""},
		"something else":             {`{"metadata": {"a": "b"}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			id := a.Request(http.MethodPost, "/posts", withTexts).Want(http.StatusCreated).At("post", "id").Text()
			targets := a.Request(http.MethodGet, "/posts/"+id, nil).Want(http.StatusOK).At("post", "platforms")
			if got := targets.At(1, "contentOverride").Text(); got != "of its own" || targets.At(0, "contentOverride").Value != nil {
				t.Errorf("platforms = %v", targets)
			}
			changed := a.Request(http.MethodPatch, "/posts/"+id, tt.body).Want(http.StatusOK)
			var warned []string
			for i := range changed.At("warnings").Len() {
				warned = append(warned, changed.At("warnings", i, "platform").Text())
			}
			if got := strings.Join(warned, " "); got != tt.warned {
				t.Errorf("warned of %q, want %q", got, tt.warned)
			}
		})
	}
}

func TestATimeWithoutAZoneIsMeantInThePosts(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	path := a.CreatePost(a.InAnHour() + `, "timezone": "Asia/Tokyo"`)
	at := a.Now().Truncate(time.Second).Add(2 * time.Hour).UTC()
	changed := a.Request(http.MethodPatch, path, `{"scheduledFor": "`+at.Add(9*time.Hour).Format("2006-01-02T15:04:05")+`"}`).Want(http.StatusOK)
	if got, want := changed.At("post", "scheduledFor").Text(), at.Format("2006-01-02T15:04:05.000Z"); got != want {
		t.Errorf("scheduledFor = %s, want %s", got, want)
	}
}

func TestAPatchIsCheckedLikeACreation(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	path := a.CreatePost(a.InAnHour())
	draft := a.CreatePost(`"status": "draft"`)
	for name, tt := range map[string]struct{ path, body, field string }{
		"a wrong type":             {path, `{"content": 1}`, "content"},
		"too long":                 {path, `{"platformSettings": {"mastodon": {"content": "` + gatewaytest.Zeros(501) + `"}}}`, "platformSettings.mastodon.content"},
		"no platforms":             {path, `{"platforms": []}`, "platforms"},
		"an unknown account":       {path, `{"platforms": ["bluesky"]}`, "platforms[0].accountId"},
		"too early":                {path, `{"scheduledFor": "` + a.In(time.Minute) + `"}`, "scheduledFor"},
		"a private address":        {path, `{"mediaItems": [{"type": "image", "url": "http://10.0.0.1/"}]}`, "mediaItems[0].url"},
		"a status nobody sets":     {path, `{"status": "posted"}`, "status"},
		"at once, at a time":       {path, `{"publishNow": true, "scheduledFor": "` + a.In(time.Hour) + `"}`, "scheduledFor"},
		"at once, in a queue":      {path, `{"publishNow": true, "queue": true}`, "queue"},
		"at once, as a draft":      {path, `{"publishNow": true, "status": "draft"}`, "publishNow"},
		"at once, later":           {path, `{"publishNow": true, "status": "scheduled"}`, "publishNow"},
		"at once, nowhere":         {draft, `{"publishNow": true, "platforms": []}`, "platforms"},
		"at once, too long":        {draft, `{"publishNow": true, "content": "` + gatewaytest.Zeros(501) + `"}`, "content"},
		"a queue as a draft":       {path, `{"queue": true, "status": "draft"}`, "queue"},
		"a queue that is not":      {draft, `{"queueId": "queue_01k9sr3q5wf2g8m7r4t0v1x2y3"}`, "queueId"},
		"no queue":                 {draft, `{"queue": true}`, "queue"},
		"neither text nor media":   {path, `{"content": "", "mediaItems": []}`, "content"},
		"a draft without its time": {draft, `{"status": "scheduled"}`, "scheduledFor"},
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			before := a.Request(http.MethodGet, tt.path, nil).Want(http.StatusOK)
			e := a.Request(http.MethodPatch, tt.path, tt.body).WantError(http.StatusBadRequest, "validation_error")
			if got := e.At("details", 0, "field").Text(); got != tt.field {
				t.Errorf("details = %v, want %s", e.At("details"), tt.field)
			}
			if after := a.Request(http.MethodGet, tt.path, nil).Want(http.StatusOK); fmt.Sprint(after) != fmt.Sprint(before) {
				t.Errorf("the post was changed:\n%v\n%v", before, after)
			}
		})
	}
}

func TestADraftIsScheduledByPatch(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	path := a.CreatePost(`"status": "draft"`)
	if got := a.Request(http.MethodPatch, path, `{`+a.InAnHour()+`}`).Want(http.StatusOK).At("post", "status").Text(); got != "draft" {
		t.Errorf("status = %s: a time alone schedules nothing", got)
	}
	if got := a.Request(http.MethodPatch, path, `{"status": "scheduled"}`).Want(http.StatusOK).At("post", "status").Text(); got != "scheduled" {
		t.Errorf("status = %s, want scheduled", got)
	}
	a.Request(http.MethodPatch, path, `{"status": "draft"}`).Want(http.StatusOK)
	a.Ahead.Store(int64(58 * time.Minute))
	a.Request(http.MethodPatch, path, `{"status": "scheduled"}`).WantError(http.StatusBadRequest, "validation_error") // too close by now
}

func TestDeleteRemovesDraftsAndCancelsScheduledPosts(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	draft, scheduled := a.CreatePost(`"status": "draft"`), a.CreatePost(a.InAnHour())

	gone := a.Request(http.MethodDelete, draft, nil).Want(http.StatusOK)
	if gone.At("method").Value != nil || gone.At("deleted").Value != true || "/posts/"+gone.At("id").Text() != draft {
		t.Errorf("answer = %v", gone)
	}
	a.Request(http.MethodGet, draft, nil).WantError(http.StatusNotFound, "not_found")
	a.Request(http.MethodDelete, draft, nil).WantError(http.StatusNotFound, "not_found")

	if got := a.Request(http.MethodDelete, scheduled, nil).Want(http.StatusOK).At("method").Text(); got != "cancelled" {
		t.Errorf("method = %q, want cancelled", got)
	}
	post := a.Request(http.MethodGet, scheduled, nil).Want(http.StatusOK).At("post")
	if post.At("status").Text() != "cancelled" || post.At("platforms", 0, "status").Text() != "cancelled" {
		t.Errorf("post = %v, want it and its platforms cancelled", post)
	}
	if got := a.Request(http.MethodDelete, scheduled, nil).Want(http.StatusOK).At("method").Text(); got != "cancelled" {
		t.Errorf("once more, method = %q, want cancelled", got)
	}
	a.Request(http.MethodPatch, scheduled, `{"content": "z"}`).WantError(http.StatusBadRequest, "invalid_state")
}

func TestAPostShowsWhatBecameOfIt(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	a.AddAccount(a.Workspace, schema.Bluesky, "b")
	body := `{"content": "x", "platforms": ["mastodon", "bluesky"], "publishNow": true}`
	id, err := schema.ParseID[schema.PostID](a.Request(http.MethodPost, "/posts", body).Want(http.StatusCreated).At("post", "id").Text())
	if err != nil {
		t.Fatal(err)
	}
	path := "/posts/" + id.String()
	publish := postgres.NewPublish(a.Store, gatewaytest.NoComments)

	a.FinishTarget(publish, id, 0, schema.Outcome{Receipt: schema.Receipt{NativeID: "109", URL: "https://mastodon.example/@a/109"}})
	a.FinishTarget(publish, id, 1, schema.Outcome{Err: &schema.Error{Kind: schema.Retryable, Message: "HTTP 502"}})
	post := a.Request(http.MethodGet, path, nil).Want(http.StatusOK).At("post")
	if got := post.At("status").Text(); got != "processing" {
		t.Errorf("status = %s, want processing", got)
	}
	if got := post.At("platforms", 0); got.At("status").Text() != "posted" || got.At("postId").Text() != "109" ||
		got.At("postUrl").Text() != "https://mastodon.example/@a/109" || got.At("postedAt").Text() == "" {
		t.Errorf("platforms[0] = %v, want it posted", got)
	}
	if got := post.At("platforms", 1); got.At("status").Text() != "pending" || got.At("previousError").Text() != "HTTP 502" || got.At("error").Value != nil {
		t.Errorf("platforms[1] = %v, want it pending with its last error", got)
	}
	a.Request(http.MethodPatch, path, `{"content": "z"}`).WantError(http.StatusBadRequest, "invalid_state")
	a.Request(http.MethodDelete, path, nil).WantError(http.StatusBadRequest, "invalid_state")

	a.Exec(`update targets set next_at = now()`)
	a.FinishTarget(publish, id, 1, schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no links here"}})
	post = a.Request(http.MethodGet, path, nil).Want(http.StatusOK).At("post")
	if got := post.At("platforms", 1); got.At("status").Text() != "failed" || got.At("error", "code").Text() != "platform_refused" || got.At("previousError").Value != nil {
		t.Errorf("platforms[1] = %v, want it failed", got)
	}
	if got := post.At("status").Text(); got != "partially_failed" {
		t.Errorf("status = %s, want partially_failed", got)
	}
}

func TestListsAreFilteredAndPaged(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	a.AddAccount(a.Workspace, schema.Bluesky, "b")
	base := a.Now().Truncate(time.Second).Add(time.Hour).UTC()
	for i := range 5 {
		platform := "mastodon"
		if i == 4 {
			platform = "bluesky"
		}
		at := base.Add(time.Duration(i) * time.Hour).Format(time.RFC3339)
		a.Request(http.MethodPost, "/posts", fmt.Sprintf(`{"content": "%d", "platforms": [%q], "scheduledFor": %q}`, i, platform, at)).Want(http.StatusCreated)
	}
	tagged := `{"content": "%d", "platforms": ["mastodon"], "scheduledFor": %q, "externalId": "e%[1]d", "metadata": {"campaign": "spring", "n": "%[1]d"}}`
	for i := range 2 {
		a.Request(http.MethodPost, "/posts", fmt.Sprintf(tagged, 5+i, base.Add(time.Duration(5+i)*24*time.Hour).Format(time.RFC3339))).Want(http.StatusCreated)
	}
	a.Request(http.MethodPost, "/posts", `{"content": "draft", "platforms": ["mastodon"], "status": "draft"}`).Want(http.StatusCreated)
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
			a.Under(t)
			found := a.Request(http.MethodGet, "/posts"+tt.query, nil).Want(http.StatusOK)
			got := ""
			for i := range found.At("posts").Len() {
				got += found.At("posts", i, "content").Text()
			}
			page := found.At("pagination")
			if got != tt.content || page.At("total").Value != float64(tt.total) || page.At("hasMore").Value != tt.more {
				t.Errorf("found %q, %v; want %q, total %d, more %t", got, page, tt.content, tt.total, tt.more)
			}
		})
	}
	for _, query := range []string{"?limit=0", "?limit=101", "?limit=x", "?page=0", "?status=lost", "?platform=myspace", "?after=soon", "?brandId=1", "?brandId=", "?status=", "?limit=", "?after=", "?limit=1&limit=2", "?metadata[]=x", "?metadata[a=x", "?metadata.a=1&metadata.a=2", "?externalId=" + gatewaytest.Zeros(256), "?status=failed&platform=%zz", "?limit=1;page=2"} {
		a.Request(http.MethodGet, "/posts"+query, nil).WantError(http.StatusBadRequest, "validation_error")
	}
}

func TestAccountsAreListedWithoutTheirSecrets(t *testing.T) {
	a := gatewaytest.New(t)
	id := a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	a.AddAccount(a.Workspace, schema.Bluesky, "b")
	if n := a.Request(http.MethodGet, "/accounts", nil).Want(http.StatusOK).At("accounts").Len(); n != 2 {
		t.Errorf("%d accounts, want 2", n)
	}
	if n := a.Request(http.MethodGet, "/accounts?platform=bluesky", nil).Want(http.StatusOK).At("accounts").Len(); n != 1 {
		t.Errorf("%d accounts on bluesky, want 1", n)
	}
	a.Exec(`update accounts set needs_reconnect = true where platform = $1`, int16(schema.Mastodon))
	account := a.Request(http.MethodGet, "/accounts/"+id.String(), nil).Want(http.StatusOK).At("account")
	if account.At("isConnected").Value != false || account.At("needsReconnect").Value != true || account.At("name").Text() != "@a" {
		t.Errorf("account = %v", account)
	}
	for _, path := range []string{"/accounts/x", "/accounts/" + schema.NewID[schema.AccountID](a.Now()).String()} {
		a.Request(http.MethodGet, path, nil).WantError(http.StatusNotFound, "not_found")
	}
}
