package instagram

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"crier/connectors/graph"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/graphtest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

func TestEachKindOfPost(t *testing.T) {
	half := 0.5
	for name, tt := range map[string]struct {
		settings string
		items    func(*rig) []schema.Media
		text     string // as it is published
		want     storedFields
		media    []simulation.Media
	}{
		"a picture": {
			`{"collaborators":["a.friend"],"locationId":"7","userTags":[{"username":"b","x":0.5,"y":0.5}],"shareToFeed":true}`,
			func(r *rig) []schema.Media { return []schema.Media{r.Picture("a")} }, "look",
			storedFields{Kind: "IMAGE", Location: "7", Collaborators: []string{"a.friend"}, UserTags: []userTag{{"b", &half, &half}}},
			[]simulation.Media{{Type: "image/jpeg", AltText: "a"}},
		},
		"a reel": {
			`{"shareToFeed":false,"coverUrl":"https://example.com/c.jpg","thumbOffset":1500,"audioName":"hum","collaborators":["c"],"userTags":[{"username":"b","x":0.5,"y":0.5}]}`,
			func(r *rig) []schema.Media { return []schema.Media{r.Film("b")} }, "look",
			storedFields{
				Kind: "REELS", ShareToFeed: "false", Cover: "https://example.com/c.jpg", ThumbOffset: "1500", AudioName: "hum",
				Collaborators: []string{"c"}, UserTags: []userTag{{Username: "b"}},
			},
			[]simulation.Media{{Type: "video/mp4"}},
		},
		"a trial reel": {
			`{"mediaType":"REELS","trialParams":{"graduationStrategy":"MANUAL"}}`,
			func(r *rig) []schema.Media { return []schema.Media{r.Film("")} }, "look",
			storedFields{Kind: "REELS", Trial: map[string]string{"graduation_strategy": "MANUAL"}},
			[]simulation.Media{{Type: "video/mp4"}},
		},
		"a story of a picture": {
			`{"mediaType":"STORIES","userTags":[{"username":"b"}]}`,
			func(r *rig) []schema.Media { return []schema.Media{r.Picture("a")} }, "",
			storedFields{Kind: "STORIES", UserTags: []userTag{{Username: "b"}}},
			[]simulation.Media{{Type: "image/jpeg"}},
		},
		"a story of a film": {
			`{"mediaType":"STORIES","shareToFeed":true}`,
			func(r *rig) []schema.Media { return []schema.Media{r.Film("")} }, "",
			storedFields{Kind: "STORIES"},
			[]simulation.Media{{Type: "video/mp4"}},
		},
		"a carousel": {
			`{"collaborators":["c"],"locationId":"7","userTags":[{"username":"b","x":0.5,"y":0.5}]}`,
			func(r *rig) []schema.Media { return []schema.Media{r.Picture("a"), r.Film("b")} }, "look",
			storedFields{Kind: "CAROUSEL", Location: "7", Collaborators: []string{"c"}},
			[]simulation.Media{{Type: "image/jpeg", AltText: "a"}, {Type: "video/mp4"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.Delivery("look", tt.items(r)...)
			d.Settings = json.RawMessage(tt.settings)
			receipt := r.Published(t, d)
			post := r.WantPosts(t, 1)[0]
			if got := connectortest.FieldsOf[storedFields](t, post); !reflect.DeepEqual(got, tt.want) || post.Text != tt.text {
				t.Errorf("made %+v with %q, want %+v with %q", got, post.Text, tt.want, tt.text)
			}
			for i, want := range tt.media {
				if got := post.Media[i]; got.Type != want.Type || got.AltText != want.AltText {
					t.Errorf("item %d is %+v, want %+v", i, got, want)
				}
			}
			if want := fmt.Sprintf("%s/p/%s/%s", r.Subject.Base, r.Account(), receipt.NativeID); receipt.URL != want {
				t.Errorf("URL = %q, want %q", receipt.URL, want)
			}
			found, verdict, err := r.Find(t.Context(), d) // without its container: the list tells
			if verdict != schema.Found || found.NativeID != receipt.NativeID {
				t.Errorf("Find = %+v, %v, %v", found, verdict, err)
			}
		})
	}
}

func TestWhatInstagramMakesOfNoSuchMedia(t *testing.T) {
	for name, tt := range map[string]struct {
		settings string
		items    func(*rig) []schema.Media
	}{
		"a reel of a picture":  {`{"mediaType":"REELS"}`, func(r *rig) []schema.Media { return []schema.Media{r.Picture("")} }},
		"a trial of a picture": {`{"trialParams":{"graduationStrategy":"MANUAL"}}`, func(r *rig) []schema.Media { return []schema.Media{r.Picture("")} }},
		"nothing":              {"", func(*rig) []schema.Media { return nil }},
		"a story of nothing":   {`{"mediaType":"STORIES"}`, func(*rig) []schema.Media { return nil }},
		"a story of two":       {`{"mediaType":"STORIES"}`, func(r *rig) []schema.Media { return []schema.Media{r.Picture(""), r.Picture("")} }},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.Delivery("look", tt.items(r)...)
			d.Settings = json.RawMessage(tt.settings)
			_, err := r.Prepare(t.Context(), d)
			connectortest.WantKind(t, err, schema.Refused)
		})
	}
}

// A cover from beyond the video's end is no less beyond it the next time.
func TestACoverFromBeyondTheVideo(t *testing.T) {
	r := newRig(t)
	d := r.Delivery("look", r.Film(""))
	r.Inject(t, simulation.Fault{
		Operation: simCreate, Status: 400,
		Body: `{"error":{"message":"Thumbnail offset must be less than video duration","code":1,"error_subcode":2207057}}`,
	})
	_, err := r.Prepare(t.Context(), d)
	connectortest.WantKind(t, err, schema.Refused)
}

func TestALostAnswerOfEachCall(t *testing.T) {
	graphtest.RunLosses(t, subject, map[string]graphtest.Loss{
		"the container of a picture":   {Call: simCreate, Items: 1, Kind: schema.Retryable},
		"the look at it":               {Call: simShow, Items: 1, Kind: schema.Retryable},
		"an item of a carousel":        {Call: simCreate, After: 1, Items: 2, Kind: schema.Retryable},
		"the carousel":                 {Call: simCreate, After: 2, Items: 2, Kind: schema.Retryable},
		"the publish":                  {Call: simPublish, Items: 1, Kind: schema.Unknown},
		"the publish of a carousel":    {Call: simPublish, Items: 2, Kind: schema.Unknown},
		"the address of what is there": {Call: simShow, After: 1, Items: 1, Kind: schema.Internal},
	})
}

func TestAFirstComment(t *testing.T) {
	for name, tt := range map[string]struct {
		fault *simulation.Fault
		kind  schema.ErrorKind // Internal: it works
		want  schema.Verdict
	}{
		"is there":                       {nil, schema.Internal, schema.Found},
		"whose answer was lost":          {&simulation.Fault{Operation: simComment, Lose: true}, schema.Unknown, schema.Found},
		"that was never taken":           {&simulation.Fault{Operation: simComment, Refuse: true}, schema.Unknown, schema.NotThere},
		"that the token may not make":    {&simulation.Fault{Operation: simComment, Status: 403, Body: `{"error":{"message":"m","code":10}}`}, schema.Refused, schema.NotThere},
		"that Instagram takes for spam":  {&simulation.Fault{Operation: simComment, Status: 400, Body: `{"error":{"message":"m","code":4,"error_subcode":2207051}}`}, schema.Refused, schema.NotThere},
		"of an account that has no more": {&simulation.Fault{Operation: simComment, Status: 400, Body: `{"error":{"message":"m","code":190}}`}, schema.TokenDead, schema.NotThere},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.Delivery("the entry", r.Picture(""))
			entry := r.Published(t, d)
			r.Pass(time.Minute)
			d.Comment, d.Receipts, d.Since = &schema.Comment{Text: "a comment"}, []schema.Receipt{entry}, r.Clock()
			if tt.fault != nil {
				r.Inject(t, *tt.fault)
			}
			_, err := r.Comment(t.Context(), d)
			if tt.kind == schema.Internal && err != nil {
				t.Fatal(err)
			}
			if tt.kind != schema.Internal {
				connectortest.WantKind(t, err, tt.kind)
			}
			found, verdict, err := r.Find(t.Context(), d)
			if verdict != tt.want || err != nil {
				t.Errorf("Find = %+v, %v, %v; want %v", found, verdict, err, tt.want)
			}
			if posts := r.World.Posts(); verdict == schema.Found && (posts[1].ID != found.NativeID || posts[1].ReplyTo != entry.NativeID) {
				t.Errorf("comment %+v, found %+v", posts[1], found)
			}
		})
	}
}

// What Instagram says of a container, or of the day, when it does not publish.
func TestAContainerThatInstagramDoesNotPublish(t *testing.T) {
	answer := func(code, subcode int) simulation.Fault {
		return simulation.Fault{Operation: simPublish, Status: 400, Body: fmt.Sprintf(`{"error":{"message":"m","code":%d,"error_subcode":%d}}`, code, subcode)}
	}
	for name, tt := range map[string]struct {
		code, subcode int
		want          schema.Error
	}{
		"not known yet":  {24, 2207008, schema.Error{Kind: schema.Retryable, RetryAfter: graph.GoneWait}},
		"not ready":      {9007, 2207027, schema.Error{Kind: schema.Retryable, RetryAfter: graph.GoneWait}},
		"a full day":     {9, 2207042, schema.Error{Kind: schema.RateLimited, RetryAfter: fullWait}},
		"spam":           {4, 2207051, schema.Error{Kind: schema.Refused}},
		"too many calls": {4, 0, schema.Error{Kind: schema.RateLimited, RetryAfter: 5 * time.Minute}},
		"restricted":     {25, 2207050, schema.Error{Kind: schema.Refused}},
		"a server error": {-1, 2207001, schema.Error{Kind: schema.Unknown}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.Prepared(t, r.Delivery("soon", r.Picture("")))
			r.Inject(t, answer(tt.code, tt.subcode))
			_, err := r.Publish(t.Context(), d)
			if e := connectortest.WantKind(t, err, tt.want.Kind); e.RetryAfter != tt.want.RetryAfter || e.Unprepared {
				t.Errorf("error = %+v, want to wait %v", e, tt.want.RetryAfter)
			}
		})
	}
	t.Run("expired", func(t *testing.T) {
		r := newRig(t)
		d := r.Prepared(t, r.Delivery("late", r.Picture("")))
		r.Pass(24 * time.Hour)
		_, err := r.Publish(t.Context(), d)
		if e := connectortest.WantKind(t, err, schema.Retryable); !e.Unprepared {
			t.Errorf("it is published again as it is: %+v", e)
		}
	})
	t.Run("published already", func(t *testing.T) {
		r := newRig(t)
		d := r.Prepared(t, r.Delivery("twice", r.Picture("")))
		if _, err := r.Publish(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		_, err := r.Publish(t.Context(), d)
		connectortest.WantKind(t, err, schema.Duplicate)
		r.WantPosts(t, 1)
		r.Inject(t, answer(9007, 2207027)) // the words for one that is not ready
		_, err = r.Publish(t.Context(), d)
		connectortest.WantKind(t, err, schema.Duplicate)
	})
	t.Run("an earlier call is at it", func(t *testing.T) {
		r := newRig(t)
		d := r.Prepared(t, r.Delivery("late", r.Picture("")))
		d.Attempts = schema.DefaultTries - 1
		r.Inject(t, answer(9007, 2207027))
		r.Inject(t, simulation.Fault{Operation: simShow, Status: 200, Body: `{"id":"1","status_code":"IN_PROGRESS"}`})
		_, err := r.Publish(t.Context(), d)
		connectortest.WantKind(t, err, schema.Unknown)
	})
}

func TestAFullDay(t *testing.T) {
	r := newRig(t)
	for i := range 100 {
		if _, _, err := r.World.Add(simulation.Post{Account: r.Account(), Text: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	d := r.Prepared(t, r.Delivery("one more", r.Picture("")))
	_, err := r.Publish(t.Context(), d)
	connectortest.WantKind(t, err, schema.RateLimited)
	r.Pass(24*time.Hour + time.Second)
	d.Progress = nil
	r.Published(t, d)
}

func TestMediaThatCannotBeMadeReady(t *testing.T) {
	for name, tt := range map[string]struct {
		status string
		want   schema.ErrorKind
	}{
		"a download that failed": {"Error: Media upload has failed with error code 2207052", schema.Retryable},
		"no reason":              {"", schema.Retryable},
		"a format":               {"Error: Media upload has failed with error code 2207026", schema.Refused},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.Delivery("look", r.Film(""))
			r.Inject(t, simulation.Fault{Operation: simShow, Status: 200, Body: `{"id":"1","status_code":"ERROR","status":"` + tt.status + `"}`})
			_, err := r.Prepare(t.Context(), d)
			connectortest.WantKind(t, err, tt.want)
		})
	}
	t.Run("an address that Instagram does not reach", func(t *testing.T) {
		r := newRig(t)
		item := r.Picture("")
		item.URL = "http://127.0.0.1:1/a.jpg"
		_, err := r.Prepare(t.Context(), r.Delivery("look", item))
		connectortest.WantKind(t, err, schema.Retryable)
	})
}

func TestCheckReadsTheQuota(t *testing.T) {
	r := newRig(t)
	profile, err := r.Check(t.Context(), schema.Account{}, schema.Credentials{AccessToken: token})
	if err != nil || profile.NativeID != r.Account() || string(profile.Settings) != `{"quotaTotal":["100"]}` {
		t.Errorf("profile = %+v, %v", profile, err)
	}
	r.Inject(t, simulation.Fault{Operation: "GET /{user}/content_publishing_limit", Status: 500})
	if profile, err = r.Check(t.Context(), schema.Account{}, schema.Credentials{AccessToken: token}); err != nil || profile.Settings != nil {
		t.Errorf("profile without a quota = %+v, %v", profile, err)
	}
}
