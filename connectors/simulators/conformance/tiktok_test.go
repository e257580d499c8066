package conformance_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"crier/connectors/simulators/conformance"
)

// describeTikTok writes facts of the form that they are read in.
func describeTikTok(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "tiktok"), 0o700); err != nil {
		t.Fatal(err)
	}
	facts := `# Facts
| exchange | POST | code | access_token scope |
| refresh | same | refresh_token | same |
| revoke | POST | token | empty |

Two error shapes. OAuth answers flat (invalid_grant).
| ` + "`/v2/post/publish/creator_info/query/`" + ` | s | 20 | empty | creator_username | A |
| ` + "`/v2/post/publish/video/init/`" + ` | s | 6 | post_info, source_info | publish_id, upload_url | B |
| ` + "`/v2/post/publish/status/fetch/`" + ` | s | 30 | publish_id | below | F |
| GET ` + "`/v2/user/info/?fields=`" + ` | s | – | data.user: open_id |
| POST ` + "`/v2/video/query/?fields=`" + ` | s | filters.video_ids ≤ 20 | videos[] |
600 a minute each, sliding window. Video: id string, like_count int32.
` + "`post_info` (video): title string, is_aigc bool.\n`source_info` (video): source FILE_UPLOAD; video_size int64.\n" + `
Errors: 400 invalid_param; 403 privacy_level_option_mismatch. More.
- PUT to upload_url; Content-Type video/mp4
- 206 after a part, 201 after the last; 404 no such task
status PROCESSING_UPLOAD, FAILED; fail_reason; uploaded_bytes int64.
fail_reason, not worth a retry: spam_risk.
`
	if err := os.WriteFile(filepath.Join(folder, "tiktok", "FACTS.md"), []byte(facts), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CRIER_PLATFORM_DOCS", folder)
}

func TestTikTok(t *testing.T) {
	describeTikTok(t)
	c := conformance.TikTok(t)
	const begin, status, ok = "/v2/post/publish/video/init/", "/v2/post/publish/status/fetch/", `"error":{"code":"ok","message":"","log_id":"1"}`
	for name, tt := range map[string]struct {
		method, path, request, answer string
		status                        int
		want                          string // part of the first violation; empty: none
	}{
		"as it is described":       {"POST", begin, `{"post_info":{"title":"x","is_aigc":true},"source_info":{"source":"FILE_UPLOAD","video_size":1}}`, `{"data":{"publish_id":"1"},` + ok + `}`, 200, ""},
		"a field that is not":      {"POST", begin, `{"post_info":{"caption":"x"}}`, `{"data":{},` + ok + `}`, 200, "caption"},
		"a field of another kind":  {"POST", begin, `{"post_info":{"is_aigc":"yes"}}`, `{"data":{},` + ok + `}`, 200, "is_aigc"},
		"an answer with more":      {"POST", begin, `{}`, `{"data":{"id":"1"},` + ok + `}`, 200, "data has id"},
		"an answer with less":      {"POST", begin, `{}`, `{"data":{}}`, 200, "error is missing"},
		"a state that is not":      {"POST", status, `{"publish_id":"1"}`, `{"data":{"status":"DONE"},` + ok + `}`, 200, "DONE"},
		"a reason that is not":     {"POST", status, `{"publish_id":"1"}`, `{"data":{"status":"FAILED","fail_reason":"boredom"},` + ok + `}`, 200, "boredom"},
		"a code of another status": {"POST", begin, `{}`, `{"data":{},"error":{"code":"invalid_param","message":"","log_id":"1"}}`, 500, "invalid_param"},
		"a code that is not":       {"POST", begin, `{}`, `{"data":{},"error":{"code":"no","message":"","log_id":"1"}}`, 400, `"no"`},
		"a flat refusal of OAuth":  {"POST", "/v2/oauth/token/", "code=x", `{"error":"invalid_grant","error_description":"","log_id":"1"}`, 200, ""},
		"another error of OAuth":   {"POST", "/v2/oauth/token/", "code=x", `{"error":"no"}`, 200, "no error no"},
		"a form with more":         {"POST", "/v2/oauth/revoke/", "token=x&hint=y", "", 200, "the form has hint"},
		"a part":                   {"PUT", "/video/", "x", "", 206, ""},
		"a part's other status":    {"PUT", "/video/", "x", "", 200, "not answered with 200"},
		"a page":                   {"POST", status, `{"publish_id":"1"}`, "<html>", 200, "no object"},
		"what is not described":    {"GET", "/@a/video/1", "", "<html>", 200, ""},
	} {
		t.Run(name, func(t *testing.T) {
			e := conformance.Exchange{
				Method: tt.method, URL: &url.URL{Path: tt.path}, RequestBody: []byte(tt.request), Status: tt.status, Body: []byte(tt.answer),
				RequestHeader: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, Header: http.Header{"Content-Range": {"bytes 0-1/2"}},
			}
			if tt.method == http.MethodPut {
				e.RequestHeader = http.Header{"Content-Type": {"video/mp4"}, "Content-Range": {"bytes 0-0/1"}}
			} else if tt.request == "" || tt.request[0] == '{' {
				e.RequestHeader = http.Header{"Authorization": {"Bearer x"}}
			}
			wantReport(t, c, e, tt.want)
		})
	}
}
