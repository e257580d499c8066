package conformance_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"crier/connectors/simulators/conformance"
)

func TestFacebook(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "meta"), 0o700); err != nil {
		t.Fatal(err)
	}
	for file, content := range map[string]string{
		"Page": `{"apis": [{"method": "POST", "endpoint": "feed", "params": [{"name": "message"}]}, {"method": "GET", "endpoint": "published_posts", "params": []},
			{"method": "POST", "endpoint": "videos", "params": [{"name": "upload_phase", "required": true}]}], "fields": [{"name": "id"}]}`,
		"PagePost": `{"apis": [{"method": "GET", "endpoint": "attachments"}, {"method": "GET", "endpoint": "comments", "params": [{"name": "order"}]}], "fields": [{"name": "id"}]}`,
		"Comment":  `{"fields": [{"name": "from"}]}`,
	} {
		if err := os.WriteFile(filepath.Join(folder, "meta", file+".json"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("CRIER_PLATFORM_DOCS", folder)
	c := conformance.Facebook(t)
	for name, tt := range map[string]struct {
		method, address, request string
		status                   int
		want                     string
	}{
		"a post":                 {http.MethodPost, "/v26.0/1/feed", `{"message": "x"}`, 200, ""},
		"an unknown parameter":   {http.MethodPost, "/v26.0/1/feed", `{"massage": "x"}`, 200, "parameter massage of feed is not described"},
		"a missing parameter":    {http.MethodPost, "/v26.0/1/videos", `{}`, 200, "parameter upload_phase of videos is missing"},
		"an unknown edge":        {http.MethodPost, "/v26.0/1/fed", `{}`, 200, "the edge POST fed is not described"},
		"no JSON":                {http.MethodPost, "/v26.0/1/feed", `<html>`, 200, "cannot be read"},
		"a list":                 {http.MethodGet, "/v26.0/1/published_posts?limit=1&after=x&fields=id,attachments{media_type}", "", 200, ""},
		"an unknown field":       {http.MethodGet, "/v26.0/1/published_posts?fields=id,likes", "", 200, "field likes is not described"},
		"comments":               {http.MethodGet, "/v26.0/1/comments?order=a&fields=from", "", 200, ""},
		"comments by no order":   {http.MethodGet, "/v26.0/1/comments?ordre=a", "", 200, "parameter ordre of comments is not described"},
		"the page":               {http.MethodGet, "/v26.0/me?fields=id,nothing", "", 200, "field nothing is not described"},
		"a video":                {http.MethodGet, "/v26.0/5?fields=status", "", 200, ""},
		"what was refused":       {http.MethodPost, "/v26.0/1/fed", `{}`, 400, ""},
		"the bytes of an upload": {http.MethodPost, "/video-upload/v26.0/videos/1", `x`, 200, ""},
	} {
		t.Run(name, func(t *testing.T) {
			wantReport(t, c, exchange(t, tt.method, tt.address, tt.request, tt.status, `{}`), tt.want)
		})
	}
}
