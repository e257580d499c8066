package mastodon

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"crier/connectors/simulators/connectortest"
	simulator "crier/connectors/simulators/mastodon"
	"crier/connectors/simulators/simulation"
	"crier/schema"
	"crier/schema/validation"
)

// allowance is what the servers of these tests were told to take.
func allowance() simulator.Allowance {
	a := simulator.Usual()
	a.Text, a.Address, a.Media, a.AltText, a.ImageBytes, a.PollOptions, a.PollOption = 5000, 30, 2, 10, 10, 6, 60
	a.Types = []string{"image/png", "video/mp4"}
	return a
}

// connected is the account as it is stored once it was checked.
func (r *rig) connected(t *testing.T) schema.Account {
	t.Helper()
	profile, err := r.Check(t.Context(), schema.Account{Platform: schema.Mastodon}, schema.Credentials{AccessToken: token})
	if err != nil {
		t.Fatal(err)
	}
	return schema.Account{ID: schema.AccountID{1}, Platform: schema.Mastodon, NativeID: profile.NativeID, Server: profile.Server, Settings: profile.Settings}
}

func TestAnAccountHasItsServersLimits(t *testing.T) {
	r := newRig(t)
	simulator.Allow(r.World, allowance())
	a := r.connected(t)
	if l, known := limitsOf(a); !known || l.Text != 5000 || l.URL != 30 || l.VideoBytes != usualLimits().VideoBytes {
		t.Fatalf("limits %+v of %s", l, a.Settings)
	}
	at := " (" + strings.TrimPrefix(r.Base, "http://") + ") "
	png := &schema.MediaFacts{Kind: schema.Image, Type: "image/png", Size: 10, Width: 1, Height: 1}
	item := schema.Media{Kind: schema.Image, URL: "https://example.com/a", Facts: png}
	for name, tt := range map[string]struct {
		text     string
		media    []schema.Media
		settings string
		comment  string
		want     string // what is found; empty: nothing
	}{
		"as long as the server takes":   {text: strings.Repeat("x", 5000)},
		"longer":                        {text: strings.Repeat("x", 5001), want: "mastodon" + at + "takes at most 5000 characters, the text has 5001"},
		"a URL counts as there":         {text: strings.Repeat("x", 4970) + " https://example.com", want: "the text has 5001"},
		"more media":                    {media: []schema.Media{item, item, item}, want: "mastodon" + at + "takes at most 2 media items, there are 3"},
		"a larger picture":              {media: []schema.Media{{Kind: schema.Image, URL: "u", Facts: &schema.MediaFacts{Kind: schema.Image, Type: "image/png", Size: 11}}}, want: "of at most 10 bytes, this one has 11"},
		"of another type":               {media: []schema.Media{{Kind: schema.Image, URL: "u", Facts: &schema.MediaFacts{Kind: schema.Image, Type: "image/jpeg", Size: 1}}}, want: "takes images of image/png, not image/jpeg"},
		"a kind that it does not take":  {media: []schema.Media{{Kind: schema.GIF, URL: "u", Facts: &schema.MediaFacts{Kind: schema.GIF, Type: "image/gif", Size: 1}}}, want: "takes image or video, not image/gif"},
		"a longer alternative text":     {media: []schema.Media{{Kind: schema.Image, URL: "u", Facts: png, AltText: "eleven char"}}, want: "takes alternative texts of at most 10 characters, this one has 11"},
		"a poll of more options":        {text: "?", settings: `{"poll":{"options":["a","b","c","d","e","f"],"expiresIn":300}}`},
		"of more than the server takes": {text: "?", settings: `{"poll":{"options":["a","b","c","d","e","f","g"],"expiresIn":300}}`, want: "2 to 6 options are wanted, not 7"},
		"a longer warning":              {text: "x", settings: `{"spoilerText":"` + strings.Repeat("x", 5001) + `"}`, want: "at most 5000 characters are allowed"},
		"a text and its warning":        {text: strings.Repeat("x", 4990), settings: `{"spoilerText":"01234567890"}`, want: "the text with its content warning has 5001"},
		"a comment and its warning":     {text: "x", settings: `{"spoilerText":"01234567890"}`, comment: strings.Repeat("x", 4990), want: "this one with its content warning has 5001"},
		"a comment as long":             {text: "x", comment: strings.Repeat("x", 5000)},
		"a comment that is longer":      {text: "x", comment: strings.Repeat("x", 5001), want: "takes a first comment of at most 5000 characters"},
	} {
		t.Run(name, func(t *testing.T) {
			c := schema.Content{Entries: []schema.Entry{{Text: tt.text, Media: tt.media}}}
			if tt.settings != "" {
				c.Settings = map[schema.Platform]json.RawMessage{schema.Mastodon: json.RawMessage(tt.settings)}
			}
			if tt.comment != "" {
				c.FirstComments = []schema.FirstComment{{Text: tt.comment}}
			}
			found, warned := validation.Check(c, []schema.Target{{Platform: schema.Mastodon, Account: a.ID}}, func(t schema.Target) *schema.Constraints {
				if t.Account == a.ID {
					return new(Constraints().For(&a))
				}
				return new(Constraints())
			})
			if len(warned) > 0 || len(found) != min(len(tt.want), 1) || len(found) > 0 && !strings.Contains(found[0].Message, tt.want) {
				t.Errorf("found %v, warned %v, want %q", found, warned, tt.want)
			}
		})
	}
}

func TestTheServerTakesWhatItSays(t *testing.T) {
	r := newRig(t)
	simulator.Allow(r.World, allowance())
	for characters, want := range map[int]int{5000: http.StatusOK, 5001: http.StatusUnprocessableEntity} {
		if response, body := r.ask(t, http.MethodPost, "/api/v1/statuses", "", newStatus{Status: strings.Repeat("x", characters)}); response.StatusCode != want {
			t.Errorf("%d characters are answered %d %v", characters, response.StatusCode, body)
		}
	}
	d := r.delivery("look")
	d.Account, d.Media = r.connected(t), items(smallImage)
	_, err := r.Prepare(t.Context(), d)
	if e := connectortest.WantKind(t, err, schema.Refused); !strings.Contains(e.Message, "at most 10 bytes") || r.World.Calls(opUploadMedia) > 0 {
		t.Errorf("error %q after %d uploads", e.Message, r.World.Calls(opUploadMedia))
	}
}

// A server is anybody's: what it says bounds nothing but its own accounts' posts.
func TestWhatServersSayIsBounded(t *testing.T) {
	usual := usualLimits()
	usual.AltText, usual.Software = schema.MaxAltText, compatible
	with := func(change func(*limits)) *limits {
		l := usual
		change(&l)
		return &l
	}
	for name, tt := range map[string]struct {
		body string
		want *limits // nil: nothing is known
	}{
		"nothing":              {`{}`, nil},
		"an empty one":         {`{"configuration":{}}`, nil},
		"a word":               {`{"configuration":"none"}`, nil},
		"a list":               {`{"configuration":[1]}`, nil},
		"a page":               {`<html>`, nil},
		"zeros":                {`{"configuration":{"statuses":{"max_characters":0},"polls":{"max_options":0}}}`, &usual},
		"less than nothing":    {`{"configuration":{"statuses":{"max_characters":-5,"characters_reserved_per_url":-1}}}`, &usual},
		"of other types":       {`{"configuration":{"statuses":[],"polls":{"max_options":"many"},"media_attachments":{"image_size_limit":1.5,"supported_mime_types":{}}}}`, &usual},
		"beyond all numbers":   {`{"configuration":{"statuses":{"max_characters":1e300,"max_media_attachments":99999999999999999999}}}`, &usual},
		"beside what is wrong": {`{"configuration":{"polls":7,"statuses":{"max_characters":"x","max_media_attachments":8}}}`, with(func(l *limits) { l.Media = 8 })},
		"too much": {`{"configuration":{"statuses":{"max_characters":2000000000,"characters_reserved_per_url":2000000000,"max_media_attachments":1000000},
			"media_attachments":{"image_size_limit":9000000000000000000,"description_limit":5000},"polls":{"max_options":1000000,"max_characters_per_option":1000000}}}`,
			with(func(l *limits) {
				l.Text, l.URL, l.Media, l.ImageBytes, l.Options, l.Option = 256<<10, 2048, 50, 4<<30, 50, 1000
			})},
		"polls that end before they can": {`{"configuration":{"polls":{"min_expiration":600,"max_expiration":300}}}`, &usual},
		"unknown types":                  {`{"configuration":{"media_attachments":{"supported_mime_types":["image/heic","audio/ogg"]}}}`, &usual},
		"some that are known":            {`{"configuration":{"media_attachments":{"supported_mime_types":["image/heic",7,"image/webp"]}}}`, with(func(l *limits) { l.Types = []string{"image/webp"} })},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.Inject(t, simulation.Fault{Operation: opInstance, Status: http.StatusOK, Body: tt.body})
			a := r.connected(t)
			l, known := limitsOf(a)
			if known != (tt.want != nil) || known && !reflect.DeepEqual(l, *tt.want) || len(a.Settings) > 430 {
				t.Errorf("limits %+v, known %t, of %s", l, known, a.Settings)
			}
			if encoded, err := json.Marshal(accountSettings{&l}); known && (err != nil || string(encoded) != string(a.Settings)) {
				t.Errorf("%s is stored, want %s", a.Settings, encoded)
			}
		})
	}
}

// What is stored may be another version's.
func TestStoredLimitsAreBoundedAgain(t *testing.T) {
	l, known := limitsOf(schema.Account{Settings: json.RawMessage(`{"limits":{"text":2000000000,"media":-1}}`)})
	if !known || l.Text != maxLimits().Text || l.Media != usualLimits().Media || l.Options != usualLimits().Options {
		t.Errorf("limits %+v", l)
	}
}

func TestLimitsOfAServerThatDoesNotSayThem(t *testing.T) {
	r := newRig(t)
	r.Inject(t, simulation.Fault{Operation: opInstance, Status: http.StatusInternalServerError})
	if a := r.connected(t); len(a.Settings) > 0 {
		t.Errorf("settings %s, want none: those that are stored stay", a.Settings)
	}
	old := newRigBehind(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, request *http.Request) {
			switch request.URL.Path {
			case "/api/v2/instance":
				http.NotFound(rw, request)
				return
			case "/api/v1/instance":
				request.URL.Path = "/api/v2/instance"
			}
			next.ServeHTTP(rw, request)
		})
	})
	simulator.Allow(old.World, allowance())
	if l, known := limitsOf(old.connected(t)); !known || l.Text != 5000 {
		t.Errorf("limits %+v of an older server, known %t", l, known)
	}
}
