package web_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crier/gateway/web"
)

// fetch is what a console over an API, which answers 404 in JSON, says to a request.
func fetch(t *testing.T, folder, method, path string, headers map[string]string) *http.Response {
	t.Helper()
	console, err := web.New(folder)
	if err != nil {
		t.Fatal(err)
	}
	request := httptest.NewRequest(method, path, nil)
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	recorder := httptest.NewRecorder()
	console.Over(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
	})).ServeHTTP(recorder, request)
	return recorder.Result()
}

// built is a folder with a console in it.
func built(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "assets"), 0o700); err != nil {
		t.Fatal(err)
	}
	var compressed strings.Builder
	w := gzip.NewWriter(&compressed)
	_, _ = w.Write([]byte("compressed"))
	_ = w.Close()
	for name, content := range map[string]string{
		"index.html": "<title>crier</title>", "assets/a-1.js": "plain", "assets/a-1.js.gz": compressed.String(), "secret": "no",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestConsole(t *testing.T) {
	browser := map[string]string{"Accept": "text/html,application/xhtml+xml"}
	for name, tt := range map[string]struct {
		method, path string
		headers      map[string]string
		status       int
		contentType  string
		cache        string
	}{
		"the page":                      {"GET", "/", browser, 200, "text/html; charset=utf-8", "no-cache"},
		"a view of it":                  {"GET", "/posts/post_1?from=calendar", browser, 200, "text/html; charset=utf-8", "no-cache"},
		"a program at /":                {"GET", "/", nil, 404, "application/json", ""},
		"a form":                        {"POST", "/", browser, 404, "application/json", ""},
		"the API":                       {"GET", "/api/v1/nothing", browser, 404, "application/json", ""},
		"the API's reference":           {"GET", "/docs", browser, 404, "application/json", ""},
		"a file":                        {"GET", "/assets/a-1.js", nil, 200, "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"},
		"a file of a build before":      {"GET", "/assets/a-0.js", browser, 404, "application/json", ""},
		"a path that leaves the folder": {"GET", "/assets/../secret", nil, 404, "application/json", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := fetch(t, built(t), tt.method, tt.path, tt.headers)
			defer got.Body.Close()
			if got.StatusCode != tt.status || got.Header.Get("Content-Type") != tt.contentType || got.Header.Get("Cache-Control") != tt.cache {
				t.Errorf("%d, %v", got.StatusCode, got.Header)
			}
		})
	}
}

func TestAFileIsSentCompressed(t *testing.T) {
	got := fetch(t, built(t), http.MethodGet, "/assets/a-1.js", map[string]string{"Accept-Encoding": "gzip, br"})
	defer got.Body.Close()
	r, err := gzip.NewReader(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	if content, err := io.ReadAll(r); err != nil || string(content) != "compressed" {
		t.Errorf("%q, %v", content, err)
	}
}

// TestWithoutAConsole is about a folder that has none yet, as while make run builds it.
func TestWithoutAConsole(t *testing.T) {
	got := fetch(t, t.TempDir(), http.MethodGet, "/", map[string]string{"Accept": "text/html"})
	defer got.Body.Close()
	if page, _ := io.ReadAll(got.Body); !strings.Contains(string(page), "being built") {
		t.Errorf("%s", page)
	}
	if policy := got.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "script-src 'self';") {
		t.Errorf("policy %q", policy)
	}
}
