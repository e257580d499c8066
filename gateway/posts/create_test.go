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

func TestAPostIsWhatWasAskedFor(t *testing.T) {
	a := gatewaytest.New(t)
	mastodon := a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	a.AddAccount(a.Workspace, schema.Mastodon, "@b")
	a.AddAccount(a.Workspace, schema.Bluesky, "a.bsky.social")
	created := a.Request(http.MethodPost, "/posts", map[string]any{
		"content":          "Hello <world> & all",
		"platforms":        []any{map[string]any{"platform": "mastodon", "accountId": mastodon, "content": "Hello, fediverse"}, "bluesky"},
		"mediaItems":       []any{map[string]any{"type": "image", "url": "https://media.example/a.png", "altText": "A"}},
		"scheduledFor":     "2026-12-01T09:00:00",
		"timezone":         "Europe/Berlin",
		"platformSettings": map[string]any{"mastodon": map[string]any{"visibility": "unlisted"}},
		"firstComment":     "First!",
		"externalId":       "order-7",
		"metadata":         map[string]any{"campaign": "winter"},
		"colour":           "red",
	})
	answer := created.Want(http.StatusCreated)
	post := answer.At("post")
	for path, want := range map[string]any{
		"status": "scheduled", "content": "Hello <world> & all", "scheduledFor": "2026-12-01T08:00:00.000Z",
		"timezone": "Europe/Berlin", "externalId": "order-7", "isApiPost": true,
	} {
		if got := post.At(path).Value; got != want {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
	if got := post.At("platforms", 0); got.At("accountId").Text() != mastodon.String() || got.At("status").Text() != "pending" {
		t.Errorf("platforms[0] = %v", got)
	}
	if got := post.At("platformSettings", "mastodon", "visibility").Text(); got != "unlisted" {
		t.Errorf("visibility = %q", got)
	}
	if got := post.At("firstComments", 0, "text").Text(); got != "First!" {
		t.Errorf("firstComments = %v", post.At("firstComments"))
	}
	if got := answer.At("warnings", 0); got.At("field").Text() != "colour" || got.At("code").Text() != "unknown_field" {
		t.Errorf("warnings = %v", answer.At("warnings"))
	}
	if !strings.Contains(string(created.Body), "<world> &") {
		t.Errorf("the text is escaped needlessly: %s", created.Body)
	}
	read := a.Request(http.MethodGet, "/posts/"+post.At("id").Text(), nil).Want(http.StatusOK)
	if got, want := fmt.Sprint(read.At("post")), fmt.Sprint(post); got != want {
		t.Errorf("read:\n%s\ncreated:\n%s", got, want)
	}
}

// Texts of Windows come with CRLF, which platforms count and show as they like.
func TestLinesEndAlike(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	got := a.Request(http.MethodPost, "/posts", map[string]any{
		"content": "one\r\ntwo\rthree", "status": "draft", "firstComment": "a\r\nb",
		"platforms": []any{"mastodon"},
	}).Want(http.StatusCreated).At("post")
	if text := got.At("content").Text(); text != "one\ntwo\nthree" {
		t.Errorf("content = %q", text)
	}
	if text := got.At("firstComments", 0, "text").Text(); text != "a\nb" {
		t.Errorf("first comment = %q", text)
	}
}

func TestInvalidPostsAreRefused(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	a.AddAccount(a.Workspace, schema.Telegram, "chat")
	a.AddAccount(a.Workspace, schema.TikTok, "dance")
	soon, later := a.In(time.Hour), a.In(2*time.Hour)
	for name, tt := range map[string]struct{ body, field, code string }{
		"no JSON":                     {`content=x`, "body", "malformed_json"},
		"no object":                   {`[]`, "body", "invalid_type"},
		"no platforms":                {`{"content": "x", "publishNow": true}`, "platforms", "required"},
		"empty platforms":             {`{"content": "x", "platforms": [], "publishNow": true}`, "platforms", "required"},
		"unknown platform":            {`{"content": "x", "platforms": ["myspace"], "publishNow": true}`, "platforms[0]", "invalid_value"},
		"platform of a wrong type":    {`{"content": "x", "platforms": [7], "publishNow": true}`, "platforms[0]", "invalid_type"},
		"no account there":            {`{"content": "x", "platforms": ["bluesky"], "publishNow": true}`, "platforms[0].accountId", "account_missing"},
		"unknown account":             {`{"content": "x", "platforms": [{"platform": "mastodon", "accountId": "acc_1"}], "publishNow": true}`, "platforms[0].accountId", "account_unknown"},
		"the same account twice":      {`{"content": "x", "platforms": ["mastodon", "mastodon"], "publishNow": true}`, "platforms[1]", "duplicate_target"},
		"content of a wrong type":     {`{"content": 7, "platforms": ["mastodon"], "publishNow": true}`, "content", "invalid_type"},
		"a field that is misspelt":    {`{"content": "x", "plattforms": ["mastodon"], "publishNow": true}`, "plattforms", "unknown_field"},
		"no mode":                     {`{"content": "x", "platforms": ["mastodon"]}`, "scheduledFor", "required"},
		"publishNow false is no mode": {`{"content": "x", "platforms": ["mastodon"], "publishNow": false}`, "scheduledFor", "required"},
		"scheduled without a time":    {`{"content": "x", "platforms": ["mastodon"], "status": "scheduled"}`, "scheduledFor", "required"},
		"two modes":                   {`{"content": "x", "platforms": ["mastodon"], "publishNow": true, "scheduledFor": "` + soon + `"}`, "scheduledFor", "conflict"},
		"a draft with a time":         {`{"content": "x", "platforms": ["mastodon"], "status": "draft", "scheduledFor": "` + soon + `"}`, "scheduledFor", "conflict"},
		"a draft at once":             {`{"content": "x", "platforms": ["mastodon"], "status": "draft", "publishNow": true}`, "publishNow", "conflict"},
		"scheduled and at once":       {`{"content": "x", "platforms": ["mastodon"], "status": "scheduled", "publishNow": true}`, "publishNow", "conflict"},
		"an empty status":             {`{"content": "x", "platforms": ["mastodon"], "status": "", "publishNow": true}`, "status", "invalid_value"},
		"a status nobody sets":        {`{"content": "x", "platforms": ["mastodon"], "status": "posted", "publishNow": true}`, "status", "invalid_value"},
		"no queue":                    {`{"content": "x", "platforms": ["mastodon"], "queue": true}`, "queue", "queue_missing"},
		"too early":                   {`{"content": "x", "platforms": ["mastodon"], "scheduledFor": "` + a.In(4*time.Minute) + `"}`, "scheduledFor", "time_too_early"},
		"too late":                    {`{"content": "x", "platforms": ["mastodon"], "scheduledFor": "` + a.In(91*24*time.Hour) + `"}`, "scheduledFor", "time_too_late"},
		"no time":                     {`{"content": "x", "platforms": ["mastodon"], "scheduledFor": "tomorrow"}`, "scheduledFor", "time_invalid"},
		"unknown zone":                {`{"content": "x", "platforms": ["mastodon"], "scheduledFor": "` + soon + `", "timezone": "Mars/Base"}`, "timezone", "invalid_value"},
		"local path":                  {`{"content": "x", "platforms": ["mastodon"], "publishNow": true, "mediaItems": [{"type": "image", "url": "/tmp/a.png"}]}`, "mediaItems[0].url", "url_invalid"},
		"file url":                    {`{"content": "x", "platforms": ["mastodon"], "publishNow": true, "mediaItems": [{"type": "image", "url": "file:///etc/passwd"}]}`, "mediaItems[0].url", "url_invalid"},
		"ftp url":                     {`{"content": "x", "platforms": ["mastodon"], "publishNow": true, "mediaItems": [{"type": "image", "url": "ftp://media.example/a.png"}]}`, "mediaItems[0].url", "url_invalid"},
		"private address":             {`{"content": "x", "platforms": ["mastodon"], "publishNow": true, "mediaItems": [{"type": "image", "url": "http://127.0.0.1/a.png"}]}`, "mediaItems[0].url", "url_invalid"},
		"name of a private address":   {`{"content": "x", "platforms": ["mastodon"], "publishNow": true, "mediaItems": [{"type": "image", "url": "https://internal.example/a.png"}]}`, "mediaItems[0].url", "url_invalid"},
		"metadata address":            {`{"content": "x", "platforms": ["mastodon"], "publishNow": true, "mediaItems": [{"type": "image", "url": "http://169.254.169.254/latest"}]}`, "mediaItems[0].url", "url_invalid"},
		"unknown media":               {`{"content": "x", "platforms": ["mastodon"], "publishNow": true, "mediaItems": [{"type": "image", "mediaId": "media_01k9sr3q5wf2g8m7r4t0v1x2y3"}]}`, "mediaItems[0].mediaId", "media_unknown"},
		"media without an address":    {`{"content": "x", "platforms": ["mastodon"], "publishNow": true, "mediaItems": [{"type": "image"}]}`, "mediaItems[0].url", "required"},
		"media of an unknown type":    {`{"content": "x", "platforms": ["mastodon"], "publishNow": true, "mediaItems": [{"type": "sound", "url": "https://media.example/a"}]}`, "mediaItems[0].type", "invalid_value"},
		"too long for the platform":   {`{"content": "` + strings.Repeat("x", 501) + `", "platforms": ["mastodon"], "publishNow": true}`, "content", "text_too_long"},
		"tiktok without privacy":      {`{"content": "x", "platforms": ["tiktok"], "publishNow": true, "mediaItems": [{"type": "video", "url": "https://media.example/a.mp4"}]}`, "platformSettings.tiktok.privacy", "setting_required"},
		"comment nowhere supported":   {`{"content": "x", "platforms": ["telegram"], "publishNow": true, "firstComment": "x"}`, "firstComments[0]", "first_comment_unsupported"},
		"both kinds of comments":      {`{"content": "x", "platforms": ["mastodon"], "publishNow": true, "firstComment": "x", "firstComments": []}`, "firstComment", "conflict"},
		"comment on no entry":         {`{"content": "x", "platforms": ["mastodon"], "publishNow": true, "firstComments": [{"target": 1, "text": "x"}]}`, "firstComments[0].target", "first_comment_target_invalid"},
		"metadata that is not flat":   {`{"content": "x", "platforms": ["mastodon"], "publishNow": true, "metadata": {"a": {}}}`, "metadata.a", "invalid_type"},
		"unknown brand":               {`{"content": "x", "platforms": ["mastodon"], "publishNow": true, "brandId": "brand_1"}`, "brandId", "brand_unknown"},
		"settings of a wrong type":    {`{"content": "x", "platforms": ["mastodon"], "publishNow": true, "platformSettings": {"mastodon": 1}}`, "platformSettings.mastodon", "invalid_type"},
		"a queue and a time":          {`{"content": "x", "platforms": ["mastodon"], "queue": true, "scheduledFor": "` + later + `"}`, "scheduledFor", "conflict"},
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			e := a.Request(http.MethodPost, "/posts", tt.body).WantError(http.StatusBadRequest, "validation_error")
			details, _ := e.At("details").Value.([]any)
			for _, d := range details {
				if d := (gatewaytest.JSON{Value: d}); d.At("field").Text() == tt.field && d.At("code").Text() == tt.code {
					return
				}
			}
			t.Errorf("details = %v, want %s %s", details, tt.field, tt.code)
		})
	}
	if n := a.Request(http.MethodGet, "/posts", nil).Want(http.StatusOK).At("posts").Len(); n != 0 {
		t.Errorf("%d posts were made of invalid requests", n)
	}
}

func TestWhatIsWrongIsNamedOnce(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	for name, tt := range map[string]struct{ body, field string }{
		"no object":             {`[]`, "body"},
		"a time as a number":    {`{"content": "x", "platforms": ["mastodon"], "scheduledFor": 1795301640}`, "scheduledFor"},
		"publishNow as a text":  {`{"content": "x", "platforms": ["mastodon"], "publishNow": "true"}`, "publishNow"},
		"a queue as a number":   {`{"content": "x", "platforms": ["mastodon"], "queueId": 1}`, "queueId"},
		"a status that is none": {`{"content": "x", "platforms": ["mastodon"], "status": "posted"}`, "status"},
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			e := a.Request(http.MethodPost, "/posts", tt.body).WantError(http.StatusBadRequest, "validation_error")
			if e.At("details").Len() != 1 || e.At("details", 0, "field").Text() != tt.field {
				t.Errorf("details = %v, want %s alone", e.At("details"), tt.field)
			}
		})
	}
}

func TestAllThatIsWrongComesAtOnce(t *testing.T) {
	a := gatewaytest.New(t)
	e := a.Request(http.MethodPost, "/posts", `{"content": 7, "platforms": ["bluesky", {"platform": "myspace"}], "mediaItems": [{"type": "image", "url": "x"}], "timezone": "Mars/Base"}`).
		WantError(http.StatusBadRequest, "validation_error")
	var fields []string
	for i := range e.At("details").Len() {
		fields = append(fields, e.At("details", i, "field").Text())
	}
	for _, want := range []string{"content", "platforms[0].accountId", "platforms[1].platform", "mediaItems[0].url", "timezone", "scheduledFor"} {
		if !strings.Contains(strings.Join(fields, " ")+" ", want+" ") {
			t.Errorf("fields = %v, want %s among them", fields, want)
		}
	}
}

func TestSeveralAccountsHaveToBeNamed(t *testing.T) {
	a := gatewaytest.New(t)
	first, two := a.AddAccount(a.Workspace, schema.Mastodon, "@one"), a.AddAccount(a.Workspace, schema.Mastodon, "@two")
	for _, platforms := range []string{`["mastodon"]`, `[{"platform": "mastodon"}]`} {
		e := a.Request(http.MethodPost, "/posts", `{"content": "x", "publishNow": true, "platforms": `+platforms+`}`).
			WantError(http.StatusBadRequest, "account_ambiguous")
		if e.At("details").Len() != 2 {
			t.Fatalf("details = %v, want both accounts", e.At("details"))
		}
		for i, id := range []schema.AccountID{first, two} {
			if got := e.At("details", i, "message").Text(); !strings.Contains(got, id.String()) {
				t.Errorf("choice %d = %q, want %s", i, got, id)
			}
		}
	}
}

func TestAnAccountCanBeUsedAtOnce(t *testing.T) {
	a := gatewaytest.New(t)
	a.Freeze() // nothing that is remembered ends by itself
	body := `{"content": "x", "platforms": ["mastodon"], "publishNow": true}`
	a.Request(http.MethodPost, "/posts", body).WantError(http.StatusBadRequest, "validation_error")
	a.AddAccount(a.Workspace, schema.Mastodon, "@new")
	a.Request(http.MethodPost, "/posts", body).Want(http.StatusCreated)
}

func TestACommentThatOnePlatformTakesIsAWarningForTheOthers(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	a.AddAccount(a.Workspace, schema.Telegram, "chat")
	answer := a.Request(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon", "telegram"], "publishNow": true, "firstComment": "y"}`).
		Want(http.StatusCreated)
	if got := answer.At("warnings", 0); got.At("platform").Text() != "telegram" {
		t.Errorf("warnings = %v", answer.At("warnings"))
	}
}

func TestAnAccountThatNeedsReconnectingIsAWarning(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	a.Exec(`update accounts set needs_reconnect = true`)
	answer := a.Request(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], "publishNow": true}`).Want(http.StatusCreated)
	if got := answer.At("warnings", 0, "code").Text(); got != "account_needs_reconnect" {
		t.Errorf("warnings = %v", answer.At("warnings"))
	}
	draft := a.Request(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], "status": "draft"}`).Want(http.StatusCreated)
	change := map[string]any{"status": "scheduled", "scheduledFor": time.Now().Add(time.Hour)}
	answer = a.Request(http.MethodPatch, "/posts/"+draft.At("post", "id").Text(), change).Want(http.StatusOK)
	if got := answer.At("warnings", 0, "code").Text(); got != "account_needs_reconnect" {
		t.Errorf("a draft is scheduled: warnings = %v", answer.At("warnings"))
	}
}

func TestTimesOfPosts(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	at := time.Date(2026, 10, 20, 0, 0, 0, 0, time.UTC)
	a.Frozen.Store(&at)
	for name, tt := range map[string]struct{ mode, status, want string }{
		"publishNow":         {`"publishNow": true`, "scheduled", "2026-10-20T00:00:00.000Z"},
		"immediate":          {`"status": "immediate"`, "scheduled", "2026-10-20T00:00:00.000Z"},
		"both":               {`"status": "immediate", "publishNow": true`, "scheduled", "2026-10-20T00:00:00.000Z"},
		"draft":              {`"status": "draft"`, "draft", ""},
		"exactly 5 minutes":  {`"scheduledFor": "2026-10-20T00:05:00Z"`, "scheduled", "2026-10-20T00:05:00.000Z"},
		"exactly 90 days":    {`"scheduledFor": "2027-01-18T00:00:00Z"`, "scheduled", "2027-01-18T00:00:00.000Z"},
		"the first of two":   {`"scheduledFor": "2026-10-25T02:30:00", "timezone": "Europe/Berlin"`, "scheduled", "2026-10-25T00:30:00.000Z"},
		"UTC without a zone": {`"scheduledFor": "2026-10-25T02:30:00"`, "scheduled", "2026-10-25T02:30:00.000Z"},
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			post := a.Request(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], `+tt.mode+`}`).
				Want(http.StatusCreated).At("post")
			if got := post.At("scheduledFor").Text(); got != tt.want {
				t.Errorf("scheduledFor = %q, want %q", got, tt.want)
			}
			if got := post.At("status").Text(); got != tt.status {
				t.Errorf("status = %q, want %q", got, tt.status)
			}
		})
	}
}

func TestASkippedTimeNamesItsNeighbours(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	at := time.Date(2026, 3, 20, 0, 0, 0, 0, time.UTC)
	a.Frozen.Store(&at)
	e := a.Request(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], "scheduledFor": "2026-03-29T02:30:00", "timezone": "Europe/Berlin"}`).
		WantError(http.StatusBadRequest, "validation_error")
	for _, want := range []string{"01:59:59", "03:00:00"} {
		if !strings.Contains(e.At("message").Text(), want) {
			t.Errorf("message = %q, want %s in it", e.At("message").Text(), want)
		}
	}
}

func TestBulkEntriesSucceedAndFailByThemselves(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	at := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	a.Frozen.Store(&at)
	answer := a.Request(http.MethodPost, "/posts/bulk", `{"timezone": "America/New_York", "note": 1, "posts": [
		{"content": "one", "platforms": ["mastodon"], "scheduledFor": "2026-06-02T09:00:00"},
		{"content": 2, "platforms": ["mastodon"], "publishNow": true},
		"three",
		{"content": "four", "platforms": ["mastodon"], "scheduledFor": "2026-06-02T09:00:00", "timezone": "UTC", "extra": 1}]}`).
		Want(http.StatusCreated)
	if got := fmt.Sprint(answer.At("summary").Value); got != "map[failed:2 succeeded:2 total:4]" {
		t.Errorf("summary = %s", got)
	}
	if got := answer.At("results", 0, "post", "scheduledFor").Text(); got != "2026-06-02T13:00:00.000Z" {
		t.Errorf("results[0] is at %s: the bulk's zone holds", got)
	}
	if got := answer.At("results", 3, "post", "scheduledFor").Text(); got != "2026-06-02T09:00:00.000Z" {
		t.Errorf("results[3] is at %s: its own zone holds", got)
	}
	for i, field := range map[int]string{1: "content", 2: "body"} {
		if got := answer.At("results", i, "error"); got.At("code").Text() != "validation_error" || got.At("details", 0, "field").Text() != field {
			t.Errorf("results[%d] = %v", i, got)
		}
	}
	if got := answer.At("results", 3, "warnings", 0, "field").Text(); got != "extra" {
		t.Errorf("warning of results[3] = %q", got)
	}
	if got := answer.At("warnings", 0, "field").Text(); got != "note" {
		t.Errorf("warning = %q", got)
	}
	if n := a.Request(http.MethodGet, "/posts", nil).Want(http.StatusOK).At("posts").Len(); n != 2 {
		t.Errorf("%d posts, want 2", n)
	}
}

func TestADryRunOfABulkMakesNothing(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Bluesky, "@b")
	body := `{"dryRun": true, "posts": [
		{"content": "Fine", "platforms": ["bluesky"], "status": "draft"},
		{"content": "", "platforms": ["bluesky"], "status": "draft"}]}`
	answer := a.Request(http.MethodPost, "/posts/bulk", body, "Idempotency-Key", "dry").Want(http.StatusOK)
	if got := answer.At("summary", "succeeded").Value; fmt.Sprint(got) != "1" {
		t.Errorf("%v of the entries would be made, want 1", got)
	}
	if got := a.Request(http.MethodGet, "/posts", "").Want(http.StatusOK).At("posts").Len(); got != 0 {
		t.Errorf("there are %d posts", got)
	}
	wet := strings.Replace(body, "true", "false", 1)
	a.Request(http.MethodPost, "/posts/bulk", wet, "Idempotency-Key", "dry").Want(http.StatusCreated)
}

func TestBulksOutsideTheirBoundsAreRefused(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	entry := `{"content": "x", "platforms": ["mastodon"], "publishNow": true}`
	many := func(n int) string {
		return `{"posts": [` + strings.TrimSuffix(strings.Repeat(entry+",", n), ",") + `]}`
	}
	for name, body := range map[string]string{
		"no posts":        `{}`,
		"none":            `{"posts": []}`,
		"26":              many(26),
		"of a wrong type": `{"posts": {}}`,
		"unknown zone":    `{"timezone": "Mars/Base", "posts": [` + entry + `]}`,
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			a.Request(http.MethodPost, "/posts/bulk", body).WantError(http.StatusBadRequest, "validation_error")
		})
	}
	if got := a.Request(http.MethodPost, "/posts/bulk", many(25)).Want(http.StatusCreated).At("results").Len(); got != 25 {
		t.Errorf("%d results, want 25", got)
	}
}

func TestABodyIsAtMostAMebibyte(t *testing.T) {
	a := gatewaytest.New(t)
	body := `{"content": "` + strings.Repeat("x", 1<<20) + `"}`
	a.Request(http.MethodPost, "/posts", body).WantError(http.StatusRequestEntityTooLarge, "payload_too_large")
	a.Request(http.MethodPost, "/posts", strings.Repeat(" ", 1<<20-2)+"{}").WantError(http.StatusBadRequest, "validation_error")
}

func TestAPostThatMayHaveBeenSentTwiceGetsAWarning(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	at := a.Now()
	body := `{"content": "x", "platforms": ["mastodon"], "publishNow": true}`
	for i, tt := range []struct {
		after  time.Duration
		header []string
		want   string
	}{
		{0, nil, ""},
		{time.Minute, nil, "possible_duplicate"},
		{2 * time.Minute, []string{"Idempotency-Key", "k"}, ""},
		{7 * time.Minute, nil, ""},
	} {
		now := at.Add(tt.after)
		a.Frozen.Store(&now)
		answer := a.Request(http.MethodPost, "/posts", body, tt.header...).Want(http.StatusCreated)
		if got := answer.At("warnings", 0, "code").Text(); got != tt.want {
			t.Errorf("request %d: warning %q, want %q", i, got, tt.want)
		}
	}
}

func TestAFormInPlaceOfJSONIsToldSo(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	form := []string{"Content-Type", "application/x-www-form-urlencoded"}
	e := a.Request(http.MethodPost, "/posts", "content=x&platforms=mastodon", form...).WantError(http.StatusBadRequest, "validation_error")
	if !strings.Contains(e.At("message").Text(), "the body is a form") || !strings.Contains(e.At("message").Text(), "Content-Type: application/json") {
		t.Errorf("message = %s", e.At("message").Text())
	}
	// curl -d says so of JSON as well.
	a.Request(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], "publishNow": true}`, form...).Want(http.StatusCreated)
	for name, body := range map[string]string{"JSON that is broken": `{"content": `, "nothing": "", "spaces": " \n"} {
		e := a.Request(http.MethodPost, "/posts", body, form...).WantError(http.StatusBadRequest, "validation_error")
		if strings.Contains(e.At("message").Text(), "is a form") {
			t.Errorf("%s: message = %s", name, e.At("message").Text())
		}
	}
}
