package gateway_test

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"crier/schema"
)

// page fetches a page for people.
func (a *api) page(path string) (status int, header http.Header, body string) {
	a.Helper()
	response, err := http.Get(a.url + path)
	if err != nil {
		a.Fatal(err)
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		a.Fatal(err)
	}
	return response.StatusCode, response.Header, string(read)
}

// described returns the codes of errors that the description knows.
func (d *description) codes() []string {
	var codes []string
	schemas, _ := d.document["components"].(map[string]any)["schemas"].(map[string]any)
	for _, code := range (tree{schemas}).at("Error", "properties", "code", "enum").value.([]any) {
		codes = append(codes, code.(string))
	}
	slices.Sort(codes)
	return codes
}

// outcomeCodes returns the codes by which targets, first comments and accounts fail.
func outcomeCodes() []string {
	codes := []string{
		schema.CodeMissedDeadline, schema.CodeThreadIncomplete, schema.CodeDisconnected, schema.CodeCancelled, schema.CodeCheckFailed,
	}
	for kind := schema.Refused; kind <= schema.Unknown; kind++ {
		codes = append(codes, schema.CodeOf(kind))
	}
	for end := schema.EndRevoked; end <= schema.EndDeleted; end++ {
		codes = append(codes, end.Traits().Code)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

func TestEveryCodeHasItsPageAndTheOtherWayRound(t *testing.T) {
	a := newAPI(t)
	status, _, list := a.page("/docs/errors/no_such_code")
	if status != http.StatusNotFound {
		t.Errorf("a code that does not exist: %d", status)
	}
	var listed []string
	for _, link := range regexp.MustCompile(`<li><a href="([a-z_]+)">`).FindAllStringSubmatch(list, -1) {
		listed = append(listed, link[1])
	}
	slices.Sort(listed)
	described, outcomes := a.description.codes(), outcomeCodes()
	if all := slices.Sorted(slices.Values(slices.Concat(described, outcomes))); !slices.Equal(listed, all) {
		t.Errorf("pages: %v\nerrors and outcomes: %v", listed, all)
	}
	_, _, reference := a.page("/docs")
	for _, code := range listed {
		status, _, page := a.page("/docs/errors/" + code)
		example := strings.Contains(page, fmt.Sprintf("&#34;code&#34;: &#34;%s&#34;", code))
		if status != http.StatusOK || example != slices.Contains(described, code) {
			t.Errorf("the page of %s: %d, or whether it has an example of a body is wrong", code, status)
		}
		if !strings.Contains(reference, `href="docs/errors/`+code+`"`) {
			t.Errorf("the reference does not link to the page of %s", code)
		}
	}
}

func TestAnErrorLinksToAPageThatExists(t *testing.T) {
	a := newAPI(t)
	link := a.call(http.MethodGet, "/posts/post_nothing", nil).fails(http.StatusNotFound, "not_found").at("documentation").text()
	path, ours := strings.CutPrefix(link, "https://crier.example")
	if status, _, _ := a.page(path); !ours || status != http.StatusOK {
		t.Errorf("%s: %d", link, status)
	}
}

func TestTheReferenceShowsEveryOperation(t *testing.T) {
	a := newAPI(t)
	status, header, page := a.page("/docs")
	if status != http.StatusOK || header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("%d, %s", status, header.Get("Content-Type"))
	}
	for _, part := range []string{"paths", "webhooks"} {
		for path, item := range a.description.document[part].(map[string]any) {
			for method, operation := range item.(map[string]any) {
				id, _ := operation.(map[string]any)["operationId"].(string)
				if !strings.Contains(page, `<article id="`+id+`">`) {
					t.Errorf("%s %s is not shown", method, path)
				}
			}
		}
	}
	if strings.Contains(page, "<pre>null</pre>") {
		t.Error("an example is shown without its value")
	}
	for _, link := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(page, -1) {
		if !strings.Contains(page, `id="`+link[1]+`"`) {
			t.Errorf("#%s leads nowhere", link[1])
		}
	}
}

func TestPagesNeedNothingOfOtherHosts(t *testing.T) {
	a := newAPI(t)
	for _, path := range []string{"/docs", "/docs/errors/not_found", "/docs/errors/no_such_code"} {
		_, header, page := a.page(path)
		if policy := header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; style-src 'self';") {
			t.Errorf("%s: Content-Security-Policy = %q", path, policy)
		}
		if found := regexp.MustCompile(`<script|<img|<iframe|style="|<link[^>]+href="(http|//)`).FindString(page); found != "" {
			t.Errorf("%s has %s, which its policy forbids", path, found)
		}
	}
	status, header, style := a.page("/docs/style.css")
	if status != http.StatusOK || header.Get("Content-Type") != "text/css; charset=utf-8" || strings.Contains(style, "url(") {
		t.Errorf("the style sheet: %d, %s, or it names an address", status, header.Get("Content-Type"))
	}
}

// TestAnotherMethodIsToldThoseOfThePath asks of every path that is described. The path of a platform, such as
// /connect/mastodon, is also that of any platform.
func TestAnotherMethodIsToldThoseOfThePath(t *testing.T) {
	a := newAPI(t)
	paths := a.description.document["paths"].(map[string]any)
	named := func(template, platform string) string { return strings.Replace(template, "{platform}", platform, 1) }
	for template := range paths {
		path := regexp.MustCompile(`{\w+}`).ReplaceAllString(named(template, "mastodon"), "x")
		var want, taken []string // taken: such as by /posts/{id} of /posts/validate
		for other, item := range paths {
			isSame := other == template || other == path || slices.ContainsFunc(schema.Platforms(), func(p schema.Platform) bool { return named(other, p.String()) == path })
			for method := range item.(map[string]any) {
				if isSame {
					want = append(want, strings.ToUpper(method))
				} else if matches(other, path) {
					taken = append(taken, strings.ToUpper(method))
				}
			}
		}
		slices.Sort(want)
		for _, method := range []string{http.MethodPut, http.MethodDelete, http.MethodPatch, http.MethodPost} {
			if slices.Contains(want, method) || slices.Contains(taken, method) {
				continue
			}
			got := a.call(method, path, nil)
			message := got.fails(http.StatusMethodNotAllowed, "method_not_allowed").at("message").text()
			if !strings.Contains(message, got.header.Get("Allow")+", not "+method) {
				t.Errorf("%s %s: %s", method, path, message)
			}
			have := strings.Split(got.header.Get("Allow"), ", ")
			slices.Sort(have)
			if !slices.Equal(want, have) {
				t.Errorf("%s %s: Allow = %v, want %v", method, path, have, want)
			}
		}
	}
}

func TestAPathThatIsNoneIsToldTheNearest(t *testing.T) {
	a := newAPI(t)
	for path, want := range map[string]string{
		"/api/v1/posts/":                "did you mean /api/v1/posts?",
		"/api/v1/post":                  "did you mean /api/v1/posts?",
		"/api/v1/post/post_x":           "did you mean /api/v1/posts/post_x?",
		"/posts":                        "did you mean /api/v1/posts?",
		"/api/v1/posts/post_x/cancel":   "DELETE /api/v1/posts/{id} cancels",
		"/v1/posts/post_x/atempts":      "did you mean /api/v1/posts/post_x/attempts?",
		"/api/v1/weather":               "below /api/v1 there are accounts, analytics, audit, billing",
		"/api/v1/posts/a/b/c/d":         "below /api/v1 there are",
		"/" + strings.Repeat("a/", 300): "below /api/v1 there are",
		"/":                             "below /api/v1 there are",
	} {
		response, err := http.Get(a.url + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusNotFound || !strings.Contains(string(text), want) {
			t.Errorf("%.40s: %d %s, want %q in it; %v", path, response.StatusCode, text, want, err)
		}
	}
}
