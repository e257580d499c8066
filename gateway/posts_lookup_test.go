package gateway_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"crier/schema"
)

func TestPostsAreLookedUpByTheirIDs(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	create := func(external string) string {
		return a.call(http.MethodPost, "/posts", fmt.Sprintf(`{"content": "x", "platforms": ["mastodon"], "status": "draft", "externalId": %q}`, external)).
			want(http.StatusCreated).at("post", "id").text()
	}
	first, second := create("look-1"), create("look-2")
	ids := func(body string) (found []string) {
		answer := a.call(http.MethodPost, "/posts/lookup", body).want(http.StatusOK)
		for i := range answer.at("posts").size() {
			found = append(found, answer.at("posts", i, "id").text())
		}
		return found
	}
	for body, want := range map[string][]string{
		`{"ids": ["` + second + `", "nonsense"], "externalIds": ["look-1", "look-3"]}`: {first, second},
		`{"ids": ["` + first + `"], "externalIds": ["look-1"]}`:                        {first},
		`{}`: nil,
	} {
		if got := ids(body); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s finds %v, want %v", body, got, want)
		}
	}
	for range 4 {
		create("often")
	}
	if got := ids(`{"externalIds": ["often"]}`); len(got) != 3 {
		t.Errorf("of five that share an id %v are found", got)
	}
	a.call(http.MethodPost, "/posts/lookup", `{"externalIds": [`+strings.Repeat(`"a",`, 999)+`"a"], "ids": ["`+first+`"]}`).fails(http.StatusBadRequest, "validation_error")
	a.call(http.MethodPost, "/posts/lookup", `{"externalIds": [7]}`).fails(http.StatusBadRequest, "validation_error")
}

func TestALookupAnswersWithAHundredPosts(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	var names []string
	for n := range 5 {
		var posts []string
		for i := range 25 {
			names = append(names, fmt.Sprintf(`"n-%d"`, n*25+i))
			posts = append(posts, `{"content": "x", "platforms": ["mastodon"], "status": "draft", "externalId": `+names[len(names)-1]+`}`)
		}
		a.call(http.MethodPost, "/posts/bulk", `{"posts": [`+strings.Join(posts, ",")+`]}`).want(http.StatusCreated)
	}
	got := a.call(http.MethodPost, "/posts/lookup", `{"externalIds": ["none", `+strings.Join(names, ",")+`]}`).want(http.StatusOK)
	if found, rest := got.at("posts").size(), got.at("rest", "externalIds").size(); found != 100 || rest != 25 || got.at("rest", "externalIds", 0).text() != "n-100" {
		t.Errorf("%d posts are found, and %d more, want 100 and 25", found, rest)
	}
}

func TestAChangeIsJudgedAndNotMade(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	id := a.call(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], "status": "draft"}`).want(http.StatusCreated).at("post", "id").text()
	if got := a.call(http.MethodPatch, "/posts/"+id, `{"content": "y", "dryRun": true}`).want(http.StatusOK).at("post", "content").text(); got != "y" {
		t.Errorf("the post would have the text %q", got)
	}
	a.call(http.MethodPatch, "/posts/"+id, `{"content": "`+strings.Repeat("y", 501)+`", "dryRun": true}`).fails(http.StatusBadRequest, "validation_error")
	if got := a.call(http.MethodPatch, "/posts/"+id, `{"dryRun": true}`).want(http.StatusOK).at("post", "content").text(); got != "x" {
		t.Errorf("without a change the post would have the text %q", got)
	}
	if got := a.call(http.MethodGet, "/posts/"+id, nil).want(http.StatusOK).at("post", "content").text(); got != "x" {
		t.Errorf("the post has the text %q", got)
	}
}
