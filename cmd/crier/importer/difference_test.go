package importer

import (
	"strings"
	"testing"
	"time"

	"crier/client"
)

func TestWhatATableCannotSayIsNoDifference(t *testing.T) {
	stored := client.Post{
		ID: "post_1", ExternalID: "a", Status: client.PostDraft, Content: " one\r\ntwo ", Timezone: "UTC",
		ScheduledFor: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC), Metadata: map[string]string{"a": " x ", "blank": " "},
		FirstComments: []client.FirstComment{{Text: "first\n"}},
		MediaItems: []client.MediaItem{
			{Type: client.MediaType("image"), URL: "https://a.test/1", AltText: " A ", KeepMetadata: true, Fit: client.MediaFit("cover")},
			{Type: client.MediaType("video"), URL: "https://a.test/2"},
		},
	}
	for name, tt := range map[string]struct{ table, want string }{
		"an export that nobody has changed": {
			"externalId,content,metadata.a,metadata.blank,firstComment,media.1,media.2,altText.1,fit,keepMetadata,mediaTypes\na,\"one\r\ntwo\",x,,first,https://a.test/1,https://a.test/2,A,cover|none,yes|no,image|video\n",
			`{}`,
		},
		"one text": {
			"externalId,content,metadata.a,metadata.blank\na,three,x,\n", `{"content": "three"}`,
		},
		"an entry beside one with blanks": {
			"externalId,metadata.a,metadata.b\na,x,y\n", `{"metadata": {"a": " x ", "b": "y", "blank": " "}}`,
		},
		"media whose kinds, texts and fits have no columns": {
			"externalId,media\na,https://a.test/1|https://a.test/3.jpg\n",
			`{"mediaItems": [{"type": "image", "url": "https://a.test/1", "altText": " A ", "keepMetadata": true, "fit": "cover"}, {"type": "image", "url": "https://a.test/3.jpg"}]}`,
		},
		"metadata of media that is not kept any more": {
			"externalId,media,altText,fit,mediaTypes,keepMetadata\na,https://a.test/1|https://a.test/2,A,cover|none,image|video,no\n",
			`{"mediaItems": [{"type": "image", "url": "https://a.test/1", "altText": " A ", "fit": "cover"}, {"type": "video", "url": "https://a.test/2", "fit": "none"}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			change, wrong, err := onlyRow(t, tt.table).difference(&stored, "UTC")
			if err != nil || wrong != nil {
				t.Fatal(wrong, err)
			}
			got, err := encode(change)
			if err != nil || !sameJSON(t, string(got), tt.want) {
				t.Errorf("the change is %s, %v, want %s", got, err, tt.want)
			}
		})
	}
}

// TestADraftIsQueuedByItsRowAlone has an import with a queue for rows without a time: new posts go there.
func TestADraftIsQueuedByItsRowAlone(t *testing.T) {
	for status, want := range map[string]string{"": `{}`, "scheduled": `{"status": "scheduled", "queue": true}`} {
		draft, timed := client.Post{ID: "post_1", Status: client.PostDraft}, client.Post{ID: "post_2", Status: client.PostDraft, ScheduledFor: time.Now()}
		p := post{mapping: Mapping{Queue: DefaultQueue}, cells: map[string]string{}}
		body, r := map[string]any{"status": status}, row{}
		if wrong := p.addTime(body, &r); wrong != nil || body["queue"] != true {
			t.Fatalf("the row of a new post is %v, %v", body, wrong)
		}
		var err error
		if r.body, err = encode(body); err != nil {
			t.Fatal(err)
		}
		change, wrong, err := r.difference(&draft, "UTC")
		if wrong != nil || err != nil {
			t.Fatal(wrong, err)
		}
		if got, err := encode(change); err != nil || !sameJSON(t, string(got), want) {
			t.Errorf("the change of a draft by the status %q is %s, %v, want %s", status, got, err, want)
		}
		if change, _, err := r.difference(&timed, "UTC"); err != nil || change["queue"] != nil {
			t.Errorf("a draft with a time is changed by %v, %v", change, err)
		}
	}
}

// TestALostAnswerIsOfThatRow has a change that publishes refused, since the post is no draft any more.
func TestALostAnswerIsOfThatRow(t *testing.T) {
	const wanted = `{"content": "a", "platforms": [{"platform": "mastodon", "content": "own"}], "publishNow": true}`
	for name, tt := range map[string]struct {
		row, content, own string
		status            client.PostStatus
		want              bool
	}{
		"it is being published":          {wanted, "a", "own", client.PostProcessing, true},
		"it is out":                      {wanted, "a", "own", client.PostPosted, true},
		"it is out on some":              {wanted, "a", "own", client.PostPartiallyFailed, true},
		"another text is out":            {wanted, "b", "own", client.PostPosted, false},
		"another text of the platform":   {wanted, "a", "other", client.PostPosted, false},
		"it has failed":                  {wanted, "a", "own", client.PostFailed, false},
		"somebody has cancelled it":      {wanted, "a", "own", client.PostCancelled, false},
		"it is still to go out":          {wanted, "a", "own", client.PostScheduled, false},
		"the row does not let it go out": {`{"content": "a"}`, "a", "own", client.PostPosted, false},
	} {
		post := client.Post{Status: tt.status, Content: tt.content, Platforms: []client.Target{{Platform: client.Mastodon, ContentOverride: tt.own}}}
		r := row{body: []byte(tt.row), fields: []string{"content", "platforms"}}
		if got := r.isPublishedAs(&post, "UTC"); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestARowLetsAPostGoOutInAnotherWay(t *testing.T) {
	for name, tt := range map[string]struct {
		status      client.PostStatus
		cells, want string
	}{
		"a draft at once":                {client.PostDraft, "publishNow\na,mastodon,yes\n", `{"publishNow": true}`},
		"a draft in another way":         {client.PostDraft, "status\na,mastodon,now\n", `{"publishNow": true}`},
		"a draft into the queue":         {client.PostDraft, "when\na,mastodon,queue\n", `{"queue": true}`},
		"a draft into a queue":           {client.PostDraft, "queueId\na,mastodon,queue_1\n", `{"queueId": "queue_1"}`},
		"a scheduled post at once":       {client.PostScheduled, "when,status\na,mastodon,now,scheduled\n", `{"publishNow": true}`},
		"one that the queue has had":     {client.PostScheduled, "queue\na,mastodon,yes\n", `{}`},
		"what is said to be out already": {client.PostScheduled, "publishNow,status\na,mastodon,yes,published\n", `{}`},
		"at once and at a time":          {client.PostScheduled, "publishNow,when\na,mastodon,yes,2026-12-01T09:00:00Z\n", `{"publishNow": true, "scheduledFor": "2026-12-01T09:00:00Z"}`},
		"a draft that is to stay one":    {client.PostDraft, "queue,status\na,mastodon,yes,draft\n", `{"queue": true, "status": "draft"}`},
	} {
		t.Run(name, func(t *testing.T) {
			post := client.Post{
				ID: "post_1", Status: tt.status, Platforms: []client.Target{{Platform: client.Mastodon, AccountID: "acc_1"}},
				ScheduledFor: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC),
			}
			change, wrong, err := onlyRow(t, "id,platforms,"+tt.cells).difference(&post, "UTC")
			if err != nil || wrong != nil {
				t.Fatal(wrong, err)
			}
			got, err := encode(change)
			if err != nil || !sameJSON(t, string(got), tt.want) {
				t.Errorf("the change is %s, %v, want %s", got, err, tt.want)
			}
		})
	}
}

func onlyRow(t *testing.T, table string) row {
	t.Helper()
	source, err := openRows("a.csv", strings.NewReader(table), Mapping{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := source.next()
	if err != nil || r.problem != nil {
		t.Fatal(r.problem, err)
	}
	return r
}
