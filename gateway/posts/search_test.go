package posts_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"crier/gateway/gatewaytest"
	"crier/schema"
)

// TestPostsAreFoundByTheirWords searches drafts, scheduled posts and history.
func TestPostsAreFoundByTheirWords(t *testing.T) {
	a := gatewaytest.New(t)
	mastodon := a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	a.AddAccount(a.Workspace, schema.YouTube, "a")
	a.AddAccount(a.Workspace, schema.Bluesky, "a.bsky.social")
	_, brand := inBrand(a, schema.Threads, "brand", "Brand")
	for name, body := range map[string]string{
		"cafe":     `{"content": "Le Café du port ouvre", "platforms": ["mastodon"], "status": "draft"}`,
		"japanese": `{"content": "本日新発売のコーヒーです", "platforms": ["mastodon"], "status": "draft"}`,
		"chinese":  `{"content": "我们的新咖啡店今天开业", "platforms": ["mastodon"], ` + a.InAnHour() + `}`,
		"video":    `{"content": "x", "platforms": ["youtube"], "status": "draft", "mediaItems": [{"type": "video", "url": "https://media.example/a.mp4"}], "platformSettings": {"youtube": {"title": "How to brew"}}}`,
		"settings": `{"content": "x", "platforms": ["bluesky"], "status": "draft", "platformSettings": {"bluesky": {"content": "Überraschung"}}}`,
		"target":   fmt.Sprintf(`{"content": "x", "platforms": [{"platform": "mastodon", "accountId": %q, "content": "Only for the fediverse"}], "status": "draft"}`, mastodon),
		"comment":  `{"content": "x", "platforms": ["mastodon"], "status": "draft", "firstComment": "Recipe below"}`,
		"brand":    `{"content": "Café with friends", "platforms": ["threads"], "brandId": "` + brand + `", "status": "draft"}`,
		"quoted":   `{"content": "a<b & \"c\"", "platforms": ["mastodon"], "status": "draft"}`,
	} {
		named := strings.TrimSuffix(body, "}") + fmt.Sprintf(`, "externalId": %q}`, name)
		a.Request(http.MethodPost, "/posts", named).Want(http.StatusCreated)
	}
	a.Request(http.MethodPost, "/threads", `{"title": "Harbour stories", "posts": [{"content": "One"}, {"content": "The lighthouse"}], "platforms": ["mastodon"], "status": "draft", "externalId": "thread"}`).Want(http.StatusCreated)
	_, other := a.CreateWorkspace("other", "operator", schema.Read)
	for query, want := range map[string]string{
		"q=cafe":                       "brand cafe",
		"q=CAFÉ":                       "brand cafe",
		"q=cafe+port":                  "cafe",
		"q=cafe&status=scheduled":      "",
		"q=cafe&brandId=" + brand:      "brand",
		"q=cafe&platform=mastodon":     "cafe",
		"q=afe":                        "",
		"q=コーヒー":                       "japanese",
		"q=ｺｰﾋｰ":                       "japanese",
		"q=咖啡":                         "chinese",
		"q=咖啡&status=scheduled":        "chinese",
		"q=茶":                          "",
		"q=brew":                       "video",
		"q=uberraschung":               "settings",
		"q=fediverse":                  "target",
		"q=recipe":                     "comment",
		"q=harbour":                    "thread",
		"q=lighthouse&sort=-createdAt": "thread",
		"q=" + url.QueryEscape(`a<b`):  "quoted",
		"q=externalId":                 "",
		"q=stories+lighthouse&limit=1": "thread",
		"q=cafe&before=2020-01-01":     "",
		"q=咖啡&after=" + a.In(-time.Hour)[:10]: "chinese",
	} {
		found := a.Request(http.MethodGet, "/posts?"+query, nil).Want(http.StatusOK)
		var names []string
		for i := range found.At("posts").Len() {
			names = append(names, found.At("posts", i, "externalId").Text())
		}
		if want == "brand cafe" && strings.Join(names, " ") == "cafe brand" {
			continue // they are made in any order
		}
		if strings.Join(names, " ") != want || found.Has("truncated") || found.At("pagination").Has("atLeast") {
			t.Errorf("%s finds %v, want %q; %v", query, names, want, found.At("pagination"))
		}
		if others := a.RequestWith(other, http.MethodGet, "/posts?q=cafe", nil).Want(http.StatusOK); others.At("posts").Len() > 0 {
			t.Error("another workspace finds a post")
		}
	}
	for name, query := range map[string]string{
		"nothing": "q=", "blanks": "q=++", "no letters": "q=%21", "too long": "q=" + strings.Repeat("a", 101), "too many words": "q=" + strings.Repeat("a+", 11),
		"another order": "q=a&sort=scheduledFor", "changes": "q=a&updatedAfter=2020-01-01", "metadata": "q=a&metadata.a=b", "a page": "q=a&page=2", "twice": "q=a&q=b",
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			a.Request(http.MethodGet, "/posts?"+query, nil).WantError(http.StatusBadRequest, "validation_error")
		})
	}
}

// TestASearchIsBounded pages through more posts than one search reads, in both tables.
func TestASearchIsBounded(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	first := a.Request(http.MethodPost, "/posts", `{"content": "The first harbour", "platforms": ["mastodon"], "status": "draft"}`).Want(http.StatusCreated).At("post", "id").Text()
	a.Exec(`insert into posts (id, workspace_id, status, timezone, from_api, platforms, content, left_n, created_at, updated_at)
		select uuidv7(make_interval(secs => n)), workspace_id, status, timezone, from_api, platforms,
			json_build_object('entries', json_build_array(json_build_object('text', case when n % 3500 = 0 then 'Harbour ' else 'Forest ' end || n))), left_n, created_at, updated_at
		from posts, generate_series(1, 7000) n`)
	next, searches, found := "", 0, []string{}
	for {
		page := a.Request(http.MethodGet, "/posts?q=harbour&limit=1"+next, nil).Want(http.StatusOK)
		for i := range page.At("posts").Len() {
			found = append(found, page.At("posts", i, "content").Text())
		}
		searches++
		if page.At("pagination", "hasMore").Value != true {
			break
		}
		next = "&cursor=" + page.At("pagination", "nextCursor").Text()
		if page.At("truncated").Value == true && page.At("posts").Len() == 1 && len(found) < 2 {
			t.Errorf("a page that is full is truncated: %v", page.At("pagination"))
		}
	}
	if got := strings.Join(found, ", "); got != "Harbour 7000, Harbour 3500, The first harbour" || searches > 5 {
		t.Errorf("found %s by %d searches; the first is %s", got, searches, first)
	}
	page := a.Request(http.MethodGet, "/posts?q=nowhere", nil).Want(http.StatusOK)
	if page.At("truncated").Value != true || page.At("pagination", "hasMore").Value != true || page.At("pagination", "atLeast").Value != true || page.At("posts").Len() != 0 {
		t.Errorf("a search for what is not there: %v", page)
	}
	page = a.Request(http.MethodGet, "/posts?q=nowhere&cursor="+page.At("pagination", "nextCursor").Text(), nil).Want(http.StatusOK)
	if page.Has("truncated") || page.At("pagination", "hasMore").Value != false || page.At("pagination", "atLeast").Value != true {
		t.Errorf("its second half: %v", page)
	}
}
