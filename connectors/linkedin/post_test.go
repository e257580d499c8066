package linkedin

import (
	"encoding/json"
	"reflect"
	"testing"

	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// What arrives of each kind of post, as LinkedIn keeps it.
func TestKindsOfPosts(t *testing.T) {
	for name, tt := range map[string]struct {
		settings string
		media    []schema.Media
		want     string // the content, with * for what LinkedIn names
	}{
		"a text":    {"", nil, `null`},
		"an image":  {"", []schema.Media{picture}, `{"media": {"id": "*", "altText": "a square"}}`},
		"a video":   {`{"title": "A train"}`, []schema.Media{film}, `{"media": {"id": "*", "title": "A train", "altText": "a train arrives"}}`},
		"a paper":   {`{"title": "Report"}`, []schema.Media{paper}, `{"media": {"id": "*", "title": "Report"}}`},
		"no title":  {"", []schema.Media{paper}, `{"media": {"id": "*", "title": "Document"}}`},
		"images":    {"", []schema.Media{picture, picture}, `{"multiImage": {"images": [{"id": "*", "altText": "a square"}, {"id": "*", "altText": "a square"}]}}`},
		"a link":    {`{"article": {"source": "https://example.com/a", "title": "A", "description": "B"}}`, nil, `{"article": {"source": "https://example.com/a", "title": "A", "description": "B"}}`},
		"thumbnail": {`{"article": {"source": "https://example.com/a", "title": "A"}}`, []schema.Media{picture}, `{"article": {"source": "https://example.com/a", "title": "A", "thumbnail": "*"}}`},
		"a poll": {
			`{"poll": {"question": "Tea?", "options": ["yes", "no"]}}`, nil,
			`{"poll": {"question": "Tea?", "options": [{"text": "yes"}, {"text": "no"}], "settings": {"duration": "THREE_DAYS"}}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.delivery("look", tt.media...)
			d.Settings = json.RawMessage(tt.settings)
			r.publish(t, d)
			posts := r.World.Posts()
			if len(posts) != 1 || len(posts[0].Media) != len(tt.media) {
				t.Fatalf("posts %+v", posts)
			}
			stored := connectortest.FieldsOf[struct{ Content any }](t, posts[0])
			var want any
			if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
				t.Fatal(err)
			}
			if hideIDs(stored.Content); !reflect.DeepEqual(stored.Content, want) {
				t.Errorf("content %v, want %v", stored.Content, want)
			}
		})
	}
}

// hideIDs puts * in the place of what LinkedIn names.
func hideIDs(value any) {
	switch value := value.(type) {
	case map[string]any:
		for _, key := range []string{"id", "thumbnail"} {
			if _, ok := value[key]; ok {
				value[key] = "*"
			}
		}
		for _, inner := range value {
			hideIDs(inner)
		}
	case []any:
		for _, inner := range value {
			hideIDs(inner)
		}
	}
}

func TestSettingsOfAPost(t *testing.T) {
	r := newRig(t)
	d := r.delivery("look")
	d.Settings = json.RawMessage(`{"visibility": "LOGGED_IN", "feedDistribution": "NONE", "isReshareDisabledByAuthor": true}`)
	r.publish(t, d)
	post := connectortest.FieldsOf[newPost](t, r.World.Posts()[0])
	if post.Visibility != "LOGGED_IN" || post.Distribution.Feed != "NONE" || !post.NoReshares {
		t.Errorf("post %+v", post)
	}
}

// LinkedIn refuses what it has for some time: of the first call that is final, and of a later
// one it may be what the first has made.
func TestADuplicate(t *testing.T) {
	r := newRig(t)
	d := r.delivery("look")
	for attempts, want := range []schema.ErrorKind{schema.Refused, schema.Duplicate} {
		r.Inject(t, simulation.Fault{Operation: opCreatePost, Status: 422, Body: `{"message":"Content is a duplicate of urn:li:share:7","status":422}`})
		d.Attempts = attempts
		_, err := r.Publish(t.Context(), d)
		connectortest.WantKind(t, err, want)
	}
}

func TestCheckOfSettings(t *testing.T) {
	const question = `"question": "Tea?", `
	for name, tt := range map[string]struct {
		settings string
		media    []schema.Media
		want     []string // field and code
	}{
		"none":                          {``, nil, nil},
		"all":                           {`{"visibility": "CONNECTIONS", "feedDistribution": "MAIN_FEED", "isReshareDisabledByAuthor": false, "title": "t"}`, nil, nil},
		"another visibility":            {`{"visibility": "FRIENDS"}`, nil, []string{"visibility setting_invalid"}},
		"an article without a title":    {`{"article": {"source": "https://a.example"}}`, nil, []string{"article.title setting_required"}},
		"an article that leads nowhere": {`{"article": {"source": "javascript:1", "title": "t"}}`, nil, []string{"article.source setting_invalid"}},
		"an article and its image":      {`{"article": {"source": "https://a.example", "title": "t"}}`, []schema.Media{picture}, nil},
		"an article and a video":        {`{"article": {"source": "https://a.example", "title": "t"}}`, []schema.Media{film}, []string{"article setting_conflict"}},
		"a poll":                        {`{"poll": {` + question + `"options": ["a", "b"], "duration": "ONE_DAY"}}`, nil, nil},
		"a poll without a question":     {`{"poll": {"options": ["a", "b"]}}`, nil, []string{"poll.question setting_required"}},
		"a poll of one":                 {`{"poll": {` + question + `"options": ["a"]}}`, nil, []string{"poll.options setting_invalid"}},
		"a poll of five":                {`{"poll": {` + question + `"options": ["a", "b", "c", "d", "e"]}}`, nil, []string{"poll.options setting_invalid"}},
		"a poll of long options":        {`{"poll": {` + question + `"options": ["a", "0123456789012345678901234567890"]}}`, nil, []string{"poll.options[1] text_too_long"}},
		"a poll of a year":              {`{"poll": {` + question + `"options": ["a", "b"], "duration": "ONE_YEAR"}}`, nil, []string{"poll.duration setting_invalid"}},
		"a poll and a picture":          {`{"poll": {` + question + `"options": ["a", "b"]}}`, []schema.Media{picture}, []string{"poll setting_conflict"}},
		"what is not known":             {`{"colour": "red"}`, nil, []string{"colour setting_unknown"}},
	} {
		t.Run(name, func(t *testing.T) {
			connectortest.WantDetails(t, Constraints(), tt.media, tt.settings, tt.want...)
		})
	}
}

func TestMediaThatLinkedInDoesNotTake(t *testing.T) {
	r := newRig(t)
	for name, items := range map[string][]schema.Media{
		"too many pixels": {wall}, "a picture and a film": {picture, film}, "two papers": {paper, paper},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := r.Prepare(t.Context(), r.delivery("look", items...))
			connectortest.WantKind(t, err, schema.Refused)
			if len(r.Requests()) > 0 {
				t.Error("LinkedIn was called")
			}
		})
	}
}
