package tiktok

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/simulationtest"
	"crier/schema"
)

func newWorld() *simulation.World { return simulationtest.NewWorld(schema.TikTok, nil) }

func ask(h http.Handler, method, path, token, body string) (*httptest.ResponseRecorder, map[string]any) {
	return simulationtest.Ask(h, simulationtest.Request{Method: method, Path: path, Token: token, Body: body})
}

// put sends a part of a video.
func put(h http.Handler, address, content, mediaType, span string) *httptest.ResponseRecorder {
	response, _ := simulationtest.Ask(h, simulationtest.Request{
		Method: http.MethodPut, Path: address, Body: content, Header: map[string]string{"Content-Type": mediaType, "Content-Range": span},
	})
	return response
}

const begun = `{"post_info": {"title": "t", "privacy_level": "SELF_ONLY", "brand_content_toggle": false},
	"source_info": {"source": "FILE_UPLOAD", "video_size": 24, "chunk_size": 24, "total_chunk_count": 1}}`

func TestRefusals(t *testing.T) {
	w := newWorld()
	h := NewUnlimited(w)
	for name, tt := range map[string]struct {
		method, path, token, body string
		status                    int
		code                      string
	}{
		"no token":                       {"POST", "/v2/post/publish/video/init/", "", begun, 401, "access_token_invalid"},
		"a refresh token":                {"GET", "/v2/user/info/?fields=open_id", simulation.Ticket{Kind: "refresh", Account: "a"}.Issue(), "", 401, "access_token_invalid"},
		"a scope that was not granted":   {"POST", "/v2/post/publish/video/init/", ticket("user.info.basic"), begun, 401, "scope_not_authorized"},
		"a field of another scope":       {"GET", "/v2/user/info/?fields=follower_count", ticket("user.info.basic"), "", 401, "scope_not_authorized"},
		"no JSON":                        {"POST", "/v2/post/publish/video/init/", "a", "<html>", 400, "invalid_param"},
		"no disclosure":                  {"POST", "/v2/post/publish/video/init/", "a", strings.Replace(begun, `, "brand_content_toggle": false`, "", 1), 400, "invalid_param"},
		"a privacy that is not offered":  {"POST", "/v2/post/publish/video/init/", "private-a", strings.Replace(begun, "SELF_ONLY", "PUBLIC_TO_EVERYONE", 1), 403, "privacy_level_option_mismatch"},
		"an account that is not private": {"POST", "/v2/post/publish/video/init/", "unaudited-public-a", begun, 403, "unaudited_client_can_only_post_to_private_accounts"},
		"an app that is not audited":     {"POST", "/v2/post/publish/video/init/", "unaudited-a", strings.Replace(begun, "SELF_ONLY", "PUBLIC_TO_EVERYONE", 1), 403, "unaudited_client_can_only_post_to_private_accounts"},
		"branded content in private":     {"POST", "/v2/post/publish/video/init/", "a", strings.Replace(begun, "false", "true", 1), 400, "invalid_param"},
		"a title that is too long":       {"POST", "/v2/post/publish/video/init/", "a", strings.Replace(begun, `"t"`, `"`+strings.Repeat("x", 2201)+`"`, 1), 400, "invalid_param"},
		"an address to pull from":        {"POST", "/v2/post/publish/video/init/", "a", strings.Replace(begun, "FILE_UPLOAD", "PULL_FROM_URL", 1), 403, "url_ownership_unverified"},
		"parts that are no whole":        {"POST", "/v2/post/publish/video/init/", "a", strings.Replace(begun, `"total_chunk_count": 1`, `"total_chunk_count": 2`, 1), 400, "invalid_params"},
		"parts that are too small":       {"POST", "/v2/post/publish/video/init/", "a", strings.Replace(strings.Replace(begun, `"chunk_size": 24`, `"chunk_size": 12`, 1), `"total_chunk_count": 1`, `"total_chunk_count": 2`, 1), 400, "invalid_params"},
		"one part above 64 MB":           {"POST", "/v2/post/publish/video/init/", "a", strings.ReplaceAll(begun, "24", "64000001"), 400, "invalid_params"},
		"parts of 20 MiB":                {"POST", "/v2/post/publish/video/init/", "a", parts(100<<20, 20<<20, 5), 400, "invalid_params"},
		"parts of 10 MiB, one too many":  {"POST", "/v2/post/publish/video/init/", "a", parts(100<<20, 10<<20, 11), 400, "invalid_params"},
		"a publication that is not":      {"POST", "/v2/post/publish/status/fetch/", "a", `{"publish_id": "v_pub_file~v2-1.1"}`, 400, "invalid_publish_id"},
		"a path that leads nowhere":      {"POST", "/v2/post/publish/inbox/video/init/", "a", begun, 404, "unsupported_path"},
		"the publication of another one": {"POST", "/v2/post/publish/status/fetch/", "b", `{"publish_id": "` + idOf(h, "a") + `"}`, 400, "token_not_authorized_for_specified_publish_id"},
	} {
		t.Run(name, func(t *testing.T) {
			response, reply := ask(h, tt.method, tt.path, tt.token, tt.body)
			refused, _ := reply["error"].(map[string]any)
			if response.Code != tt.status || refused["code"] != tt.code {
				t.Errorf("%d %s, want %d %s", response.Code, response.Body, tt.status, tt.code)
			}
		})
	}
	if posts := w.Posts(); len(posts) != 0 {
		t.Errorf("posts %+v", posts)
	}
}

func parts(size, part, count int) string {
	return strings.Replace(begun, `"video_size": 24, "chunk_size": 24, "total_chunk_count": 1`,
		fmt.Sprintf(`"video_size": %d, "chunk_size": %d, "total_chunk_count": %d`, size, part, count), 1)
}

func ticket(scope string) string {
	return simulation.Ticket{Kind: "access", Account: "a", Scope: scope, Expires: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)}.Issue()
}

// begin begins a video of 24 bytes.
func begin(h http.Handler, token string) (id, address string) {
	_, reply := ask(h, http.MethodPost, "/v2/post/publish/video/init/", token, begun)
	data, _ := reply["data"].(map[string]any)
	id, _ = data["publish_id"].(string)
	address, _ = data["upload_url"].(string)
	return id, address
}

func idOf(h http.Handler, token string) string {
	id, _ := begin(h, token)
	return id
}

// A part is taken at its address, where the upload is, and once.
func TestAPartIsTakenOnce(t *testing.T) {
	w := newWorld()
	h := New(w)
	_, address := begin(h, "a")
	video := "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom"
	for _, tt := range []struct {
		address, mediaType, span string
		want                     int
	}{
		{address + "x", "video/mp4", "bytes 0-23/24", 403},
		{strings.Replace(address, "upload_id=", "upload_id=1", 1), "video/mp4", "bytes 0-23/24", 404},
		{address, "image/png", "bytes 0-23/24", 400},
		{address, "video/mp4", "bytes 0-23/25", 400},
		{address, "video/mp4", "0-23/24", 400},
		{address, "video/mp4", "bytes 0-22/24", 400},
		{address, "video/mp4", "bytes 0-23/24", 201},
		{address, "video/mp4", "bytes 0-23/24", 416},
	} {
		response := put(h, tt.address, video, tt.mediaType, tt.span)
		if response.Code != tt.want {
			t.Errorf("%+v: %d %s", tt, response.Code, response.Body)
		}
	}
	if posts := w.Posts(); len(posts) != 1 || posts[0].Media[0].Type != "video/mp4" {
		t.Errorf("posts %+v", posts)
	}
}

// That a file is no video turns out once it is processed.
func TestWhatIsNoVideoFails(t *testing.T) {
	w := newWorld()
	h := New(w)
	id, address := begin(h, "a")
	put(h, address, "<html>this is no video</html>"[:24], "video/mp4", "bytes 0-23/24")
	u, _ := w.Upload(strings.TrimPrefix(id, publishPrefix))
	if u.ReadyAt = w.Now(); len(w.Posts()) > 0 {
		t.Error("it was published")
	}
	if _, err := w.PutUpload(u); err != nil {
		t.Fatal(err)
	}
	_, reply := ask(h, http.MethodPost, "/v2/post/publish/status/fetch/", "a", `{"publish_id": "`+id+`"}`)
	if data, _ := reply["data"].(map[string]any); data["status"] != "FAILED" || data["fail_reason"] != "file_format_check_failed" {
		t.Errorf("status %v", reply)
	}
}

func TestAMinuteHasLimits(t *testing.T) {
	h := New(newWorld())
	for n := range 7 {
		if response, _ := ask(h, http.MethodPost, "/v2/post/publish/video/init/", "a", begun); (response.Code == 429) != (n == 6) {
			t.Errorf("call %d: %d %s", n+1, response.Code, response.Body)
		}
	}
	if response, _ := ask(h, http.MethodPost, "/v2/post/publish/video/init/", "b", begun); response.Code != http.StatusOK {
		t.Errorf("another account is refused too: %d", response.Code)
	}
}
