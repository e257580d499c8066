package gateway_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/schema"
)

func TestAPostIsWhatWasAskedFor(t *testing.T) {
	a := newAPI(t)
	mastodon := a.connect(a.workspace, schema.Mastodon, "@a")
	a.connect(a.workspace, schema.Mastodon, "@b")
	a.connect(a.workspace, schema.Bluesky, "a.bsky.social")
	created := a.call(http.MethodPost, "/posts", map[string]any{
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
	answer := created.want(http.StatusCreated)
	post := answer.at("post")
	for path, want := range map[string]any{
		"status": "scheduled", "content": "Hello <world> & all", "scheduledFor": "2026-12-01T08:00:00.000Z",
		"timezone": "Europe/Berlin", "externalId": "order-7", "isApiPost": true,
	} {
		if got := post.at(path).value; got != want {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
	if got := post.at("platforms", 0); got.at("accountId").text() != mastodon.String() || got.at("status").text() != "pending" {
		t.Errorf("platforms[0] = %v", got)
	}
	if got := post.at("platformSettings", "mastodon", "visibility").text(); got != "unlisted" {
		t.Errorf("visibility = %q", got)
	}
	if got := post.at("firstComments", 0, "text").text(); got != "First!" {
		t.Errorf("firstComments = %v", post.at("firstComments"))
	}
	if got := answer.at("warnings", 0); got.at("field").text() != "colour" || got.at("code").text() != "unknown_field" {
		t.Errorf("warnings = %v", answer.at("warnings"))
	}
	if !strings.Contains(string(created.body), "<world> &") {
		t.Errorf("the text is escaped needlessly: %s", created.body)
	}
	read := a.call(http.MethodGet, "/posts/"+post.at("id").text(), nil).want(http.StatusOK)
	if got, want := fmt.Sprint(read.at("post")), fmt.Sprint(post); got != want {
		t.Errorf("read:\n%s\ncreated:\n%s", got, want)
	}
}

// Texts of Windows come with CRLF, which platforms count and show as they like.
func TestLinesEndAlike(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	got := a.call(http.MethodPost, "/posts", map[string]any{
		"content": "one\r\ntwo\rthree", "status": "draft", "firstComment": "a\r\nb",
		"platforms": []any{"mastodon"},
	}).want(http.StatusCreated).at("post")
	if text := got.at("content").text(); text != "one\ntwo\nthree" {
		t.Errorf("content = %q", text)
	}
	if text := got.at("firstComments", 0, "text").text(); text != "a\nb" {
		t.Errorf("first comment = %q", text)
	}
}

func TestInvalidPostsAreRefused(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	a.connect(a.workspace, schema.Telegram, "chat")
	a.connect(a.workspace, schema.TikTok, "dance")
	soon, later := a.in(time.Hour), a.in(2*time.Hour)
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
		"too early":                   {`{"content": "x", "platforms": ["mastodon"], "scheduledFor": "` + a.in(4*time.Minute) + `"}`, "scheduledFor", "time_too_early"},
		"too late":                    {`{"content": "x", "platforms": ["mastodon"], "scheduledFor": "` + a.in(91*24*time.Hour) + `"}`, "scheduledFor", "time_too_late"},
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
			a.under(t)
			e := a.call(http.MethodPost, "/posts", tt.body).fails(http.StatusBadRequest, "validation_error")
			details, _ := e.at("details").value.([]any)
			for _, d := range details {
				if d := (tree{d}); d.at("field").text() == tt.field && d.at("code").text() == tt.code {
					return
				}
			}
			t.Errorf("details = %v, want %s %s", details, tt.field, tt.code)
		})
	}
	if n := a.call(http.MethodGet, "/posts", nil).want(http.StatusOK).at("posts").size(); n != 0 {
		t.Errorf("%d posts were made of invalid requests", n)
	}
}

func TestWhatIsWrongIsNamedOnce(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	for name, tt := range map[string]struct{ body, field string }{
		"no object":             {`[]`, "body"},
		"a time as a number":    {`{"content": "x", "platforms": ["mastodon"], "scheduledFor": 1795301640}`, "scheduledFor"},
		"publishNow as a text":  {`{"content": "x", "platforms": ["mastodon"], "publishNow": "true"}`, "publishNow"},
		"a queue as a number":   {`{"content": "x", "platforms": ["mastodon"], "queueId": 1}`, "queueId"},
		"a status that is none": {`{"content": "x", "platforms": ["mastodon"], "status": "posted"}`, "status"},
	} {
		t.Run(name, func(t *testing.T) {
			a.under(t)
			e := a.call(http.MethodPost, "/posts", tt.body).fails(http.StatusBadRequest, "validation_error")
			if e.at("details").size() != 1 || e.at("details", 0, "field").text() != tt.field {
				t.Errorf("details = %v, want %s alone", e.at("details"), tt.field)
			}
		})
	}
}

func TestAllThatIsWrongComesAtOnce(t *testing.T) {
	a := newAPI(t)
	e := a.call(http.MethodPost, "/posts", `{"content": 7, "platforms": ["bluesky", {"platform": "myspace"}], "mediaItems": [{"type": "image", "url": "x"}], "timezone": "Mars/Base"}`).
		fails(http.StatusBadRequest, "validation_error")
	var fields []string
	for i := range e.at("details").size() {
		fields = append(fields, e.at("details", i, "field").text())
	}
	for _, want := range []string{"content", "platforms[0].accountId", "platforms[1].platform", "mediaItems[0].url", "timezone", "scheduledFor"} {
		if !strings.Contains(strings.Join(fields, " ")+" ", want+" ") {
			t.Errorf("fields = %v, want %s among them", fields, want)
		}
	}
}

func TestSeveralAccountsHaveToBeNamed(t *testing.T) {
	a := newAPI(t)
	one, two := a.connect(a.workspace, schema.Mastodon, "@one"), a.connect(a.workspace, schema.Mastodon, "@two")
	for _, platforms := range []string{`["mastodon"]`, `[{"platform": "mastodon"}]`} {
		e := a.call(http.MethodPost, "/posts", `{"content": "x", "publishNow": true, "platforms": `+platforms+`}`).
			fails(http.StatusBadRequest, "account_ambiguous")
		if e.at("details").size() != 2 {
			t.Fatalf("details = %v, want both accounts", e.at("details"))
		}
		for i, id := range []schema.AccountID{one, two} {
			if got := e.at("details", i, "message").text(); !strings.Contains(got, id.String()) {
				t.Errorf("choice %d = %q, want %s", i, got, id)
			}
		}
	}
}

func TestAnAccountCanBeUsedAtOnce(t *testing.T) {
	a := newAPI(t)
	a.freeze() // nothing that is remembered ends by itself
	body := `{"content": "x", "platforms": ["mastodon"], "publishNow": true}`
	a.call(http.MethodPost, "/posts", body).fails(http.StatusBadRequest, "validation_error")
	a.connect(a.workspace, schema.Mastodon, "@new")
	a.call(http.MethodPost, "/posts", body).want(http.StatusCreated)
}

func TestACommentThatOnePlatformTakesIsAWarningForTheOthers(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	a.connect(a.workspace, schema.Telegram, "chat")
	answer := a.call(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon", "telegram"], "publishNow": true, "firstComment": "y"}`).
		want(http.StatusCreated)
	if got := answer.at("warnings", 0); got.at("platform").text() != "telegram" {
		t.Errorf("warnings = %v", answer.at("warnings"))
	}
}

func TestAnAccountThatNeedsReconnectingIsAWarning(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	a.exec(`update accounts set needs_reconnect = true`)
	answer := a.call(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], "publishNow": true}`).want(http.StatusCreated)
	if got := answer.at("warnings", 0, "code").text(); got != "account_needs_reconnect" {
		t.Errorf("warnings = %v", answer.at("warnings"))
	}
	draft := a.call(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], "status": "draft"}`).want(http.StatusCreated)
	change := map[string]any{"status": "scheduled", "scheduledFor": time.Now().Add(time.Hour)}
	answer = a.call(http.MethodPatch, "/posts/"+draft.at("post", "id").text(), change).want(http.StatusOK)
	if got := answer.at("warnings", 0, "code").text(); got != "account_needs_reconnect" {
		t.Errorf("a draft is scheduled: warnings = %v", answer.at("warnings"))
	}
}

func TestTimesOfPosts(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	at := time.Date(2026, 10, 20, 0, 0, 0, 0, time.UTC)
	a.frozen.Store(&at)
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
			a.under(t)
			post := a.call(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], `+tt.mode+`}`).
				want(http.StatusCreated).at("post")
			if got := post.at("scheduledFor").text(); got != tt.want {
				t.Errorf("scheduledFor = %q, want %q", got, tt.want)
			}
			if got := post.at("status").text(); got != tt.status {
				t.Errorf("status = %q, want %q", got, tt.status)
			}
		})
	}
}

func TestASkippedTimeNamesItsNeighbours(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	at := time.Date(2026, 3, 20, 0, 0, 0, 0, time.UTC)
	a.frozen.Store(&at)
	e := a.call(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], "scheduledFor": "2026-03-29T02:30:00", "timezone": "Europe/Berlin"}`).
		fails(http.StatusBadRequest, "validation_error")
	for _, want := range []string{"01:59:59", "03:00:00"} {
		if !strings.Contains(e.at("message").text(), want) {
			t.Errorf("message = %q, want %s in it", e.at("message").text(), want)
		}
	}
}

func TestBulkEntriesSucceedAndFailByThemselves(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	at := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	a.frozen.Store(&at)
	answer := a.call(http.MethodPost, "/posts/bulk", `{"timezone": "America/New_York", "note": 1, "posts": [
		{"content": "one", "platforms": ["mastodon"], "scheduledFor": "2026-06-02T09:00:00"},
		{"content": 2, "platforms": ["mastodon"], "publishNow": true},
		"three",
		{"content": "four", "platforms": ["mastodon"], "scheduledFor": "2026-06-02T09:00:00", "timezone": "UTC", "extra": 1}]}`).
		want(http.StatusCreated)
	if got := fmt.Sprint(answer.at("summary").value); got != "map[failed:2 succeeded:2 total:4]" {
		t.Errorf("summary = %s", got)
	}
	if got := answer.at("results", 0, "post", "scheduledFor").text(); got != "2026-06-02T13:00:00.000Z" {
		t.Errorf("results[0] is at %s: the bulk's zone holds", got)
	}
	if got := answer.at("results", 3, "post", "scheduledFor").text(); got != "2026-06-02T09:00:00.000Z" {
		t.Errorf("results[3] is at %s: its own zone holds", got)
	}
	for i, field := range map[int]string{1: "content", 2: "body"} {
		if got := answer.at("results", i, "error"); got.at("code").text() != "validation_error" || got.at("details", 0, "field").text() != field {
			t.Errorf("results[%d] = %v", i, got)
		}
	}
	if got := answer.at("results", 3, "warnings", 0, "field").text(); got != "extra" {
		t.Errorf("warning of results[3] = %q", got)
	}
	if got := answer.at("warnings", 0, "field").text(); got != "note" {
		t.Errorf("warning = %q", got)
	}
	if n := a.call(http.MethodGet, "/posts", nil).want(http.StatusOK).at("posts").size(); n != 2 {
		t.Errorf("%d posts, want 2", n)
	}
}

func TestADryRunOfABulkMakesNothing(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Bluesky, "@b")
	body := `{"dryRun": true, "posts": [
		{"content": "Fine", "platforms": ["bluesky"], "status": "draft"},
		{"content": "", "platforms": ["bluesky"], "status": "draft"}]}`
	answer := a.call(http.MethodPost, "/posts/bulk", body, "Idempotency-Key", "dry").want(http.StatusOK)
	if got := answer.at("summary", "succeeded").value; fmt.Sprint(got) != "1" {
		t.Errorf("%v of the entries would be made, want 1", got)
	}
	if got := a.call(http.MethodGet, "/posts", "").want(http.StatusOK).at("posts").size(); got != 0 {
		t.Errorf("there are %d posts", got)
	}
	made := strings.Replace(body, "true", "false", 1)
	a.call(http.MethodPost, "/posts/bulk", made, "Idempotency-Key", "dry").want(http.StatusCreated)
}

func TestBulksOutsideTheirBoundsAreRefused(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
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
			a.under(t)
			a.call(http.MethodPost, "/posts/bulk", body).fails(http.StatusBadRequest, "validation_error")
		})
	}
	if got := a.call(http.MethodPost, "/posts/bulk", many(25)).want(http.StatusCreated).at("results").size(); got != 25 {
		t.Errorf("%d results, want 25", got)
	}
}

func TestABodyIsAtMostAMebibyte(t *testing.T) {
	a := newAPI(t)
	body := `{"content": "` + strings.Repeat("x", 1<<20) + `"}`
	a.call(http.MethodPost, "/posts", body).fails(http.StatusRequestEntityTooLarge, "payload_too_large")
	a.call(http.MethodPost, "/posts", strings.Repeat(" ", 1<<20-2)+"{}").fails(http.StatusBadRequest, "validation_error")
}

func TestAPostThatMayHaveBeenSentTwiceGetsAWarning(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	at := a.now()
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
		a.frozen.Store(&now)
		answer := a.call(http.MethodPost, "/posts", body, tt.header...).want(http.StatusCreated)
		if got := answer.at("warnings", 0, "code").text(); got != tt.want {
			t.Errorf("request %d: warning %q, want %q", i, got, tt.want)
		}
	}
}

func TestAFormInPlaceOfJSONIsToldSo(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	form := []string{"Content-Type", "application/x-www-form-urlencoded"}
	e := a.call(http.MethodPost, "/posts", "content=x&platforms=mastodon", form...).fails(http.StatusBadRequest, "validation_error")
	if !strings.Contains(e.at("message").text(), "the body is a form") || !strings.Contains(e.at("message").text(), "Content-Type: application/json") {
		t.Errorf("message = %s", e.at("message").text())
	}
	// curl -d says so of JSON as well.
	a.call(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], "publishNow": true}`, form...).want(http.StatusCreated)
	for name, body := range map[string]string{"JSON that is broken": `{"content": `, "nothing": "", "spaces": " \n"} {
		e := a.call(http.MethodPost, "/posts", body, form...).fails(http.StatusBadRequest, "validation_error")
		if strings.Contains(e.at("message").text(), "is a form") {
			t.Errorf("%s: message = %s", name, e.at("message").text())
		}
	}
}
