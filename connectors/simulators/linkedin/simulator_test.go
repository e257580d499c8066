package linkedin

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/simulationtest"
	"crier/schema"
)

// ask makes a call of a member.
func ask(h http.Handler, method, path, version, body string) *httptest.ResponseRecorder {
	r := simulationtest.Request{Method: method, Path: path, Token: "a", Body: body}
	if version != "" {
		r.Header = map[string]string{"LinkedIn-Version": version}
	}
	response, _ := simulationtest.Ask(h, r)
	return response
}

func newWorld() *simulation.World { return simulationtest.NewWorld(schema.LinkedIn, nil) }

const version = "202609"

func postBody(author, commentary string) string {
	return fmt.Sprintf(`{"author":%q,"commentary":%q,"visibility":"PUBLIC","distribution":{"feedDistribution":"MAIN_FEED"},"lifecycleState":"PUBLISHED"}`, author, commentary)
}

// A reserved sign that is not escaped cuts the text, without an error.
func TestCommentaryIsCut(t *testing.T) {
	for commentary, want := range map[string]string{
		"all of it":                           "all of it",
		"cut (here)":                          "cut ",
		"50 * 2":                              "50 ",
		`kept \(here\)`:                       "kept (here)",
		"#tag and {no} more":                  "#tag and ",
		`{hashtag|\#|a\_b} end`:               "#a_b end",
		"@[Name](urn:li:organization:1) said": "Name said",
		`@[Name \(UK\)](urn:li:organization:1) said`: "Name (UK) said",
		"@[Name](elsewhere)":                         "",
		`the end \`:                                  `the end `,
	} {
		if got := rendered(commentary); got != want {
			t.Errorf("%q is shown as %q, want %q", commentary, got, want)
		}
	}
}

func TestVersions(t *testing.T) {
	h := New(newWorld())
	for version, want := range map[string]int{"": 400, "2026-09": 400, "202613": 400, "202511": 426, "202512": 200, "202609": 200} {
		if got := ask(h, http.MethodGet, "/rest/organizationAcls?q=roleAssignee", version, "").Code; got != want {
			t.Errorf("version %q: %d, want %d", version, got, want)
		}
	}
}

// A member's posts are listed for nobody; others are not written for.
func TestWhoMayDoWhat(t *testing.T) {
	h := New(newWorld())
	own, person := Organizations("a")[0], personURN+newWorld().Account("a").ID
	for name, tt := range map[string]struct {
		method, path, body string
		want               int
	}{
		"writing as oneself":               {"POST", "/rest/posts", postBody(person, "x"), 201},
		"writing as one's organization":    {"POST", "/rest/posts", postBody(own, "x"), 201},
		"writing as another":               {"POST", "/rest/posts", postBody("urn:li:organization:1", "x"), 403},
		"writing too much":                 {"POST", "/rest/posts", postBody(own, strings.Repeat("x", 3001)), 400},
		"reading one's organization":       {"GET", "/rest/posts?q=author&author=" + url.QueryEscape(own), "", 200},
		"reading oneself":                  {"GET", "/rest/posts?q=author&author=" + url.QueryEscape(person), "", 403},
		"reading comments of what is not":  {"GET", "/rest/socialActions/urn%3Ali%3Ashare%3A1/comments", "", 404},
		"uploading for another":            {"POST", "/rest/images?action=initializeUpload", `{"initializeUploadRequest":{"owner":"urn:li:organization:1"}}`, 403},
		"a video of no size":               {"POST", "/rest/videos?action=initializeUpload", `{"initializeUploadRequest":{"owner":"` + own + `"}}`, 400},
		"an action that there is not":      {"POST", "/rest/images?action=finalizeUpload", `{}`, 400},
		"media that is not there":          {"GET", "/rest/images/urn%3Ali%3Aimage%3A1", "", 404},
		"a post with media that is not":    {"POST", "/rest/posts", strings.Replace(postBody(own, "x"), `"visibility"`, `"content":{"media":{"id":"urn:li:image:1"}},"visibility"`, 1), 400},
		"a post with content of two kinds": {"POST", "/rest/posts", strings.Replace(postBody(own, "x"), `"visibility"`, `"content":{"media":{"id":"a"},"article":{"source":"http://a"}},"visibility"`, 1), 400},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ask(h, tt.method, tt.path, version, tt.body); got.Code != tt.want {
				t.Errorf("%d %s, want %d", got.Code, got.Body, tt.want)
			}
		})
	}
}

func TestWhatThePageOfConsentDoesNotTake(t *testing.T) {
	h := New(newWorld())
	for name, tt := range map[string]struct {
		query string
		want  int
		back  string
	}{
		"of open products":   {"scope=openid+profile+w_member_social", 200, ""},
		"of the other one":   {"scope=r_basicprofile+w_member_social+rw_organization_admin", 200, ""},
		"scopes of both":     {"scope=openid+rw_organization_admin", 302, "unauthorized_scope_error"},
		"another app":        {"client_id=x", 400, ""},
		"a path":             {"redirect_uri=%2Fc", 400, ""},
		"a fragment":         {"redirect_uri=https%3A%2F%2Fcrier.example%2Fc%23a", 400, ""},
		"a scope it has not": {"scope=openid+r_member_social", 302, "unauthorized_scope_error"},
	} {
		q, err := url.ParseQuery("response_type=code&state=s&client_id=" + simulation.AppID + "&redirect_uri=https%3A%2F%2Fcrier.example%2Fc")
		if err != nil {
			t.Fatal(err)
		}
		further, err := url.ParseQuery(tt.query)
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(q, further)
		request := httptest.NewRequest(http.MethodGet, "/oauth/v2/authorization?"+q.Encode(), nil)
		response := httptest.NewRecorder()
		h.ServeHTTP(response, request)
		back, _ := url.Parse(response.Header().Get("Location"))
		if response.Code != tt.want || back.Query().Get("error") != tt.back || back.Query().Has("code") {
			t.Errorf("%s: %d, %s", name, response.Code, back)
		}
	}
}

func TestADayIsSpent(t *testing.T) {
	h, own := New(newWorld()), Organizations("a")[0]
	for n := range 151 {
		response := ask(h, http.MethodPost, "/rest/posts", version, postBody(own, "x"))
		if want := n < 150; (response.Code == http.StatusCreated) != want {
			t.Fatalf("post %d: %d %s", n+1, response.Code, response.Body)
		}
		if n == 150 && (response.Header().Get("Retry-After") != "" || !strings.Contains(response.Body.String(), "DAY limit")) {
			t.Errorf("the refusal is %v %s", response.Header(), response.Body)
		}
	}
}

func TestAPostIsShownToABrowser(t *testing.T) {
	h, own := New(newWorld()), Organizations("a")[0]
	response := ask(h, http.MethodPost, "/rest/posts", version, postBody(own, `\<b\>hello`))
	page := ask(h, http.MethodGet, "/feed/update/"+response.Header().Get("X-Restli-Id"), "", "")
	if page.Code != http.StatusOK || !strings.Contains(page.Body.String(), "&lt;b&gt;hello") {
		t.Errorf("%d %s", page.Code, page.Body)
	}
}
