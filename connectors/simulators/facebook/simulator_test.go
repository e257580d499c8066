package facebook

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/simulationtest"
	"crier/schema"
)

func newWorld() *simulation.World { return simulationtest.NewWorld(schema.Facebook, nil) }

func ask(h http.Handler, method, path, token, body string) (*httptest.ResponseRecorder, map[string]any) {
	return simulationtest.Ask(h, simulationtest.Request{Method: method, Path: path, Token: token, Body: body})
}

func TestRefusals(t *testing.T) {
	w := newWorld()
	h := New(w)
	for name, tt := range map[string]struct {
		method, path, token, body string
		code                      float64
	}{
		"no token":                   {"GET", "/v26.0/me", "", "", 104},
		"another's page":             {"POST", "/v26.0/1/feed", "a", `{"message": "x"}`, 200},
		"a person's feed":            {"POST", "/v26.0/me/feed", "user-anna", `{"message": "x"}`, 200},
		"nothing to say":             {"POST", "/v26.0/me/feed", "a", `{}`, 100},
		"too much to say":            {"POST", "/v26.0/me/feed", "a", `{"message": "` + strings.Repeat("x", 63207) + `"}`, 100},
		"no JSON":                    {"POST", "/v26.0/me/feed", "a", `<html>`, 100},
		"a photo that is not there":  {"POST", "/v26.0/me/feed", "a", `{"attached_media": [{"media_fbid": "1"}]}`, 100},
		"a comment on nothing":       {"POST", "/v26.0/1/comments", "a", `{"message": "x"}`, 100},
		"a video that is not there":  {"GET", "/v26.0/1", "a", "", 100},
		"a video of no size":         {"POST", "/v26.0/me/videos", "a", `{"upload_phase": "start"}`, 100},
		"an end without a beginning": {"POST", "/v26.0/me/videos", "a", `{"upload_phase": "finish", "upload_session_id": "1"}`, 100},
		"a path that leads nowhere":  {"GET", "/v26.0/me/nothing", "a", "", 2500},
		"an exchange of no app":      {"GET", "/v26.0/oauth/access_token?grant_type=fb_exchange_token&fb_exchange_token=a", "", "", 101},
		"a page's pages":             {"GET", "/v26.0/me/accounts", "a", "", 100},
	} {
		t.Run(name, func(t *testing.T) {
			response, reply := ask(h, tt.method, tt.path, tt.token, tt.body)
			refused, _ := reply["error"].(map[string]any)
			if response.Code != http.StatusBadRequest || refused["code"] != tt.code {
				t.Errorf("%d %s, want code %v", response.Code, response.Body, tt.code)
			}
		})
	}
	if posts := w.Posts(); len(posts) != 0 {
		t.Errorf("posts %+v", posts)
	}
}

// A reel that was not uploaded cannot be published, and one that was only once.
func TestAReelIsPublishedOnce(t *testing.T) {
	w := newWorld()
	h := New(w)
	_, begun := ask(h, http.MethodPost, "/v26.0/me/video_reels", "a", `{"upload_phase": "start"}`)
	id, _ := begun["video_id"].(string)
	end := `{"upload_phase": "finish", "video_state": "PUBLISHED", "video_id": "` + id + `"}`
	if response, _ := ask(h, http.MethodPost, "/v26.0/me/video_reels", "a", end); response.Code == http.StatusOK {
		t.Error("a reel without a video was published")
	}
	address, _ := begun["upload_url"].(string)
	request := httptest.NewRequest(http.MethodPost, strings.TrimPrefix(address, simulationtest.Base), strings.NewReader("\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom"))
	request.Header.Set("Authorization", "OAuth a")
	request.Header.Set("offset", "0")
	request.Header.Set("file_size", "24")
	response := httptest.NewRecorder()
	if h.ServeHTTP(response, request); response.Code != http.StatusOK {
		t.Fatalf("uploading: %d %s", response.Code, response.Body)
	}
	for n := range 2 {
		if response, _ := ask(h, http.MethodPost, "/v26.0/me/video_reels", "a", end); (response.Code == http.StatusOK) != (n == 0) {
			t.Errorf("end %d: %d %s", n, response.Code, response.Body)
		}
	}
	if len(w.Posts()) != 1 {
		t.Errorf("%d posts", len(w.Posts()))
	}
}

func TestAPagesCallsAreUsedUp(t *testing.T) {
	h := New(newWorld())
	for range maxCalls {
		ask(h, http.MethodGet, "/v26.0/me", "a", "")
	}
	response, reply := ask(h, http.MethodGet, "/v26.0/me", "a", "")
	refused, _ := reply["error"].(map[string]any)
	if refused["code"] != 80001.0 || !strings.Contains(response.Header().Get("X-Business-Use-Case-Usage"), `"estimated_time_to_regain_access":1441`) {
		t.Errorf("%d %s, %v", response.Code, response.Body, response.Header())
	}
	if response, _ := ask(h, http.MethodGet, "/v26.0/me", "b", ""); response.Code != http.StatusOK {
		t.Errorf("another page is refused too: %d", response.Code)
	}
}

func TestAPersonHasPages(t *testing.T) {
	h := New(newWorld())
	_, traded := ask(h, http.MethodGet, "/v26.0/oauth/access_token?grant_type=fb_exchange_token&fb_exchange_token=user-anna&client_id="+
		simulation.AppID+"&client_secret="+simulation.AppSecret, "", "")
	token, _ := traded["access_token"].(string)
	_, listed := ask(h, http.MethodGet, "/v26.0/me/accounts", token, "")
	pages, _ := listed["data"].([]any)
	if len(pages) != 3 {
		t.Fatalf("pages %v", listed)
	}
	for _, page := range pages {
		page, _ := page.(map[string]any)
		own, _ := page["access_token"].(string)
		if _, self := ask(h, http.MethodGet, "/v26.0/me", own, ""); self["id"] != page["id"] || self["category"] == nil {
			t.Errorf("%v is shown as %v", page, self)
		}
	}
}

func TestAPostIsShownToABrowser(t *testing.T) {
	h := New(newWorld())
	_, post := ask(h, http.MethodPost, "/v26.0/me/feed", "a", `{"message": "<b>hello"}`)
	id, _ := post["id"].(string)
	if response, _ := ask(h, http.MethodGet, "/"+id, "", ""); response.Code != http.StatusOK || !strings.Contains(response.Body.String(), "&lt;b&gt;hello") {
		t.Errorf("%d %s", response.Code, response.Body)
	}
}
