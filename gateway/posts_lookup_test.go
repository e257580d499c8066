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
	a.call(http.MethodPost, "/posts/lookup", `{"externalIds": [`+strings.Repeat(`"a",`, 99)+`"a"], "ids": ["`+first+`"]}`).fails(http.StatusBadRequest, "validation_error")
	a.call(http.MethodPost, "/posts/lookup", `{"externalIds": [7]}`).fails(http.StatusBadRequest, "validation_error")
}
