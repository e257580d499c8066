package threads

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"crier/connectors/graph"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/graphtest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

func TestSettingsAreTheFirstEntrys(t *testing.T) {
	r := newRig(t)
	d := r.Delivery("which one?")
	d.Settings = json.RawMessage(`{"replyControl":"mentioned_only","topicTag":"coffee","linkAttachment":"https://example.com/a","quotePostId":"17","poll":{"options":["filter","espresso","none"]}}`)
	first := r.Published(t, d)
	next := r.Delivery("and then?")
	next.Settings, next.Entry, next.Entries, next.Receipts = d.Settings, 1, 2, []schema.Receipt{first}
	r.Published(t, next)
	posts := r.WantPosts(t, 2)
	want := storedFields{
		Kind: "TEXT", ReplyControl: "mentioned_only", Topic: "coffee", Link: "https://example.com/a", Quotes: "17",
		Poll: map[string]string{"option_a": "filter", "option_b": "espresso", "option_c": "none"},
	}
	if got := connectortest.FieldsOf[storedFields](t, posts[0]); !reflect.DeepEqual(got, want) {
		t.Errorf("the first is %+v, want %+v", got, want)
	}
	if got := connectortest.FieldsOf[storedFields](t, posts[1]); !reflect.DeepEqual(got, storedFields{Kind: "TEXT"}) || posts[1].ReplyTo != first.NativeID {
		t.Errorf("the second is %+v on %q", got, posts[1].ReplyTo)
	}
	if want := fmt.Sprintf("%s/@user%s/post/%s", r.Subject.Base, r.Account(), first.NativeID); first.URL != want || !first.PostedAt.Equal(r.Clock()) {
		t.Errorf("receipt = %+v, want %s at %v", first, want, r.Clock())
	}
}

func TestEachKindOfMedia(t *testing.T) {
	for name, tt := range map[string]struct {
		items func(*rig) []schema.Media
		kind  string
		want  []simulation.Media
	}{
		"a picture":  {func(r *rig) []schema.Media { return []schema.Media{r.Picture("a")} }, "IMAGE", []simulation.Media{{Type: "image/png", AltText: "a"}}},
		"a film":     {func(r *rig) []schema.Media { return []schema.Media{r.Film("b")} }, "VIDEO", []simulation.Media{{Type: "video/mp4", AltText: "b"}}},
		"a carousel": {func(r *rig) []schema.Media { return []schema.Media{r.Film("b"), r.Picture("a")} }, "CAROUSEL", []simulation.Media{{Type: "video/mp4", AltText: "b"}, {Type: "image/png", AltText: "a"}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.Published(t, r.Delivery("look", tt.items(r)...))
			post := r.WantPosts(t, 1)[0]
			if connectortest.FieldsOf[storedFields](t, post).Kind != tt.kind || post.Text != "look" || len(post.Media) != len(tt.want) {
				t.Fatalf("post = %+v", post)
			}
			for i, want := range tt.want {
				if got := post.Media[i]; got.Type != want.Type || got.AltText != want.AltText {
					t.Errorf("item %d is %+v, want %+v", i, got, want)
				}
			}
		})
	}
}

func TestALostAnswerOfEachCall(t *testing.T) {
	graphtest.RunLosses(t, subject, map[string]graphtest.Loss{
		"the container of a text":       {Call: simCreate, Kind: schema.Retryable},
		"the look at it":                {Call: simShow, Kind: schema.Retryable},
		"the first item of a carousel":  {Call: simCreate, Items: 2, Kind: schema.Retryable},
		"the second item of a carousel": {Call: simCreate, After: 1, Items: 2, Kind: schema.Retryable},
		"the carousel":                  {Call: simCreate, After: 2, Items: 2, Kind: schema.Retryable},
		"the look at the carousel":      {Call: simShow, After: 2, Items: 2, Kind: schema.Retryable},
		"the publish":                   {Call: simPublish, Kind: schema.Unknown},
		"the publish of a carousel":     {Call: simPublish, Items: 2, Kind: schema.Unknown},
		"the address of what is there":  {Call: simShow, After: 1, Kind: schema.Internal},
	})
}

func TestALostAnswerOfEachCallOfAComment(t *testing.T) {
	for name, tt := range map[string]struct {
		fault simulation.Fault
		kind  schema.ErrorKind
	}{
		"the container":                {connectortest.Losing(simCreate), schema.Retryable},
		"the look at it":               {connectortest.Losing(simShow), schema.Retryable},
		"the publish":                  {connectortest.Losing(simPublish), schema.Unknown},
		"the publish that did nothing": {simulation.Fault{Operation: simPublish, Refuse: true}, schema.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.Delivery("the entry")
			entry := r.Published(t, d)
			r.Pass(time.Minute)
			d.Comment, d.Receipts, d.Since, d.Key = &schema.Comment{Text: "a comment"}, []schema.Receipt{entry}, r.Clock(), "comment"
			r.Inject(t, tt.fault)
			_, err := r.Comment(t.Context(), d)
			connectortest.WantKind(t, err, tt.kind)
			receipt, verdict, err := r.Find(t.Context(), d)
			want := schema.NotThere
			if tt.fault.Operation == simPublish && tt.fault.Lose {
				want = schema.Found
			}
			if err != nil || verdict != want {
				t.Fatalf("Find = %+v, %v, %v; want %v", receipt, verdict, err, want)
			}
			if verdict == schema.NotThere {
				if receipt, err = r.Comment(t.Context(), d); err != nil {
					t.Fatal(err)
				}
			}
			if comment := r.WantPosts(t, 2)[1]; comment.ID != receipt.NativeID || comment.ReplyTo != entry.NativeID {
				t.Errorf("comment %+v, receipt %+v", comment, receipt)
			}
		})
	}
}

// The container of a comment that Threads works on is not made a second time.
func TestACommentWaitsForItsContainer(t *testing.T) {
	r := newRig(t)
	d := r.Delivery("the entry")
	d.Receipts, d.Comment = []schema.Receipt{r.Published(t, d)}, &schema.Comment{Text: "a comment"}
	before := r.World.Calls(simCreate)
	r.Inject(t, simulation.Fault{Operation: simShow, Status: 200, Body: `{"id":"1","status":"IN_PROGRESS"}`})
	_, err := r.Comment(t.Context(), d)
	if e := connectortest.WantKind(t, err, schema.Retryable); e.RetryAfter != commentWait {
		t.Errorf("to be tried again in %v", e.RetryAfter)
	}
	if _, err := r.Comment(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	if calls := r.World.Calls(simCreate) - before; calls != 1 {
		t.Errorf("%d containers were made", calls)
	}
}

// Threads says of three containers in the same words that it cannot publish them.
func TestAContainerThatThreadsDoesNotPublish(t *testing.T) {
	t.Run("it has expired", func(t *testing.T) {
		r := newRig(t)
		d := r.Prepared(t, r.Delivery("late"))
		r.Pass(24 * time.Hour)
		_, err := r.Publish(t.Context(), d)
		if e := connectortest.WantKind(t, err, schema.Retryable); !e.Unprepared {
			t.Errorf("it is published again as it is: %+v", e)
		}
		d.Progress = nil
		r.Published(t, d)
		r.WantPosts(t, 1)
	})
	t.Run("it is published already", func(t *testing.T) {
		r := newRig(t)
		d := r.Prepared(t, r.Delivery("twice"))
		first, err := r.Publish(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Publish(t.Context(), d)
		connectortest.WantKind(t, err, schema.Duplicate)
		if found, verdict, err := r.Find(t.Context(), d); verdict != schema.Found || found.NativeID != first.NativeID {
			t.Errorf("Find = %+v, %v, %v", found, verdict, err)
		}
		r.WantPosts(t, 1)
	})
	t.Run("it is not known everywhere yet", func(t *testing.T) {
		r := newRig(t)
		d := r.Prepared(t, r.Delivery("soon"))
		r.Inject(t, simulation.Fault{Operation: simPublish, Status: 400, Body: `{"error":{"message":"The requested resource does not exist","code":24,"error_subcode":4279009}}`})
		_, err := r.Publish(t.Context(), d)
		if e := connectortest.WantKind(t, err, schema.Retryable); e.Unprepared || e.RetryAfter != graph.GoneWait {
			t.Errorf("error = %+v", e)
		}
		if _, err := r.Publish(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	})
	for name, fault := range map[string]simulation.Fault{
		"an earlier call is at it":  {Status: 200, Body: `{"id":"1","status":"IN_PROGRESS"}`},
		"nobody can be asked of it": {Status: 503},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.Prepared(t, r.Delivery("late"))
			d.Attempts = schema.DefaultTries - 1
			r.Inject(t, simulation.Fault{Operation: simPublish, Status: 400, Body: `{"error":{"message":"The requested resource does not exist","code":24,"error_subcode":4279009}}`})
			fault.Operation = simShow
			r.Inject(t, fault)
			_, err := r.Publish(t.Context(), d)
			connectortest.WantKind(t, err, schema.Unknown)
		})
	}
}

func TestAProfileThatIsFullWaits(t *testing.T) {
	r := newRig(t)
	for i := range 250 {
		if _, _, err := r.World.Add(simulation.Post{Account: r.Account(), Text: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	d := r.Prepared(t, r.Delivery("one more"))
	_, err := r.Publish(t.Context(), d)
	if e := connectortest.WantKind(t, err, schema.RateLimited); e.RetryAfter != fullWait {
		t.Errorf("to be tried again in %v", e.RetryAfter)
	}
	first := r.WantPosts(t, 250)[0]
	reply := r.Delivery("a reply") // is counted by itself
	reply.Entry, reply.Entries, reply.Receipts = 1, 2, []schema.Receipt{{NativeID: first.ID}}
	r.Published(t, reply)
	r.Pass(24*time.Hour + time.Second)
	d.Progress = nil
	r.Published(t, d)
}

func TestMediaThatCannotBeMadeReady(t *testing.T) {
	answer := func(body string) simulation.Fault {
		return simulation.Fault{Operation: simShow, Status: 200, Body: body}
	}
	t.Run("for a reason that passes", func(t *testing.T) {
		r := newRig(t)
		d := r.Delivery("look", r.Film(""), r.Picture(""))
		r.Inject(t, answer(`{"id":"1","status":"ERROR","error_message":"FAILED_DOWNLOADING_VIDEO"}`))
		progress, err := r.Prepare(t.Context(), d)
		connectortest.WantKind(t, err, schema.Retryable)
		d.Progress = progress.State
		r.Published(t, d)
		if calls := r.World.Calls(simCreate); calls != 5 { // two items, then all three
			t.Errorf("%d containers", calls)
		}
	})
	t.Run("ever", func(t *testing.T) {
		r := newRig(t)
		d := r.Delivery("look", r.Film(""))
		fault := answer(`{"id":"1","status":"IN_PROGRESS"}`)
		fault.Times = 1000
		r.Inject(t, fault)
		looks, waited := 0, time.Duration(0)
		for {
			progress, err := r.Prepare(t.Context(), d)
			d.Progress = progress.State
			if err != nil {
				connectortest.WantKind(t, err, schema.Retryable)
				break
			}
			looks, waited = looks+1, waited+progress.RetryIn
			r.Pass(progress.RetryIn)
		}
		if waited < 30*time.Minute || waited > 32*time.Minute || looks > 50 {
			t.Errorf("gave up after %d looks and %v", looks, waited)
		}
		r.World.Heal()
		r.Published(t, d)
	})
	t.Run("at an address that Threads does not reach", func(t *testing.T) {
		r := newRig(t)
		item := r.Picture("")
		item.URL = "http://127.0.0.1:1/a.png"
		_, err := r.Prepare(t.Context(), r.Delivery("look", item))
		connectortest.WantKind(t, err, schema.Retryable)
	})
}

func TestFacts(t *testing.T) {
	r := newRig(t)
	item := r.Picture("")
	item.Facts.Size = 9 << 20
	_, err := r.Prepare(t.Context(), r.Delivery("look", item))
	if e := connectortest.WantKind(t, err, schema.Refused); !strings.Contains(e.Message, "8388608") {
		t.Errorf("error = %v", e)
	}
	if calls := r.World.Calls(simCreate); calls != 0 {
		t.Errorf("%d calls for media that is refused", calls)
	}
}
