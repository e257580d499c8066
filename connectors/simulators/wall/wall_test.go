package wall_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/wall"
	"crier/schema"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// rig is the wall of one workspace on one platform, and of a neighbour.
type rig struct {
	*testing.T
	addresses       wall.Addresses
	mine, neighbour schema.WorkspaceID
	world           *simulation.World
	handler         http.Handler
}

func newRig(t *testing.T) *rig {
	t.Helper()
	gallery, err := simulation.OpenGallery(t.TempDir(), simulation.UsualRoom())
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{T: t, addresses: wall.NewAddresses([]byte("secret"))}
	r.mine, r.neighbour = schema.NewID[schema.WorkspaceID](noon), schema.NewID[schema.WorkspaceID](noon)
	r.world = simulation.NewWorld(simulation.Config{Platform: schema.Mastodon, Label: "Mastodon", Now: func() time.Time { return noon }, Gallery: gallery})
	r.world.Handler(http.NotFoundHandler(), simulation.Dialect{Show: func(p simulation.Post) simulation.View {
		return simulation.View{By: "@" + p.Account, NativeID: "urn:" + p.ID, Text: p.Text, Spoiler: string(p.Fields)}
	}})
	r.handler = wall.Handler(r.addresses, []*simulation.World{r.world})
	return r
}

func (r *rig) add(p simulation.Post) simulation.Post {
	r.Helper()
	if p.Workspace.IsZero() {
		p.Workspace = r.mine
	}
	p.Account = "news"
	stored, _, err := r.world.Add(p)
	if err != nil {
		r.Fatal(err)
	}
	return stored
}

// get reads a page of the workspace's own wall.
func (r *rig) get(path string) *httptest.ResponseRecorder {
	return r.from(r.addresses.Of(r.mine), path)
}

func (r *rig) from(address, path string) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	r.handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, wall.Path+address+"/"+path, nil))
	return recorder
}

func (r *rig) want(path string, parts ...string) string {
	r.Helper()
	response := r.get(path)
	body := response.Body.String()
	if response.Code != http.StatusOK {
		r.Fatalf("%s: %d %s", path, response.Code, body)
	}
	for _, part := range parts {
		if !strings.Contains(body, part) {
			r.Errorf("%s does not show %s:\n%s", path, part, body)
		}
	}
	return body
}

func TestAnAddressIsOfOneWorkspace(t *testing.T) {
	a := wall.NewAddresses([]byte("secret"))
	w, other := schema.NewID[schema.WorkspaceID](noon), schema.NewID[schema.WorkspaceID](noon)
	address := a.Of(w)
	if got, ok := a.Workspace(address); !ok || got != w {
		t.Errorf("Workspace = %v, %t; want %v", got, ok, w)
	}
	for i := range address {
		changed := []byte(address)
		if changed[i] = 'A'; address[i] == 'A' {
			changed[i] = 'B'
		}
		if got, ok := a.Workspace(string(changed)); ok {
			t.Errorf("%s is an address too, of %v", changed, got)
		}
	}
	half := len(address) * 16 / 36 // another's id with this one's MAC
	for name, wrong := range map[string]string{
		"nothing": "", "too short": address[:len(address)-4], "too long": address + "AAAA", "no base64": strings.Repeat("!", len(address)),
		"another's id": a.Of(other)[:half] + address[half:], "another secret": wall.NewAddresses([]byte("other")).Of(w),
	} {
		if _, ok := a.Workspace(wrong); ok {
			t.Errorf("%s is an address", name)
		}
	}
}

func TestAWallIsItsWorkspacesAlone(t *testing.T) {
	r := newRig(t)
	content := r.world.NewContent()
	if _, _, err := r.world.Receive(content, 0, strings.NewReader("GIF89a of somebody")); err != nil {
		t.Fatal(err)
	}
	secret := r.add(simulation.Post{Workspace: r.neighbour, Text: "of the neighbour", Media: []simulation.Media{{Type: "image/gif", Content: content}}})
	r.add(simulation.Post{Text: "of mine"})
	if body := r.want("mastodon", "of mine"); strings.Contains(body, "neighbour") {
		t.Error("the wall shows a neighbour's post")
	}
	if body := r.want("", "of mine", `Mastodon <span class="muted">1</span>`); strings.Contains(body, "neighbour") {
		t.Error("the stream of all platforms shows a neighbour's post")
	}
	of := r.addresses.Of(r.neighbour)
	if response := r.from(of, "mastodon?post="+secret.ID); response.Code != http.StatusOK {
		t.Errorf("its owner gets %d", response.Code)
	}
	if response := r.from(of, "mastodon/0/0"); response.Code != http.StatusOK || response.Body.String() != "GIF89a of somebody" {
		t.Errorf("its owner gets %d %s", response.Code, response.Body)
	}
	for _, path := range []string{
		"mastodon?post=" + secret.ID, "mastodon/0/0", "mastodon/0/1", "mastodon/9/0", "mastodon/-1/0", "mastodon/x/0", "bluesky", "mastodon/0",
	} {
		if response := r.get(path); response.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, response.Code)
		}
	}
	for _, address := range []string{"x", of[1:] + of[:1] + "_", r.mine.String()} {
		if response := r.from(address, "mastodon"); response.Code != http.StatusNotFound {
			t.Errorf("address %q: %d", address, response.Code)
		}
	}
}

func TestAThreadIsShownAsOne(t *testing.T) {
	r := newRig(t)
	root := r.add(simulation.Post{Text: "the first"})
	second := r.add(simulation.Post{Text: "the second", ReplyTo: root.ID})
	r.add(simulation.Post{Text: "the third", ReplyTo: "urn:" + second.ID}) // as some platforms name it
	r.add(simulation.Post{Text: "somewhere else", ReplyTo: "1"})
	body := r.want("mastodon", "an answer to a post elsewhere")
	if n := strings.Count(body, `<section class="card thread">`); n != 2 {
		t.Errorf("%d threads, want 2", n)
	}
	if first, third := strings.Index(body, "the first"), strings.Index(body, "the third"); first < 0 || third < first {
		t.Errorf("the third is at %d, the first at %d", third, first)
	}
	alone := r.want("mastodon?post="+url.QueryEscape("urn:"+second.ID), "the first", "the second", "the third", `<article id="mastodon-1" class="marked">`)
	if strings.Contains(alone, "somewhere else") {
		t.Error("the thread's page shows what is not of it")
	}
}

func TestAllPlatformsAreOneStream(t *testing.T) {
	r := newRig(t)
	other := simulation.NewWorld(simulation.Config{Platform: schema.Bluesky, Label: "Bluesky", Now: func() time.Time { return noon }})
	r.handler = wall.Handler(r.addresses, []*simulation.World{r.world, other})
	for i := range 150 {
		at := noon.Add(time.Duration(i) * time.Minute)
		r.add(simulation.Post{Text: fmt.Sprintf("number %d on one.", i), CreatedAt: at})
		if _, _, err := other.Add(simulation.Post{Account: "news", Workspace: r.mine, Text: fmt.Sprintf("number %d on the other.", i), CreatedAt: at.Add(time.Second)}); err != nil {
			t.Fatal(err)
		}
	}
	body := r.want("", "number 149 on one.", "number 149 on the other.", "number 50 on one.", `href="bluesky?post=`)
	if strings.Index(body, "number 149 on the other.") > strings.Index(body, "number 149 on one.") || strings.Contains(body, "number 49 on the other.") {
		t.Error("the stream has not the newest first, or more than fit")
	}
	next := regexp.MustCompile(`rel="next" href="(\?before=[^"]+)"`).FindStringSubmatch(body)
	if next == nil {
		t.Fatal("the stream leads no further")
	}
	rest := r.want(html.UnescapeString(next[1]), "number 49 on the other.", "number 0 on one.")
	if strings.Contains(rest, "number 50 on one.") || strings.Contains(rest, `rel="next"`) {
		t.Error("the stream's end shows what the page before did, or leads on")
	}
}

func TestWhatPeopleSayIsUnderWhatTheyAnswer(t *testing.T) {
	r := newRig(t)
	r.world.Quiet()
	root := r.add(simulation.Post{Text: "the post"})
	question := r.world.Say(simulation.Remark{Account: "news", Under: root.ID, Text: "When do you open?"})
	r.world.Say(simulation.Remark{Account: "news", Under: root.ID, Answers: question.ID, Text: "I wonder as well."})
	r.add(simulation.Post{Text: "At seven.", ReplyTo: "urn:li:comment:(urn:li:activity:1," + question.ID + ")"})
	for _, path := range []string{"", "mastodon"} {
		body := r.want(path, "When do you open?", "I wonder as well.", question.By.Name)
		if n := strings.Count(body, `<section class="card thread">`); n != 1 || strings.Contains(body, "elsewhere") {
			t.Errorf("%q: %d threads: %s", path, n, body)
		}
		if answer := strings.Index(body, "At seven."); answer < strings.Index(body, "When do you open?") {
			t.Errorf("the answer is at %d, before the question", answer)
		}
	}
}

func TestPagesAreBounded(t *testing.T) {
	r := newRig(t)
	for i := range 450 {
		r.add(simulation.Post{Text: fmt.Sprintf("number %d.", i)})
	}
	counts := map[int]int{}
	path := "mastodon"
	for pages := 1; ; pages++ {
		body := r.want(path)
		counts[pages] = strings.Count(body, "<article")
		next := regexp.MustCompile(`rel="next" href="(\?below=\d+)"`).FindStringSubmatch(body)
		if next == nil {
			break
		}
		path = "mastodon" + next[1]
	}
	if counts[1] != 200 || counts[2] != 200 || counts[3] != 50 || len(counts) != 3 {
		t.Errorf("posts by page: %v", counts)
	}
	r.want("mastodon", "number 449.")
	r.want(path, "number 0.")

	root := r.add(simulation.Post{Text: "a long thread"})
	for range 700 {
		r.add(simulation.Post{Text: "an answer", ReplyTo: root.ID})
	}
	if n := strings.Count(r.want("mastodon"), "<article"); n != 600 {
		t.Errorf("%d posts on a page", n)
	}
}

func TestWhatPeopleWroteIsTextAlone(t *testing.T) {
	r := newRig(t)
	evil := `</p></style><script>alert(1)</script><img src=x onerror=alert(1)>" onload="x`
	content := r.world.NewContent()
	if _, _, err := r.world.Receive(content, 0, strings.NewReader("<script>alert(1)</script>")); err != nil {
		t.Fatal(err)
	}
	r.add(simulation.Post{Text: evil + " javascript:alert(1) https://a.example/?q=%22\"><script> and https://b.example.", Fields: []byte(evil), Media: []simulation.Media{
		{Type: "image/png", Content: content, AltText: evil}, {Type: "text/html", Content: content, AltText: evil}, {Type: evil, AltText: evil},
	}})
	body := r.want("mastodon", `href="https://b.example"`, "not kept")
	for _, forbidden := range []string{"<script", "<img src=x", `onload="`, `href="javascript`} {
		if strings.Contains(body, forbidden) {
			t.Errorf("the page has %s:\n%s", forbidden, body)
		}
	}
	response := r.get("mastodon")
	policy := response.Header().Get("Content-Security-Policy")
	style := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindStringSubmatch(body)[1]
	sum := sha256.Sum256([]byte(style))
	for _, part := range []string{"default-src 'none'", "base-uri 'none'", "form-action 'none'", "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("the policy %q has no %s", policy, part)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "script-src") || strings.Contains(body, " style=") {
		t.Errorf("the policy lets in more than it must: %q", policy)
	}
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"} {
		if got := response.Header().Get(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	for path, want := range map[string]string{"mastodon/0/0": "image/png", "mastodon/0/1": "application/octet-stream"} {
		file := r.get(path)
		if got := file.Header(); got.Get("Content-Type") != want || got.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.Contains(got.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%s: %v", path, got)
		}
	}
	if got := r.get("mastodon/0/1").Header().Get("Content-Disposition"); !strings.HasPrefix(got, "attachment") {
		t.Errorf("a page within a page: %q", got)
	}
}
