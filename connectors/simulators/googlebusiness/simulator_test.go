package googlebusiness

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/simulationtest"
	"crier/schema"
)

// google is a simulator on a clock that stands until it is moved.
type google struct {
	http.Handler
	now time.Time
}

func newGoogle(simulate func(*simulation.World) http.Handler) *google {
	g := &google{now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
	g.Handler = simulate(simulation.NewWorld(simulation.Config{
		Platform: schema.GoogleBusiness, Now: func() time.Time { return g.now }, BaseURL: func() string { return simulationtest.Base },
	}))
	return g
}

// ask makes a call as any client would, and returns the answer as JSON where it is some.
func (g *google) ask(method, path, token, body string) (status int, answer map[string]any) {
	r := simulationtest.Request{Method: method, Path: path, Token: token, Body: body}
	if method == http.MethodPost && !strings.HasPrefix(body, "{") {
		r.Header = map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
	}
	response, answer := simulationtest.Ask(g, r)
	return response.Code, answer
}

func own(i int) string { return "/v4/" + Locations("a")[i] + "/localPosts" }

const text = `{"topicType":"STANDARD","summary":"x"}`

func TestWhoMayDoWhat(t *testing.T) {
	g := newGoogle(New)
	number := Locations("a")[0][strings.LastIndexByte(Locations("a")[0], '/')+1:]
	for name, tt := range map[string]struct {
		method, path, body string
		want               int
	}{
		"posting":                         {"POST", own(0), text, 200},
		"posting for another":             {"POST", "/v4/accounts/1/locations/2/localPosts", text, 403},
		"one's location by another group": {"POST", strings.Replace(own(1), "accounts/", "accounts/9", 1), text, 403},
		"a field that there is not":       {"POST", own(0), `{"topicType":"STANDARD","text":"x"}`, 400},
		"no topic":                        {"POST", own(0), `{"summary":"x"}`, 400},
		"nothing":                         {"POST", own(0), `{"topicType":"STANDARD"}`, 400},
		"too much":                        {"POST", own(0), `{"topicType":"STANDARD","summary":"` + strings.Repeat("x", 1501) + `"}`, 400},
		"a schedule without times":        {"POST", own(0), `{"topicType":"EVENT","summary":"x","event":{"title":"t","schedule":{"startDate":{"year":2026},"endDate":{"year":2027}}}}`, 400},
		"an offer of a standard post":     {"POST", own(0), `{"topicType":"STANDARD","summary":"x","offer":{}}`, 400},
		"a call with a url":               {"POST", own(0), `{"topicType":"STANDARD","summary":"x","callToAction":{"actionType":"CALL","url":"https://a.example"}}`, 400},
		"a video":                         {"POST", own(0), `{"topicType":"STANDARD","summary":"x","media":[{"mediaFormat":"VIDEO","sourceUrl":"https://a.example"}]}`, 400},
		"a picture that is not there":     {"POST", own(0), `{"topicType":"STANDARD","summary":"x","media":[{"mediaFormat":"PHOTO","sourceUrl":"https://a.example"}]}`, 400},
		"a location without a mask":       {"GET", "/v1/locations/" + number, "", 400},
		"a location":                      {"GET", "/v1/locations/" + number + "?readMask=name", "", 200},
		"another's location":              {"GET", "/v1/locations/2?readMask=name", "", 403},
		"a post that is not there":        {"GET", own(0) + "/1", "", 404},
		"a page that is not there":        {"GET", own(0) + "?pageToken=x", "", 400},
	} {
		t.Run(name, func(t *testing.T) {
			g.now = g.now.Add(time.Minute) // the quotas are of a minute
			if got, answer := g.ask(tt.method, tt.path, "a", tt.body); got != tt.want {
				t.Errorf("%d, want %d: %v", got, tt.want, answer)
			}
		})
	}
	if got, _ := g.ask("GET", "/v1/accounts", "", ""); got != http.StatusUnauthorized {
		t.Errorf("without a token: %d", got)
	}
}

func TestQuotas(t *testing.T) {
	g := newGoogle(New)
	edit := func(i int) int { status, _ := g.ask("POST", own(i), "a", text); return status }
	for n := range maxEdits + 1 {
		if got, over := edit(0), n == maxEdits; (got == http.StatusTooManyRequests) != over {
			t.Fatalf("edit %d: %d", n, got)
		}
	}
	if got := edit(1); got != http.StatusOK {
		t.Errorf("of another location: %d", got)
	}
	g.now = g.now.Add(time.Minute)
	if got := edit(0); got != http.StatusOK {
		t.Errorf("a minute later: %d", got)
	}
	for range maxCalls {
		g.ask("GET", own(0), "a", "")
	}
	if got, _ := g.ask("GET", "/v1/accounts", "another", ""); got != http.StatusTooManyRequests {
		t.Errorf("over the quota of the app: %d", got)
	}
	free := newGoogle(NewUnlimited)
	for range 2 * maxEdits {
		if got, answer := free.ask("POST", own(0), "a", text); got != http.StatusOK {
			t.Fatalf("without quotas: %d %v", got, answer)
		}
	}
}

// Lists come by pages, and leave out what is empty; what was deleted is not in them.
func TestPages(t *testing.T) {
	g := newGoogle(NewUnlimited)
	if _, empty := g.ask("GET", own(0), "a", ""); len(empty) != 0 {
		t.Errorf("an empty list is %v", empty)
	}
	for range 3 {
		g.ask("POST", own(0), "a", text)
	}
	_, first := g.ask("GET", own(0)+"?pageSize=2", "a", "")
	posts, next := first["localPosts"].([]any), first["nextPageToken"]
	_, second := g.ask("GET", own(0)+"?pageSize=2&pageToken="+fmt.Sprint(next), "a", "")
	if rest := second["localPosts"].([]any); len(posts) != 2 || len(rest) != 1 || second["nextPageToken"] != nil {
		t.Errorf("pages %v and %v", first, second)
	}
	name := posts[0].(map[string]any)["name"].(string)
	for i, want := range []int{200, 404} {
		if got, _ := g.ask("DELETE", "/v4/"+name, "a", ""); got != want {
			t.Errorf("deleting it, %d: %d", i, got)
		}
	}
	if _, left := g.ask("GET", own(0), "a", ""); len(left["localPosts"].([]any)) != 2 {
		t.Errorf("left are %v", left)
	}
}

// The tokens of a consent end together, and access tokens after an hour.
func TestTokensEnd(t *testing.T) {
	g := newGoogle(NewUnlimited)
	page := "/o/oauth2/v2/auth?" + url.Values{
		"response_type": {"code"}, "client_id": {simulation.AppID}, "redirect_uri": {"https://back.example/"}, "scope": {scopeManage},
		"access_type": {"offline"}, "prompt": {"consent"},
	}.Encode()
	request := httptest.NewRequest("POST", page, strings.NewReader("crier_answer=allow&crier_name=ada"))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	recorded := httptest.NewRecorder()
	g.ServeHTTP(recorded, request)
	back, err := recorded.Result().Location()
	if err != nil {
		t.Fatalf("the answer: %d %s", recorded.Code, recorded.Body)
	}
	trade := func(further url.Values) (int, map[string]any) {
		further.Set("client_id", simulation.AppID)
		further.Set("client_secret", simulation.AppSecret)
		return g.ask("POST", "/token", "", further.Encode())
	}
	_, granted := trade(url.Values{"grant_type": {"authorization_code"}, "code": {back.Query().Get("code")}, "redirect_uri": {"https://back.example/"}})
	access, refresh := fmt.Sprint(granted["access_token"]), fmt.Sprint(granted["refresh_token"])
	wantStatus := func(when, token string, want int) {
		t.Helper()
		if got, _ := g.ask("GET", "/v1/accounts", token, ""); got != want {
			t.Errorf("%s: %d, want %d", when, got, want)
		}
	}
	wantStatus("at once", access, 200)
	wantStatus("the refresh token", refresh, 401)
	g.now = g.now.Add(time.Hour)
	wantStatus("an hour later", access, 401)
	_, traded := trade(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh}})
	again := fmt.Sprint(traded["access_token"])
	wantStatus("a new one", again, 200)
	for i, want := range []int{200, 400} {
		if got, _ := g.ask("POST", "/revoke", "", url.Values{"token": {refresh}}.Encode()); got != want {
			t.Errorf("revoking, %d: %d", i, got)
		}
	}
	wantStatus("revoked", again, 401)
	if got, refused := trade(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh}}); got != 400 || refused["error"] != "invalid_grant" {
		t.Errorf("the refresh token is traded: %d %v", got, refused)
	}
}
