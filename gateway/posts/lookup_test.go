package posts_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"crier/gateway/gatewaytest"
	"crier/schema"
)

func TestPostsAreLookedUpByTheirIDs(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	create := func(external string) string {
		return a.Request(http.MethodPost, "/posts", fmt.Sprintf(`{"content": "x", "platforms": ["mastodon"], "status": "draft", "externalId": %q}`, external)).
			Want(http.StatusCreated).At("post", "id").Text()
	}
	first, second := create("look-1"), create("look-2")
	ids := func(body string) (found []string) {
		answer := a.Request(http.MethodPost, "/posts/lookup", body).Want(http.StatusOK)
		for i := range answer.At("posts").Len() {
			found = append(found, answer.At("posts", i, "id").Text())
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
	a.Request(http.MethodPost, "/posts/lookup", `{"externalIds": [`+strings.Repeat(`"a",`, 999)+`"a"], "ids": ["`+first+`"]}`).WantError(http.StatusBadRequest, "validation_error")
	a.Request(http.MethodPost, "/posts/lookup", `{"externalIds": [7]}`).WantError(http.StatusBadRequest, "validation_error")
}

func TestALookupAnswersWithAHundredPosts(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	var names []string
	for n := range 5 {
		var posts []string
		for i := range 25 {
			names = append(names, fmt.Sprintf(`"n-%d"`, n*25+i))
			posts = append(posts, `{"content": "x", "platforms": ["mastodon"], "status": "draft", "externalId": `+names[len(names)-1]+`}`)
		}
		a.Request(http.MethodPost, "/posts/bulk", `{"posts": [`+strings.Join(posts, ",")+`]}`).Want(http.StatusCreated)
	}
	got := a.Request(http.MethodPost, "/posts/lookup", `{"externalIds": ["none", `+strings.Join(names, ",")+`]}`).Want(http.StatusOK)
	if found, rest := got.At("posts").Len(), got.At("rest", "externalIds").Len(); found != 100 || rest != 25 || got.At("rest", "externalIds", 0).Text() != "n-100" {
		t.Errorf("%d posts are found, and %d more, want 100 and 25", found, rest)
	}
}

func TestAChangeIsJudgedAndNotMade(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	id := a.Request(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], "status": "draft"}`).Want(http.StatusCreated).At("post", "id").Text()
	if got := a.Request(http.MethodPatch, "/posts/"+id, `{"content": "y", "dryRun": true}`).Want(http.StatusOK).At("post", "content").Text(); got != "y" {
		t.Errorf("the post would have the text %q", got)
	}
	a.Request(http.MethodPatch, "/posts/"+id, `{"content": "`+strings.Repeat("y", 501)+`", "dryRun": true}`).WantError(http.StatusBadRequest, "validation_error")
	if got := a.Request(http.MethodPatch, "/posts/"+id, `{"dryRun": true}`).Want(http.StatusOK).At("post", "content").Text(); got != "x" {
		t.Errorf("without a change the post would have the text %q", got)
	}
	if got := a.Request(http.MethodGet, "/posts/"+id, nil).Want(http.StatusOK).At("post", "content").Text(); got != "x" {
		t.Errorf("the post has the text %q", got)
	}
}
