package facebook

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// What arrives of each kind of post, as Facebook keeps it.
func TestKindsOfPosts(t *testing.T) {
	for name, tt := range map[string]struct {
		settings string
		media    []schema.Media
		fields   string
		text     string
		address  string // the end of it, with * for the id; empty: none
	}{
		"a text":             {"", nil, `{"kind":"post"}`, "look", "/*"},
		"a link":             {`{"link": "https://example.com/a", "place": "12"}`, nil, `{"kind":"post","link":"https://example.com/a","place":"12"}`, "look", "/*"},
		"a photo":            {"", []schema.Media{picture}, `{"kind":"post"}`, "look", "/*"},
		"a video":            {`{"title": "A train"}`, []schema.Media{film}, `{"kind":"video","title":"A train"}`, "look", "/watch/?v=*"},
		"a reel":             {`{"mediaType": "REELS", "place": "12"}`, []schema.Media{upright}, `{"kind":"reel","place":"12"}`, "look", "/reel/*/"},
		"a story of a video": {`{"mediaType": "STORIES"}`, []schema.Media{upright}, `{"kind":"story"}`, "look", ""},
		"a story of a photo": {`{"mediaType": "STORIES"}`, []schema.Media{picture}, `{"kind":"story"}`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			receipt := r.publish(t, r.deliveryOf(tt.settings, tt.media...))
			posts := r.World.Posts()
			if len(posts) != 1 || string(posts[0].Fields) != tt.fields || posts[0].Text != tt.text || len(posts[0].Media) != len(tt.media) {
				t.Fatalf("posts %+v, fields %s", posts, posts[0].Fields)
			}
			want := ""
			if tt.address != "" {
				want = r.Base + strings.Replace(tt.address, "*", receipt.NativeID, 1)
			}
			if receipt.URL != want || !strings.HasSuffix(receipt.NativeID, posts[0].ID) {
				t.Errorf("receipt %+v, want the address %s", receipt, want)
			}
			if len(tt.media) == 1 && tt.media[0].URL == "picture" && posts[0].Media[0].AltText != "a square" {
				t.Errorf("media %+v", posts[0].Media)
			}
		})
	}
}

// What Facebook has already is final of the first call; of a later one it may be what the
// first has made.
func TestADuplicate(t *testing.T) {
	r := newRig(t)
	d := r.delivery("look")
	comment := d
	comment.Receipts, comment.Comment = []schema.Receipt{r.publish(t, d)}, &schema.Comment{Text: "first"}
	for operation, call := range map[string]func(attempts int) error{
		"POST /{version}/{page}/feed": func(attempts int) error {
			d.Attempts = attempts
			_, err := r.Publish(t.Context(), d)
			return err
		},
		"POST /{version}/{node}/comments": func(attempts int) error {
			comment.Attempts = attempts
			_, err := r.Comment(t.Context(), comment)
			return err
		},
	} {
		for attempts, want := range []schema.ErrorKind{schema.Refused, schema.Duplicate} {
			r.Inject(t, simulation.Fault{Operation: operation, Status: 400, Body: `{"error":{"message":"(#506) Duplicate status message","code":506}}`})
			connectortest.WantKind(t, call(attempts), want)
		}
	}
}

func TestCheckOfSettings(t *testing.T) {
	for name, tt := range map[string]struct {
		settings string
		media    []schema.Media
		want     []string // field and code
	}{
		"none":                 {``, nil, nil},
		"all of a post":        {`{"mediaType": "FEED", "link": "https://a.example", "place": "1"}`, nil, nil},
		"another kind":         {`{"mediaType": "NOTE"}`, nil, []string{"mediaType setting_invalid"}},
		"a link that is none":  {`{"link": "javascript:1"}`, nil, []string{"link setting_invalid"}},
		"a link and a photo":   {`{"link": "https://a.example"}`, []schema.Media{picture}, []string{"link setting_conflict"}},
		"a place that is none": {`{"place": "Paris"}`, nil, []string{"place setting_invalid"}},
		"a reel":               {`{"mediaType": "REELS"}`, []schema.Media{upright}, nil},
		"a reel of a photo":    {`{"mediaType": "REELS"}`, []schema.Media{picture}, []string{"mediaType setting_conflict"}},
		"a reel of nothing":    {`{"mediaType": "REELS"}`, nil, []string{"mediaType setting_conflict"}},
		"a story":              {`{"mediaType": "STORIES"}`, []schema.Media{picture}, nil},
		"a story of two":       {`{"mediaType": "STORIES"}`, []schema.Media{picture, picture}, []string{"mediaType setting_conflict"}},
		"what is not known":    {`{"colour": "red"}`, nil, []string{"colour setting_unknown"}},
	} {
		t.Run(name, func(t *testing.T) {
			connectortest.WantDetails(t, Constraints(), tt.media, tt.settings, tt.want...)
		})
	}
}

func TestMediaThatFacebookDoesNotTake(t *testing.T) {
	for name, tt := range map[string]struct {
		settings string
		media    []schema.Media
	}{
		"a photo and a video": {"", []schema.Media{picture, film}},
		"a reel on its side":  {`{"mediaType": "REELS"}`, []schema.Media{film}},
		"a reel of minutes":   {`{"mediaType": "REELS"}`, []schema.Media{epic}},
		"a story of minutes":  {`{"mediaType": "STORIES"}`, []schema.Media{epic}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			_, err := r.Prepare(t.Context(), r.deliveryOf(tt.settings, tt.media...))
			connectortest.WantKind(t, err, schema.Refused)
			if len(r.Requests()) > 0 {
				t.Error("Facebook was called")
			}
		})
	}
}

func TestCheckNamesThePage(t *testing.T) {
	r := newRig(t)
	profile, err := r.Check(t.Context(), schema.Account{}, schema.Credentials{AccessToken: token})
	if err != nil || profile.NativeID != r.World.Account(token).ID || !strings.HasPrefix(profile.Name, "Page ") || !profile.ExpiresAt.IsZero() {
		t.Errorf("profile %+v, %v", profile, err)
	}
	_, err = r.Check(t.Context(), schema.Account{}, schema.Credentials{AccessToken: "user-anna"})
	connectortest.WantKind(t, err, schema.Refused) // a person's token
}

func TestAStoryTakesNoComment(t *testing.T) {
	r := newRig(t)
	d := r.deliveryOf(`{"mediaType": "STORIES"}`, picture)
	d.Receipts, d.Comment = []schema.Receipt{r.publish(t, d)}, &schema.Comment{Text: "first"}
	_, err := r.Comment(t.Context(), d)
	connectortest.WantKind(t, err, schema.Refused)
}

// Once a page's calls are used up, the next are left out until there is room.
func TestUsageIsObeyed(t *testing.T) {
	r := newRig(t)
	r.Inject(t, simulation.Fault{
		Operation: "GET /{version}/me", Status: http.StatusOK, Body: `{"id":"1","name":"a","category":"b"}`,
		Header: map[string]string{"X-Business-Use-Case-Usage": `{"1":[{"type":"pages","call_count":100,"estimated_time_to_regain_access":9}]}`},
	})
	d := r.delivery("look")
	if _, err := r.Check(t.Context(), d.Account, d.Credentials); err != nil {
		t.Fatal(err)
	}
	_, err := r.Publish(t.Context(), d)
	if e := connectortest.WantKind(t, err, schema.RateLimited); e.RetryAfter < 8*time.Minute {
		t.Errorf("RetryAfter = %v", e.RetryAfter)
	}
	r.Pass(10 * time.Minute)
	if _, err := r.Publish(t.Context(), d); err != nil {
		t.Error(err)
	}
}

// A token that may not comment publishes all the same.
func TestACommentWithoutItsPermission(t *testing.T) {
	r := newRig(t)
	d := r.delivery("look")
	d.Receipts, d.Comment = []schema.Receipt{r.publish(t, d)}, &schema.Comment{Text: "first"}
	r.Inject(t, simulation.Fault{
		Operation: "POST /{version}/{node}/comments", Status: http.StatusForbidden, Body: `{"error":{"message":"(#200) pages_manage_engagement","code":200}}`,
	})
	_, err := r.Comment(t.Context(), d)
	connectortest.WantKind(t, err, schema.Refused)
}
