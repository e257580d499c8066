package mastodon

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/connectors/simulators/simulation"
)

func TestSimulatorKeepsKeysForAnHour(t *testing.T) {
	r := newRig(t)
	post := func(text, key string) string {
		_, status := r.ask(t, http.MethodPost, "/api/v1/statuses", key, newStatus{Status: text})
		return status["id"].(string)
	}
	first := post("one", "key")
	if again := post("two", "key"); again != first {
		t.Errorf("the key with another text made %s, want the first, %s", again, first)
	}
	if other := post("one", "other"); other == first {
		t.Error("another key made the same status")
	}
	r.pass(keyLife)
	second := post("three", "key")
	if second == first {
		t.Error("the key held for more than an hour")
	}
	if again := post("four", "key"); again != second {
		t.Errorf("the key after its hour made %s, then %s", second, again)
	}
	if left, two := post("five", ""), post("five", ""); left == two {
		t.Error("without a key the same status was made")
	}
}

func TestSimulatorRefuses(t *testing.T) {
	poll := func(seconds int, options ...string) *newPoll { return &newPoll{Options: options, ExpiresIn: seconds} }
	for name, tt := range map[string]struct {
		input   newStatus
		status  int
		message string
	}{
		"nothing":              {newStatus{}, 422, "Validation failed: Text can't be blank"},
		"blanks":               {newStatus{Status: " \n"}, 422, "Validation failed: Text can't be blank"},
		"a poll alone":         {newStatus{Poll: poll(300, "a", "b")}, 422, "Validation failed: Text can't be blank"},
		"a text over 500":      {newStatus{Status: strings.Repeat("x", 501)}, 422, "Validation failed: Text character limit of 500 exceeded"},
		"a warning adds to it": {newStatus{Status: strings.Repeat("x", 500), SpoilerText: "x"}, 422, "Validation failed: Text character limit of 500 exceeded"},
		"a visibility":         {newStatus{Status: "x", Visibility: "friends"}, 422, "'friends' is not a valid visibility"},
		"a parent":             {newStatus{Status: "x", InReplyToID: "1"}, 404, "The post you are trying to reply to does not appear to exist."},
		"media":                {newStatus{MediaIDs: []string{"1"}}, 422, "Media 1 not found or already attached to another post"},
		"five media":           {newStatus{MediaIDs: []string{"1", "2", "3", "4", "5"}}, 422, "Cannot attach more than 4 files"},
		"one option":           {newStatus{Status: "x", Poll: poll(300, "a")}, 422, "Validation failed: Poll options must have more than one item"},
		"five options":         {newStatus{Status: "x", Poll: poll(300, "a", "b", "c", "d", "e")}, 422, "Validation failed: Poll options can't contain more than 4 items"},
		"an option twice":      {newStatus{Status: "x", Poll: poll(300, "a", "b", "a")}, 422, "Validation failed: Poll options contain duplicate items"},
		"a poll too short":     {newStatus{Status: "x", Poll: poll(299, "a", "b")}, 422, "Validation failed: Poll expires at is too soon"},
		"a poll too long":      {newStatus{Status: "x", Poll: poll(Usual().LongestPoll+1, "a", "b")}, 422, "Validation failed: Poll expires at is too far into the future"},
		"a forced refusal":     {newStatus{Status: "x [crier:refused]"}, 422, "Validation failed: Text is not allowed on this server"},
		"a forced dead token":  {newStatus{Status: "x [crier:expired-token]"}, 401, errToken},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			response, body := r.ask(t, http.MethodPost, "/api/v1/statuses", "", tt.input)
			if response.StatusCode != tt.status || body["error"] != tt.message {
				t.Errorf("answer = %d %v, want %d %s", response.StatusCode, body, tt.status, tt.message)
			}
			if n := len(r.world.Posts()); n != 0 {
				t.Errorf("%d posts", n)
			}
		})
	}
}

func TestSimulatorForcesAWaitOnce(t *testing.T) {
	r := newRig(t)
	forced := newStatus{Status: "x [crier:rate-limit]"}
	response, body := r.post(t, forced)
	if response.StatusCode != http.StatusTooManyRequests || response.Header.Get("X-RateLimit-Reset") != "2026-03-04T05:06:09.000000Z" {
		t.Errorf("answer = %d %v %v", response.StatusCode, body, response.Header)
	}
	r.pass(forcedWait)
	r.mustPost(t, forced)
}

func TestSimulatorTakesMediaOnce(t *testing.T) {
	r := newRig(t)
	image := r.upload(t, "GIF89a\x01\x00\x01\x00\x00\x00\x00;", http.StatusOK)
	r.mustPost(t, newStatus{MediaIDs: []string{image}})
	if response, body := r.post(t, newStatus{MediaIDs: []string{image}}); response.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("answer = %d %v", response.StatusCode, body)
	}
}

func TestSimulatorDoesNotTakeUnprocessedMedia(t *testing.T) {
	r := newRig(t)
	video := r.upload(t, "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom\x00\x00\x00\x08moov", http.StatusAccepted)
	if response, body := r.post(t, newStatus{MediaIDs: []string{video}}); response.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("answer = %d %v", response.StatusCode, body)
	}
	r.pass(videoProcessing)
	r.mustPost(t, newStatus{MediaIDs: []string{video}})
}

func TestSimulatorLimits(t *testing.T) {
	r := newRig(t)
	for i := range 300 {
		response, _ := r.ask(t, http.MethodGet, "/api/v1/accounts/verify_credentials", "", nil)
		if response.StatusCode != http.StatusOK || response.Header.Get("X-RateLimit-Remaining") != fmt.Sprint(299-i) {
			t.Fatalf("call %d: %d, %v", i, response.StatusCode, response.Header)
		}
	}
	response, body := r.ask(t, http.MethodGet, "/api/v1/accounts/verify_credentials", "", nil)
	if response.StatusCode != http.StatusTooManyRequests || body["error"] != errTooMany ||
		response.Header.Get("X-RateLimit-Limit") != "300" || response.Header.Get("X-RateLimit-Reset") != "2026-03-04T05:10:00.000000Z" {
		t.Errorf("answer = %d %v %v", response.StatusCode, body, response.Header)
	}
	r.pass(5 * time.Minute)
	if response, _ := r.ask(t, http.MethodGet, "/api/v1/accounts/verify_credentials", "", nil); response.StatusCode != http.StatusOK {
		t.Errorf("answer in the next window = %d", response.StatusCode)
	}
}

func TestSimulatorNamesTheLimitThatIsClosest(t *testing.T) {
	r := newRig(t)
	r.ask(t, http.MethodGet, "/api/v1/accounts/verify_credentials", "", nil)
	response, _ := r.ask(t, http.MethodDelete, "/api/v1/statuses/1", "", nil)
	if limit, left := response.Header.Get("X-RateLimit-Limit"), response.Header.Get("X-RateLimit-Remaining"); limit != "30" || left != "29" {
		t.Errorf("%s of %s left, want 29 of 30", left, limit)
	}
}

func TestUnlimitedSimulator(t *testing.T) {
	r := newRig(t)
	r.base = serve(t, NewUnlimited(r.world))
	for range 301 {
		if response, _ := r.ask(t, http.MethodGet, "/api/v1/accounts/verify_credentials", "", nil); response.StatusCode != http.StatusOK {
			t.Fatalf("answer = %d", response.StatusCode)
		}
	}
}

func TestSimulatorDeletes(t *testing.T) {
	r := newRig(t)
	path := "/api/v1/statuses/" + r.mustPost(t, newStatus{Status: "hello"}).ID
	for _, step := range []struct {
		method string
		want   int
	}{{http.MethodGet, 200}, {http.MethodDelete, 200}, {http.MethodGet, 404}, {http.MethodDelete, 404}} {
		if response, _ := r.ask(t, step.method, path, "", nil); response.StatusCode != step.want {
			t.Errorf("%s = %d, want %d", step.method, response.StatusCode, step.want)
		}
	}
	if listed := r.get(t, r.base+"/api/v1/accounts/"+r.account()+"/statuses"); listed.body != "[]\n" {
		t.Errorf("statuses = %s", listed.body)
	}
}

func TestSimulatorPages(t *testing.T) {
	r := newRig(t)
	for i := range 45 {
		r.add(t, simulation.Post{Text: fmt.Sprint(i)})
	}
	next := r.base + "/api/v1/accounts/" + r.account() + "/statuses?limit=40"
	for _, want := range []int{40, 5} {
		response := r.get(t, next)
		ids := strings.Count(response.body, `"in_reply_to_id"`)
		if ids != want {
			t.Fatalf("%d statuses, want %d", ids, want)
		}
		next = linkTo(response.header.Get("Link"), "next")
	}
	if next != "" {
		t.Errorf("a page after the last: %s", next)
	}
}

type page struct {
	status int
	header http.Header
	body   string
}

func (r *rig) get(t *testing.T, address string) page {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+r.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return page{response.StatusCode, response.Header, string(body)}
}

func linkTo(header, relation string) string {
	for part := range strings.SplitSeq(header, ", ") {
		if address, found := strings.CutSuffix(part, `>; rel="`+relation+`"`); found {
			return strings.TrimPrefix(address, "<")
		}
	}
	return ""
}

func TestSimulatorShowsWhatIsPublic(t *testing.T) {
	r := newRig(t)
	for visibility, want := range map[string]int{"public": 200, "unlisted": 200, "private": 404, "direct": 404} {
		public := r.get(t, r.mustPost(t, newStatus{Status: visibility + " <script>", Visibility: visibility}).URL)
		if public.status != want || strings.Contains(public.body, "<script>") {
			t.Errorf("%s: %d %s, want %d", visibility, public.status, public.body, want)
		}
	}
}

func TestSimulatorNeedsAToken(t *testing.T) {
	r := newRig(t)
	r.token = " "
	if response, body := r.ask(t, http.MethodGet, "/api/v1/accounts/verify_credentials", "", nil); response.StatusCode != http.StatusUnauthorized {
		t.Errorf("answer = %d %v", response.StatusCode, body)
	}
}

func TestSimulatorCountsRepliesAndStatuses(t *testing.T) {
	r := newRig(t)
	root := r.add(t, simulation.Post{Text: "root"})
	r.add(t, simulation.Post{Text: "a", ReplyTo: root.ID})
	r.add(t, simulation.Post{Text: "b", ReplyTo: root.ID})
	_, status := r.ask(t, http.MethodGet, "/api/v1/statuses/"+root.ID, "", nil)
	if status["replies_count"] != 2.0 {
		t.Errorf("replies = %v, want 2", status["replies_count"])
	}
	if _, account := r.ask(t, http.MethodGet, "/api/v1/accounts/verify_credentials", "", nil); account["statuses_count"] != 3.0 {
		t.Errorf("statuses = %v, want 3", account["statuses_count"])
	}
}

func FuzzEntities(f *testing.F) {
	f.Add("@a@b.example https://example.com/(x #y")
	f.Add("https://a.example/((((")
	f.Add("https://a.example/\x80")
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for _, e := range entities(text) {
			if e.start < last || e.end <= e.start || e.end > len(text) {
				t.Fatalf("entity %+v after %d in a text of %d bytes", e, last, len(text))
			}
			last = e.end
		}
	})
}

func TestContentOf(t *testing.T) {
	const base = "https://m.example"
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":    {"", ""},
		"paragraphs": {"a\nb\n\nc", "<p>a<br />b</p><p>c</p>"},
		"escapes":    {`<b> & "c"`, "<p>&lt;b&gt; &amp; &#34;c&#34;</p>"},
		"a hashtag":  {"#Tag", `<p><a href="https://m.example/tags/tag" class="mention hashtag" rel="tag">#<span>Tag</span></a></p>`},
		"a mention":  {"@a@b.example", `<p><span class="h-card" translate="no"><a href="https://b.example/@a" class="u-url mention">@<span>a</span></a></span></p>`},
		"no mention": {"@a", "<p>@a</p>"},
		"a URL": {"https://www.b.example/" + strings.Repeat("x", 30), `<p><a href="https://www.b.example/` + strings.Repeat("x", 30) +
			`" target="_blank" rel="nofollow noopener" translate="no"><span class="invisible">https://www.</span><span class="ellipsis">b.example/` +
			strings.Repeat("x", 20) + `</span><span class="invisible">` + strings.Repeat("x", 10) + `</span></a></p>`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := contentOf(tt.text, entities(tt.text), base); got != tt.want {
				t.Errorf("contentOf = %s, want %s", got, tt.want)
			}
		})
	}
}
