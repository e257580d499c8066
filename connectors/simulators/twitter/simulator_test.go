package twitter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// rig is a simulator that is called by hand, on a clock that stands until it is moved.
type rig struct {
	world *simulation.World
	base  string
	now   time.Time
	token string
}

func newRig(t *testing.T) *rig { return newRigOf(t, New) }

func newRigOf(t *testing.T, simulate func(*simulation.World) http.Handler) *rig {
	t.Helper()
	r := &rig{now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), token: "token-of-the-account"}
	r.world = simulation.NewWorld(simulation.Config{
		Platform: schema.Twitter, Now: func() time.Time { return r.now }, BaseURL: func() string { return r.base },
	})
	server := httptest.NewServer(simulate(r.world))
	t.Cleanup(server.Close)
	r.base = server.URL
	return r
}

type answered struct {
	status int
	header http.Header
	body   map[string]any
}

// at returns what stands in the answer at a path of fields.
func (a answered) at(path ...string) any {
	var value any = a.body
	for _, field := range path {
		object, _ := value.(map[string]any)
		value = object[field]
	}
	return value
}

// problem is what a refusal says: its detail, or what stands in its errors.
func (a answered) problem() string {
	if wrong, ok := a.body["errors"].([]any); ok {
		return fmt.Sprint(wrong[0].(map[string]any)["message"])
	}
	return fmt.Sprint(a.body["detail"])
}

func (r *rig) ask(t *testing.T, method, path string, body any) answered {
	t.Helper()
	encoded, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return r.send(t, method, path, "application/json", bytes.NewReader(encoded))
}

func (r *rig) send(t *testing.T, method, path, kind string, body io.Reader) answered {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, r.base+path, body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+r.token)
	request.Header.Set("Content-Type", kind)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	a := answered{status: response.StatusCode, header: response.Header}
	if err := json.NewDecoder(response.Body).Decode(&a.body); err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}

func (r *rig) segment(t *testing.T, id string, index, size int) answered {
	t.Helper()
	return r.segmentOf(t, id, index, append([]byte("\x89PNG\x0D\x0A\x1A\x0A"), make([]byte, size-8)...))
}

func (r *rig) segmentOf(t *testing.T, id string, index int, content []byte) answered {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	form.WriteField("segment_index", fmt.Sprint(index))
	file, _ := form.CreateFormFile("media", "segment")
	file.Write(content)
	form.Close()
	return r.send(t, http.MethodPost, "/2/media/upload/"+id+"/append", form.FormDataContentType(), &body)
}

func (r *rig) begin(t *testing.T, category string, size int) string {
	t.Helper()
	kind := map[string]string{"tweet_video": "video/mp4", "tweet_image": "image/png"}[category]
	a := r.ask(t, http.MethodPost, "/2/media/upload/initialize", object{"media_category": category, "media_type": kind, "total_bytes": size})
	if a.status != http.StatusOK {
		t.Fatalf("initialize: %d %s", a.status, a.problem())
	}
	return a.at("data", "id").(string)
}

func TestProcessingInfoDisappearsWithTheProcessing(t *testing.T) {
	r := newRig(t)
	id := r.begin(t, "tweet_video", 100)
	r.segmentOf(t, id, 0, append([]byte("\x00\x00\x00\x18ftypmp42"), make([]byte, 88)...))
	if a := r.ask(t, http.MethodGet, "/2/media/upload?media_id="+id, nil); a.status != http.StatusNotFound {
		t.Errorf("status before the end: %d", a.status)
	}
	a := r.ask(t, http.MethodPost, "/2/media/upload/"+id+"/finalize", nil)
	if a.at("data", "processing_info", "state") != "pending" || a.at("data", "processing_info", "check_after_secs") != 1.0 {
		t.Errorf("finalize: %v", a.body)
	}
	post := object{"text": "x", "media": object{"media_ids": []string{id}}}
	if a := r.ask(t, http.MethodPost, "/2/tweets", post); a.status != http.StatusBadRequest {
		t.Errorf("a post of media that is processed: %d", a.status)
	}
	r.now = r.now.Add(processingTime / 2)
	if a := r.ask(t, http.MethodGet, "/2/media/upload?command=STATUS&media_id="+id, nil); a.at("data", "processing_info", "state") != "in_progress" {
		t.Errorf("halfway: %v", a.body)
	}
	r.now = r.now.Add(processingTime / 2)
	if a := r.ask(t, http.MethodGet, "/2/media/upload?command=STATUS&media_id="+id, nil); a.status != http.StatusOK || a.at("data", "processing_info") != nil {
		t.Errorf("afterwards: %v", a.body)
	}
	if a := r.ask(t, http.MethodPost, "/2/tweets", post); a.status != http.StatusCreated {
		t.Errorf("a post of it: %d %s", a.status, a.problem())
	}
	if a := r.ask(t, http.MethodPost, "/2/tweets", post); a.problem() != "Your media IDs are invalid." {
		t.Errorf("a second post of it: %d %s", a.status, a.problem())
	}
}

func TestUploadsAreRefused(t *testing.T) {
	for name, run := range map[string]func(*testing.T, *rig) answered{
		"too large for its category": func(t *testing.T, r *rig) answered {
			return r.ask(t, http.MethodPost, "/2/media/upload/initialize", object{"media_category": "tweet_image", "media_type": "image/png", "total_bytes": 5<<20 + 1})
		},
		"with a field that is not known": func(t *testing.T, r *rig) answered {
			return r.ask(t, http.MethodPost, "/2/media/upload/initialize", object{"media_category": "tweet_image", "media_type": "image/png", "total_bytes": 5, "total": 5})
		},
		"a segment too large": func(t *testing.T, r *rig) answered {
			return r.segment(t, r.begin(t, "tweet_video", 6<<20), 0, 5<<20+1)
		},
		"a segment too many": func(t *testing.T, r *rig) answered { return r.segment(t, r.begin(t, "tweet_video", 100), 1000, 100) },
		"a segment missing": func(t *testing.T, r *rig) answered {
			id := r.begin(t, "tweet_image", 100)
			r.segment(t, id, 1, 100)
			return r.ask(t, http.MethodPost, "/2/media/upload/"+id+"/finalize", nil)
		},
		"bytes missing": func(t *testing.T, r *rig) answered {
			id := r.begin(t, "tweet_image", 100)
			r.segment(t, id, 0, 99)
			return r.ask(t, http.MethodPost, "/2/media/upload/"+id+"/finalize", nil)
		},
		"an end that was": func(t *testing.T, r *rig) answered {
			id := r.begin(t, "tweet_image", 100)
			r.segment(t, id, 0, 100)
			r.ask(t, http.MethodPost, "/2/media/upload/"+id+"/finalize", nil)
			return r.ask(t, http.MethodPost, "/2/media/upload/"+id+"/finalize", nil)
		},
		"another's": func(t *testing.T, r *rig) answered {
			id := r.begin(t, "tweet_image", 100)
			r.token = "another"
			return r.segment(t, id, 0, 100)
		},
		"too late": func(t *testing.T, r *rig) answered {
			id := r.begin(t, "tweet_image", 100)
			r.now = r.now.Add(25 * time.Hour)
			return r.segment(t, id, 0, 100)
		},
		"a text too long for it": func(t *testing.T, r *rig) answered {
			id := r.begin(t, "tweet_image", 100)
			return r.ask(t, http.MethodPost, "/2/media/metadata", object{"id": id, "metadata": object{"alt_text": object{"text": strings.Repeat("x", 1001)}}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := run(t, newRig(t))
			if a.status != http.StatusBadRequest && a.status != http.StatusNotFound {
				t.Errorf("%d %v", a.status, a.body)
			}
			if kind := a.header.Get("Content-Type"); kind != "application/problem+json" {
				t.Errorf("refused as %s", kind)
			}
		})
	}
}

func TestASegmentThatComesTwiceCountsOnce(t *testing.T) {
	r := newRig(t)
	id := r.begin(t, "tweet_image", 100)
	r.segment(t, id, 0, 50)
	r.segment(t, id, 0, 60)
	r.segment(t, id, 1, 40)
	if a := r.ask(t, http.MethodPost, "/2/media/upload/"+id+"/finalize", nil); a.at("data", "size") != 100.0 {
		t.Errorf("finalize: %d %v", a.status, a.body)
	}
}

func TestPostsAreRefused(t *testing.T) {
	poll := func(minutes int, options ...string) object {
		return object{"options": options, "duration_minutes": minutes}
	}
	for name, tt := range map[string]struct {
		input  object
		status int
		says   string
	}{
		"nothing":           {object{}, 400, "Request body must contain"},
		"281":               {object{"text": strings.Repeat("x", 281)}, 403, "too long"},
		"141 of two":        {object{"text": strings.Repeat("日", 141)}, 403, "too long"},
		"an unknown field":  {object{"text": "x", "reply_to": "1"}, 400, "unknown field"},
		"a rule":            {object{"text": "x", "reply_settings": "everyone"}, 400, "reply_settings"},
		"an id":             {object{"text": "x", "quote_tweet_id": "abc"}, 400, "An id must match"},
		"media":             {object{"media": object{"media_ids": []string{"1"}}}, 400, "Your media IDs are invalid."},
		"five media":        {object{"media": object{"media_ids": []string{"1", "2", "3", "4", "5"}}}, 400, "`media`"},
		"a poll and media":  {object{"text": "x", "poll": poll(5, "a", "b"), "media": object{"media_ids": []string{"1"}}}, 400, "mutually exclusive"},
		"a poll and quote":  {object{"text": "x", "poll": poll(5, "a", "b"), "quote_tweet_id": "1"}, 400, "mutually exclusive"},
		"one option":        {object{"text": "x", "poll": poll(5, "a")}, 400, "2 to 4 texts"},
		"a long option":     {object{"text": "x", "poll": poll(5, "a", strings.Repeat("x", 26))}, 400, "2 to 4 texts"},
		"four minutes":      {object{"text": "x", "poll": poll(4, "a", "b")}, 400, "between 5 and 10080"},
		"a reply to nobody": {object{"text": "x", "reply": object{"in_reply_to_tweet_id": "1"}}, 403, "deleted or not visible"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			a := r.ask(t, http.MethodPost, "/2/tweets", tt.input)
			if a.status != tt.status || !strings.Contains(a.problem(), tt.says) {
				t.Errorf("%d %s", a.status, a.problem())
			}
			if len(r.world.Posts()) != 0 {
				t.Error("there is a post")
			}
		})
	}
}

func TestRepeatedTexts(t *testing.T) {
	r := newRig(t)
	say := func(text string) int { return r.ask(t, http.MethodPost, "/2/tweets", object{"text": text}).status }
	if first, second, other := say("hello"), say("hello "), say("hello!"); first != 201 || second != 403 || other != 201 {
		t.Errorf("%d, %d, %d", first, second, other)
	}
	r.token = "another"
	if status := say("hello"); status != 201 {
		t.Errorf("another account's: %d", status)
	}
	r.token = "token-of-the-account"
	r.now = r.now.Add(repeatWindow + time.Second)
	if status := say("hello"); status != 201 {
		t.Errorf("a day later: %d", status)
	}
}

func TestAnotherAccountsPostWantsAnInvitation(t *testing.T) {
	r := newRig(t)
	id := r.ask(t, http.MethodPost, "/2/tweets", object{"text": "hello"}).at("data", "id")
	r.token = "another"
	a := r.ask(t, http.MethodPost, "/2/tweets", object{"text": "hi", "reply": object{"in_reply_to_tweet_id": id}})
	if a.status != 403 || !strings.Contains(a.problem(), "have not been mentioned") {
		t.Errorf("%d %s", a.status, a.problem())
	}
}

func TestLimits(t *testing.T) {
	r := newRig(t)
	for i := range 100 {
		a := r.ask(t, http.MethodPost, "/2/tweets", object{"text": fmt.Sprint(i)})
		if want := fmt.Sprint(99 - i); a.status != 201 || a.header.Get("X-Rate-Limit-Remaining") != want || a.header.Get("X-App-Limit-24hour-Limit") != "10000" {
			t.Fatalf("call %d: %d, %s left of %s", i, a.status, a.header.Get("X-Rate-Limit-Remaining"), a.header.Get("X-Rate-Limit-Limit"))
		}
	}
	a := r.ask(t, http.MethodPost, "/2/tweets", object{"text": "more"})
	if reset := fmt.Sprint(r.now.Add(15 * time.Minute).Unix()); a.status != 429 || a.header.Get("X-Rate-Limit-Reset") != reset {
		t.Errorf("%d until %s, want %s", a.status, a.header.Get("X-Rate-Limit-Reset"), reset)
	}
	if a := r.ask(t, http.MethodGet, "/2/users/me", nil); a.status != 200 || a.header.Get("X-Rate-Limit-Limit") != "75" {
		t.Errorf("another call: %d", a.status)
	}
	r.now = r.now.Add(15 * time.Minute)
	if a := r.ask(t, http.MethodPost, "/2/tweets", object{"text": "more"}); a.status != 201 {
		t.Errorf("after the window: %d", a.status)
	}
}

func TestTheAppsDay(t *testing.T) {
	var q quota
	now := time.Now()
	for range appLimit().max {
		q.take(appLimit(), now)
	}
	if left, ends := q.take(appLimit(), now.Add(time.Hour)); left >= 0 || !ends.Equal(now.Add(24*time.Hour)) {
		t.Errorf("%d left until %v", left, ends)
	}
	if left, _ := q.take(appLimit(), now.Add(24*time.Hour)); left != appLimit().max-1 {
		t.Errorf("%d left on the next day", left)
	}
}

func TestTheTimelineShowsWhatIsAskedFor(t *testing.T) {
	r := newRig(t)
	root := r.ask(t, http.MethodPost, "/2/tweets", object{"text": "a & b https://example.com/x?y=1", "quote_tweet_id": "20"})
	r.now = r.now.Add(1500 * time.Millisecond)
	r.ask(t, http.MethodPost, "/2/tweets", object{"text": "more", "reply": object{"in_reply_to_tweet_id": root.at("data", "id")}})
	path := "/2/users/" + r.world.Account(r.token).ID + "/tweets?"
	bare := r.ask(t, http.MethodGet, path, nil)
	if first := bare.body["data"].([]any)[0].(map[string]any); len(first) != 3 { // id, text, edit history
		t.Errorf("without fields: %v", first)
	}
	whole := r.ask(t, http.MethodGet, path+url.Values{"post.fields": {"created_at,entities,attachments"}, "expansions": {"referenced_posts,in_reply_to_user_id"}}.Encode(), nil)
	posts := whole.body["data"].([]any)
	reply, first := posts[0].(map[string]any), posts[1].(map[string]any)
	if reply["created_at"] != "2026-03-04T05:06:08.000Z" || reply["in_reply_to_user_id"] == nil || reply["referenced_posts"] == nil {
		t.Errorf("reply %v", reply)
	}
	links := first["entities"].(map[string]any)["urls"].([]any)
	if text := first["text"].(string); !strings.HasPrefix(text, "a &amp; b https://t.co/") || len(links) != 2 || links[0].(map[string]any)["expanded_url"] != "https://example.com/x?y=1" {
		t.Errorf("text %q with %v", text, links)
	}
	if none := r.ask(t, http.MethodGet, path+"start_time=2027-01-01T00:00:00Z", nil); none.body["data"] != nil || none.at("meta", "result_count") != 0.0 {
		t.Errorf("an empty list: %v", none.body)
	}
	for _, wrong := range []string{"max_results=4", "max_results=101", "tweet.fields=created_at", "start_time=today", "pagination_token=!"} {
		if a := r.ask(t, http.MethodGet, path+wrong, nil); a.status != 400 {
			t.Errorf("%s: %d", wrong, a.status)
		}
	}
	if a := r.ask(t, http.MethodGet, "/2/users/1/tweets", nil); a.status != 404 {
		t.Errorf("another's: %d", a.status)
	}
}

func TestWhatThePageOfConsentDoesNotTake(t *testing.T) {
	r := newRig(t)
	statusOf := func(change func(url.Values)) int {
		q := url.Values{
			"response_type": {"code"}, "client_id": {simulation.AppID}, "redirect_uri": {"https://crier.example/c"}, "state": {"s"},
			"scope": {"tweet.read offline.access"}, "code_challenge": {"c"}, "code_challenge_method": {"S256"},
		}
		change(q)
		response, err := http.Get(r.base + "/i/oauth2/authorize?" + q.Encode())
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode
	}
	if status := statusOf(func(url.Values) {}); status != http.StatusOK {
		t.Fatalf("as documented: %d", status)
	}
	for name, change := range map[string]func(url.Values){
		"another app":      func(q url.Values) { q.Set("client_id", "x") },
		"a path":           func(q url.Values) { q.Set("redirect_uri", "/c") },
		"no state":         func(q url.Values) { q.Del("state") },
		"a long state":     func(q url.Values) { q.Set("state", strings.Repeat("s", maxState+1)) },
		"no challenge":     func(q url.Values) { q.Del("code_challenge") },
		"no scope":         func(q url.Values) { q.Del("scope") },
		"an unknown scope": func(q url.Values) { q.Set("scope", "tweet.read tweet.burn") },
		"another flow":     func(q url.Values) { q.Set("response_type", "token") },
	} {
		if status := statusOf(change); status != http.StatusBadRequest {
			t.Errorf("%s: %d", name, status)
		}
	}
}

func TestAPostHasAPage(t *testing.T) {
	r := newRig(t)
	id := r.ask(t, http.MethodPost, "/2/tweets", object{"text": "<b>hello</b>"}).at("data", "id").(string)
	response, err := http.Get(r.base + "/i/web/status/" + id)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	page, _ := io.ReadAll(response.Body)
	if !strings.Contains(string(page), "&lt;b&gt;hello") {
		t.Errorf("page %s", page)
	}
}
