package gateway_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"crier/gateway/gatewaytest"
	"crier/schema"
)

// getPage fetches a page for people.
func getPage(a *gatewaytest.API, path string) (status int, header http.Header, body string) {
	a.Helper()
	response, err := http.Get(a.URL + path)
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

// errorCodes returns the codes of errors that the description knows.
func errorCodes(d *gatewaytest.Description) []string {
	var codes []string
	schemas, _ := d.Document["components"].(map[string]any)["schemas"].(map[string]any)
	for _, code := range (gatewaytest.JSON{Value: schemas}).At("Error", "properties", "code", "enum").Value.([]any) {
		codes = append(codes, code.(string))
	}
	slices.Sort(codes)
	return codes
}

// outcomeCodes returns the codes by which targets, first comments and accounts fail or wait.
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
	for hold := schema.WorkspacePaused; hold <= schema.AccountPausedByMember; hold++ {
		codes = append(codes, hold.String())
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// detailCodes finds the codes of details in the source of what answers requests: as constants, as what a
// report is told, and as what a detail is made with.
func detailCodes(t *testing.T) []string {
	t.Helper()
	var codes []string
	named := regexp.MustCompile(`(?m)^\s*(?:const )?[cC]ode[A-Z]\w* *= *"([a-z_]+)"|\.(?:Fail|Warn|InvalidField|blame)\([^\n]*?"([a-z]+(?:_[a-z]+)+)",|Detail\{[^}]*?Code: *"([a-z_]+)"`)
	for _, folder := range []string{"../gateway", "../schema", "../connectors"} {
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "/simulators/") || strings.Contains(path, "/devices/") {
				return err
			}
			source, err := os.ReadFile(path)
			for _, found := range named.FindAllStringSubmatch(string(source), -1) {
				if isConstant := found[1] != ""; !isConstant || !strings.HasPrefix(path, "../connectors") { // what platforms say is theirs
					codes = append(codes, found[1]+found[2]+found[3])
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// TestPages shares one gateway, and its pages: rendering all takes seconds under the race detector.
func TestPages(t *testing.T) {
	a := gatewaytest.New(t)
	pages := site(a)
	for name, hold := range map[string]func(*testing.T, *gatewaytest.API, map[string]string){
		"every code has its page, and the other way round": everyCodeHasItsPage,
		"an error links to a page that exists":             anErrorLinksToItsPage,
		"every link leads somewhere":                       everyLinkLeadsSomewhere,
		"every operation is shown":                         everyOperationIsShown,
		"they need nothing of other hosts":                 nothingIsOfOtherHosts,
		"what is known is not sent again":                  whatIsKnownIsNotSentAgain,
		"they are compressed for whoever takes that":       whoeverTakesThatGetsItCompressed,
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			hold(t, a, pages)
		})
	}
}

func everyCodeHasItsPage(t *testing.T, a *gatewaytest.API, _ map[string]string) {
	status, _, list := getPage(a, "/docs/errors/no_such_code")
	if status != http.StatusNotFound {
		t.Errorf("a code that does not exist: %d", status)
	}
	var listed []string
	for _, link := range regexp.MustCompile(`<dt><a href="../errors/([a-z_]+)">`).FindAllStringSubmatch(list, -1) {
		listed = append(listed, link[1])
	}
	slices.Sort(listed)
	described, outcomes := errorCodes(a.Description), outcomeCodes()
	all := slices.Compact(slices.Sorted(slices.Values(slices.Concat(described, outcomes, detailCodes(t)))))
	if !slices.Equal(listed, all) {
		for _, code := range slices.Concat(listed, all) {
			if !slices.Contains(listed, code) || !slices.Contains(all, code) {
				t.Errorf("%s: has a page: %t, is a code: %t", code, slices.Contains(listed, code), slices.Contains(all, code))
			}
		}
	}
	_, _, overview := getPage(a, "/docs/errors")
	for _, code := range listed {
		status, _, page := getPage(a, "/docs/errors/"+code)
		example := strings.Contains(page, fmt.Sprintf("&#34;code&#34;: &#34;%s&#34;", code))
		if status != http.StatusOK || example != slices.Contains(described, code) {
			t.Errorf("the page of %s: %d, or whether it has an example of a body is wrong", code, status)
		}
		if !strings.Contains(overview, `href="errors/`+code+`"`) {
			t.Errorf("the page of errors does not link to that of %s", code)
		}
	}
}

func anErrorLinksToItsPage(t *testing.T, a *gatewaytest.API, _ map[string]string) {
	link := a.Request(http.MethodGet, "/posts/post_nothing", nil).WantError(http.StatusNotFound, "not_found").At("documentation").Text()
	path, ours := strings.CutPrefix(link, "https://crier.example")
	if status, _, _ := getPage(a, path); !ours || status != http.StatusOK {
		t.Errorf("%s: %d", link, status)
	}
}

// site reads every page that the start page leads to, by its path.
func site(a *gatewaytest.API) map[string]string {
	a.Helper()
	pages := make(map[string]string)
	for waiting := []string{"/docs"}; len(waiting) > 0; waiting = waiting[1:] {
		path := waiting[0]
		if _, known := pages[path]; known {
			continue
		}
		status, _, body := getPage(a, path)
		if status != http.StatusOK {
			a.Errorf("%s: %d", path, status)
		}
		pages[path] = body
		for _, link := range links(a, path, body) {
			if link.Host == "" && link.Path != "/docs/style.css" && link.Path != "/docs/script.js" {
				waiting = append(waiting, link.Path)
			}
		}
	}
	return pages
}

// links are the addresses that a page names, as a browser resolves them.
func links(t testing.TB, path, body string) []*url.URL {
	t.Helper()
	var all []*url.URL
	for _, found := range regexp.MustCompile(`(?:href|src)="([^"]+)"`).FindAllStringSubmatch(body, -1) {
		link, err := (&url.URL{Path: path}).Parse(html.UnescapeString(found[1]))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, link)
	}
	return all
}

func everyLinkLeadsSomewhere(t *testing.T, a *gatewaytest.API, pages map[string]string) {
	if len(pages) < 100 {
		t.Errorf("%d pages", len(pages))
	}
	for path, body := range pages {
		if len(body) > 150<<10 {
			t.Errorf("%s has %d bytes", path, len(body))
		}
		for _, link := range links(t, path, body) {
			target, isPage := pages[link.Path]
			switch {
			case link.Host == "crier.example":
				if link.Path != "/api/v1/openapi.json" {
					t.Errorf("%s leads to %s", path, link)
				}
			case link.Host != "":
				t.Errorf("%s leads to another host: %s", path, link)
			case isPage && link.Fragment != "" && !strings.Contains(target, `id="`+link.Fragment+`"`):
				t.Errorf("%s leads to %s, which has no such place", path, link)
			}
		}
	}
	_, _, index := getPage(a, "/docs/search.json")
	var found []struct{ T, U string }
	if err := json.Unmarshal([]byte(index), &found); err != nil || len(found) < 500 || len(index) > 300<<10 {
		t.Fatalf("the index has %d entries in %d bytes, %v", len(found), len(index), err)
	}
	for _, f := range found {
		link, err := (&url.URL{Path: "/docs/"}).Parse(f.U)
		if err != nil {
			t.Fatal(err)
		}
		if body, isPage := pages[link.Path]; !isPage || link.Fragment != "" && !strings.Contains(body, `id="`+link.Fragment+`"`) {
			t.Errorf("%s is found at %s, which is not there", f.T, link)
		}
	}
}

// everyOperationIsShown also where addresses of the time lead when it was one page.
func everyOperationIsShown(t *testing.T, a *gatewaytest.API, pages map[string]string) {
	start, all := pages["/docs"], strings.Join(slices.Collect(maps.Values(pages)), "")
	anchors := []string{"introduction", "authentication", "events", "errors", "objects"}
	for _, part := range []string{"paths", "webhooks"} {
		for path, item := range a.Description.Document[part].(map[string]any) {
			for method, operation := range item.(map[string]any) {
				id, _ := operation.(map[string]any)["operationId"].(string)
				if !strings.Contains(all, `<article class="entry" id="`+id+`">`) && !strings.Contains(all, `<article id="`+id+`">`) {
					t.Errorf("%s %s is not shown", method, path)
				}
				anchors = append(anchors, id)
			}
		}
	}
	for name := range a.Description.Document["components"].(map[string]any)["schemas"].(map[string]any) {
		anchors = append(anchors, "schema-"+name)
	}
	for _, tag := range a.Description.Document["tags"].([]any) {
		anchors = append(anchors, "tag-"+tag.(map[string]any)["name"].(string))
	}
	for _, anchor := range anchors {
		if !strings.Contains(start, `id="`+anchor+`"`) {
			t.Errorf("/docs#%s leads nowhere", anchor)
		}
	}
	if strings.Contains(all, "<pre>null</pre>") {
		t.Error("an example is shown without its value")
	}
}

func nothingIsOfOtherHosts(t *testing.T, a *gatewaytest.API, _ map[string]string) {
	for _, path := range []string{"/docs", "/docs/posts", "/docs/errors/not_found", "/docs/errors/no_such_code", "/docs/no_such_page"} {
		_, header, page := getPage(a, path)
		if policy := header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; style-src 'self'; script-src 'self';") {
			t.Errorf("%s: Content-Security-Policy = %q", path, policy)
		}
		if found := regexp.MustCompile(`<script(?:>| [^>]*src="(?:http|//))|<img|<iframe|style="|<style| on[a-z]+="|<link[^>]+href="(http|//)`).FindString(page); found != "" {
			t.Errorf("%s has %s, which its policy forbids", path, found)
		}
	}
	for path, contentType := range map[string]string{
		"/docs/style.css": "text/css; charset=utf-8", "/docs/script.js": "text/javascript; charset=utf-8", "/docs/search.json": "application/json",
	} {
		status, header, content := getPage(a, path)
		if status != http.StatusOK || header.Get("Content-Type") != contentType || strings.Contains(content, "url(") || strings.Contains(content, "http:") {
			t.Errorf("%s: %d, %s, or it names an address", path, status, header.Get("Content-Type"))
		}
	}
}

func whatIsKnownIsNotSentAgain(t *testing.T, a *gatewaytest.API, _ map[string]string) {
	for _, path := range []string{"/docs", "/docs/posts", "/docs/search.json"} {
		_, header, _ := getPage(a, path)
		response := a.Send(http.MethodGet, a.URL+path, nil, "If-None-Match", header.Get("ETag"))
		if response.Status != http.StatusNotModified || header.Get("ETag") == "" || header.Get("Cache-Control") != "public, max-age=300" {
			t.Errorf("%s: %d, %v", path, response.Status, header)
		}
	}
}

func whoeverTakesThatGetsItCompressed(t *testing.T, a *gatewaytest.API, _ map[string]string) {
	for _, path := range []string{"/docs", "/docs/search.json"} {
		plain, compressed := encoded(a, path, "gzip;q=0"), encoded(a, path, "gzip, br")
		content, err := gzip.NewReader(bytes.NewReader(compressed))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if body, err := io.ReadAll(content); err != nil || !bytes.Equal(body, plain) || len(compressed) > len(plain)/3 {
			t.Errorf("%s: %d bytes, %d of them compressed, %v; want %d", path, len(body), len(compressed), err, len(plain))
		}
	}
}

// encoded is the body of a page as it is sent to somebody who takes these encodings.
func encoded(a *gatewaytest.API, path, accepted string) []byte {
	a.Helper()
	response := a.Send(http.MethodGet, a.URL+path, nil, "Accept-Encoding", accepted) // named, it keeps net/http from decoding
	if vary := response.Header.Get("Vary"); vary != "Accept-Encoding" {
		a.Fatalf("%s: Vary = %q", path, vary)
	}
	return response.Body
}

// TestAnotherMethodIsToldThoseOfThePath asks of every path that is described. The path of a platform, such as
// /connect/mastodon, is also that of any platform.
func TestAnotherMethodIsToldThoseOfThePath(t *testing.T) {
	a := gatewaytest.New(t)
	paths := a.Description.Document["paths"].(map[string]any)
	named := func(template, platform string) string { return strings.Replace(template, "{platform}", platform, 1) }
	for template := range paths {
		path := regexp.MustCompile(`{\w+}`).ReplaceAllString(named(template, "mastodon"), "x")
		var want, taken []string // taken: such as by /posts/{id} of /posts/validate
		for other, item := range paths {
			isSame := other == template || other == path || slices.ContainsFunc(schema.Platforms(), func(p schema.Platform) bool { return named(other, p.String()) == path })
			for method := range item.(map[string]any) {
				if isSame {
					want = append(want, strings.ToUpper(method))
				} else if gatewaytest.MatchesPath(other, path) {
					taken = append(taken, strings.ToUpper(method))
				}
			}
		}
		slices.Sort(want)
		for _, method := range []string{http.MethodPut, http.MethodDelete, http.MethodPatch, http.MethodPost} {
			if slices.Contains(want, method) || slices.Contains(taken, method) {
				continue
			}
			got := a.Request(method, path, nil)
			message := got.WantError(http.StatusMethodNotAllowed, "method_not_allowed").At("message").Text()
			if !strings.Contains(message, got.Header.Get("Allow")+", not "+method) {
				t.Errorf("%s %s: %s", method, path, message)
			}
			have := strings.Split(got.Header.Get("Allow"), ", ")
			slices.Sort(have)
			if !slices.Equal(want, have) {
				t.Errorf("%s %s: Allow = %v, want %v", method, path, have, want)
			}
		}
	}
}

func TestAPathThatIsNoneIsToldTheNearest(t *testing.T) {
	a := gatewaytest.New(t)
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
		response, err := http.Get(a.URL + path)
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
