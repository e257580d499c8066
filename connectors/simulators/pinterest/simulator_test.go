package pinterest

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

// newWorld is one whose clock stands; it fetches pictures from nowhere.
func newWorld() *simulation.World {
	return simulationtest.NewWorld(schema.Pinterest, &http.Client{Transport: pictures{}})
}

type pictures struct{}

func (pictures) RoundTrip(request *http.Request) (*http.Response, error) {
	response := httptest.NewRecorder()
	response.WriteString("\x89PNG\x0D\x0A\x1A\x0A")
	if strings.HasSuffix(request.URL.Path, ".html") {
		response.Body.Reset()
		response.WriteString("<html>")
	}
	return response.Result(), nil
}

func ask(h http.Handler, method, path, token, body string) (*httptest.ResponseRecorder, map[string]any) {
	return simulationtest.Ask(h, simulationtest.Request{Method: method, Path: path, Token: token, Body: body})
}

const image = `"media_source":{"source_type":"image_url","url":"http://pictures/a.png"}`

func TestRefusals(t *testing.T) {
	w := newWorld()
	h := New(w)
	board, kitchen := Boards("a")[0], Boards("a")[1]
	pin := func(fields string) string { return `{"board_id":"` + board + `",` + fields + `}` }
	for name, tt := range map[string]struct {
		method, path, token, body string
		status                    int
		code                      float64
	}{
		"no token":                       {"GET", "/v5/boards", "", "", 401, 2},
		"another's board":                {"POST", "/v5/pins", "b", pin(image), 404, 40},
		"no board":                       {"POST", "/v5/pins", "a", `{` + image + `}`, 400, 1},
		"a section of another board":     {"POST", "/v5/pins", "a", pin(`"board_section_id":"21` + kitchen[1:] + `",` + image), 404, 2031},
		"a board for advertisements":     {"POST", "/v5/pins", "a", strings.Replace(pin(image), `"`+board, `"3`+board[1:], 1), 403, 29},
		"no JSON":                        {"POST", "/v5/pins", "a", `<html>`, 400, 1},
		"no media":                       {"POST", "/v5/pins", "a", pin(`"title":"x"`), 400, 1},
		"a title of 101":                 {"POST", "/v5/pins", "a", pin(`"title":"` + strings.Repeat("x", 101) + `",` + image), 400, 1},
		"a description of 801":           {"POST", "/v5/pins", "a", pin(`"description":"` + strings.Repeat("x", 801) + `",` + image), 400, 1},
		"an alternative text of 501":     {"POST", "/v5/pins", "a", pin(`"alt_text":"` + strings.Repeat("x", 501) + `",` + image), 400, 1},
		"a link that is none":            {"POST", "/v5/pins", "a", pin(`"link":"example",` + image), 400, 1},
		"a colour that is none":          {"POST", "/v5/pins", "a", pin(`"dominant_color":"red",` + image), 400, 1},
		"a picture that is a page":       {"POST", "/v5/pins", "a", pin(strings.Replace(image, ".png", ".html", 1)), 400, 1},
		"a carousel of one":              {"POST", "/v5/pins", "a", pin(`"media_source":{"source_type":"multiple_image_urls","items":[{"url":"http://pictures/a.png"}]}`), 400, 1},
		"a video without a cover":        {"POST", "/v5/pins", "a", pin(`"media_source":{"source_type":"video_id","media_id":"1"}`), 400, 1},
		"a video that is not there":      {"POST", "/v5/pins", "a", pin(`"media_source":{"source_type":"video_id","media_id":"1","cover_image_key_frame_time":0}`), 404, 404},
		"media that is no video":         {"POST", "/v5/media", "a", `{"media_type":"image"}`, 400, 1},
		"media that is not there":        {"GET", "/v5/media/1", "a", "", 404, 404},
		"a pin that is not there":        {"GET", "/v5/pins/1", "a", "", 404, 50},
		"a page that is too long":        {"GET", "/v5/boards?page_size=251", "a", "", 400, 1},
		"a bookmark of nobody":           {"GET", "/v5/boards?bookmark=x", "a", "", 400, 1},
		"a section that is not there":    {"GET", "/v5/boards/" + board + "/sections/1/pins", "a", "", 404, 2031},
		"a path that leads nowhere":      {"GET", "/v5/nothing", "a", "", 404, 11},
		"tokens for an app that is none": {"POST", "/v5/oauth/token", "", "", 401, 2},
	} {
		t.Run(name, func(t *testing.T) {
			response, reply := ask(h, tt.method, tt.path, tt.token, tt.body)
			if response.Code != tt.status || reply["code"] != tt.code || reply["message"] == "" {
				t.Errorf("%d %s, want %d and code %v", response.Code, response.Body, tt.status, tt.code)
			}
		})
	}
	if posts := w.Posts(); len(posts) != 0 {
		t.Errorf("posts %+v", posts)
	}
}

// A token has no more scopes than were granted, and dies with its time.
func TestTicketsAreHeldToTheirScopes(t *testing.T) {
	w := newWorld()
	h := New(w)
	ticket := simulation.Ticket{Kind: "access", Account: "a", Scope: "boards:read pins:read", Expires: w.Now().Add(time.Minute)}
	body := `{"board_id":"` + Boards("a")[0] + `",` + image + `}`
	for name, tt := range map[string]struct {
		change       func(*simulation.Ticket)
		method, path string
		status       int
		code         any
	}{
		"reading":         {func(*simulation.Ticket) {}, "GET", "/v5/boards", 200, nil},
		"writing":         {func(*simulation.Ticket) {}, "POST", "/v5/pins", 401, 3.0},
		"expired":         {func(k *simulation.Ticket) { k.Expires = w.Now() }, "GET", "/v5/boards", 401, 2.0},
		"a refresh token": {func(k *simulation.Ticket) { k.Kind = "refresh" }, "GET", "/v5/boards", 401, 2.0},
	} {
		t.Run(name, func(t *testing.T) {
			held := ticket
			tt.change(&held)
			response, reply := ask(h, tt.method, tt.path, held.Issue(), map[bool]string{true: body}[tt.method == http.MethodPost])
			if response.Code != tt.status || reply["code"] != tt.code {
				t.Errorf("%d %s, want %d", response.Code, response.Body, tt.status)
			}
		})
	}
}

func TestCallsAreUsedUpByCategory(t *testing.T) {
	h := New(newWorld())
	for n := range maxWrites {
		response, _ := ask(h, http.MethodPost, "/v5/media", "a", `{"media_type":"video"}`)
		if left := response.Header().Get("X-RateLimit-Remaining"); left != fmt.Sprint(maxWrites-1-n) {
			t.Fatalf("call %d: %d, %s left", n, response.Code, left)
		}
	}
	response, reply := ask(h, http.MethodPost, "/v5/media", "a", `{"media_type":"video"}`)
	if response.Code != http.StatusTooManyRequests || reply["code"] != 8.0 || response.Header().Get("X-RateLimit-Reset") != "61" {
		t.Errorf("%d %s, %v", response.Code, response.Body, response.Header())
	}
	for _, other := range []struct{ method, path, token, body string }{
		{http.MethodGet, "/v5/boards", "a", ""}, {http.MethodPost, "/v5/media", "b", `{"media_type":"video"}`},
	} {
		if response, _ := ask(h, other.method, other.path, other.token, other.body); response.Code/100 != 2 {
			t.Errorf("%+v is refused too: %d", other, response.Code)
		}
	}
	unlimited := NewUnlimited(newWorld())
	for range maxWrites + 1 {
		if response, _ := ask(unlimited, http.MethodPost, "/v5/media", "a", `{"media_type":"video"}`); response.Code != http.StatusCreated {
			t.Fatalf("without limits: %d %s", response.Code, response.Body)
		}
	}
}

// The storage takes a file with the fields that it was registered with, and no other.
func TestTheStorageTakesItsOwnForms(t *testing.T) {
	w := newWorld()
	h := New(w)
	_, registered := ask(h, http.MethodPost, "/v5/media", "a", `{"media_type":"video"}`)
	address, _ := registered["upload_url"].(string)
	fields, _ := registered["upload_parameters"].(map[string]any)
	form := func(without string) string {
		var body strings.Builder
		for name, value := range fields {
			if name != without {
				fmt.Fprintf(&body, "--x\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n", name, value)
			}
		}
		body.WriteString("--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom\r\n--x--\r\n")
		return body.String()
	}
	for name, tt := range map[string]struct {
		body, token string
		status      int
	}{
		"a field is missing": {form("policy"), "", http.StatusForbidden},
		"a token":            {form(""), "a", http.StatusForbidden},
		"no form":            {"x", "", http.StatusBadRequest},
		"as registered":      {form(""), "", http.StatusNoContent},
	} {
		t.Run(name, func(t *testing.T) {
			request := httptest.NewRequest(http.MethodPost, strings.TrimPrefix(address, simulationtest.Base), strings.NewReader(tt.body))
			request.Header.Set("Content-Type", "multipart/form-data; boundary=x")
			if tt.token != "" {
				request.Header.Set("Authorization", "Bearer "+tt.token)
			}
			response := httptest.NewRecorder()
			if h.ServeHTTP(response, request); response.Code != tt.status {
				t.Errorf("%d %s, want %d", response.Code, response.Body, tt.status)
			}
		})
	}
}

// What is no video cannot be processed.
func TestWhatIsNoVideoFails(t *testing.T) {
	for name, tt := range map[string]struct{ content, want string }{
		"MP4":       {"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom", "succeeded"},
		"QuickTime": {"\x00\x00\x00\x14ftypqt  \x00\x00\x02\x00qt  ", "succeeded"},
		"a picture": {"\x89PNG\x0D\x0A\x1A\x0A", "failed"},
		"a page":    {"<html>", "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &simulator{world: newWorld()}
			v := visit{account: s.world.Account("a")}
			u, err := s.world.PutUpload(simulation.Upload{Account: v.account.ID, CreatedAt: s.world.Now().Add(-time.Hour)})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.keepFile(u, strings.NewReader(tt.content)); err != nil {
				t.Fatal(err)
			}
			upload, _ := s.world.Upload(u.ID)
			upload.ReadyAt = s.world.Now()
			if _, err := s.world.PutUpload(upload); err != nil {
				t.Fatal(err)
			}
			if _, status, err := s.upload(v, u.ID); status != tt.want || err != nil {
				t.Errorf("status %s, %v; want %s", status, err, tt.want)
			}
		})
	}
}

func TestAPinIsShown(t *testing.T) {
	h := New(newWorld())
	board := Boards("a")[0]
	response, pin := ask(h, http.MethodPost, "/v5/pins", "a", `{"board_id":"`+board+`","title":"<b>hello",`+image+`}`)
	id, _ := pin["id"].(string)
	if response.Code != http.StatusCreated || id == "" || pin["board_id"] != board {
		t.Fatalf("%d %s", response.Code, response.Body)
	}
	if _, pin := ask(h, http.MethodGet, "/v5/pins/"+id, "a", ""); pin["title"] != "<b>hello" {
		t.Errorf("the pin is %v", pin)
	}
	if response, _ := ask(h, http.MethodGet, "/v5/pins/"+id, "b", ""); response.Code != http.StatusNotFound {
		t.Errorf("another is shown the pin: %d", response.Code)
	}
	if page, _ := ask(h, http.MethodGet, "/pin/"+id+"/", "", ""); page.Code != http.StatusOK || !strings.Contains(page.Body.String(), "&lt;b&gt;hello") {
		t.Errorf("%d %s", page.Code, page.Body)
	}
	if user, reply := ask(h, http.MethodGet, "/v5/user_account", "a", ""); user.Code != http.StatusOK || reply["username"] == "" {
		t.Errorf("%d %s", user.Code, user.Body)
	}
}
