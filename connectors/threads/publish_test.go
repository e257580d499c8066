package threads

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"crier/connectors/connectortest"
	"crier/connectors/graph"
	"crier/connectors/simulation"
	"crier/schema"
)

func TestSettingsAreTheFirstEntrys(t *testing.T) {
	r := newRig(t)
	d := r.delivery("which one?")
	d.Settings = json.RawMessage(`{"replyControl":"mentioned_only","topicTag":"coffee","linkAttachment":"https://example.com/a","quotePostId":"17","poll":{"options":["filter","espresso","none"]}}`)
	first := r.published(t, d)
	next := r.delivery("and then?")
	next.Settings, next.Entry, next.Entries, next.Receipts = d.Settings, 1, 2, []schema.Receipt{first}
	r.published(t, next)
	posts := r.wantPosts(t, 2)
	want := made{
		Kind: "TEXT", ReplyControl: "mentioned_only", Topic: "coffee", Link: "https://example.com/a", Quotes: "17",
		Poll: map[string]string{"option_a": "filter", "option_b": "espresso", "option_c": "none"},
	}
	if got := madeOf(t, posts[0]); !reflect.DeepEqual(got, want) {
		t.Errorf("the first is %+v, want %+v", got, want)
	}
	if got := madeOf(t, posts[1]); !reflect.DeepEqual(got, made{Kind: "TEXT"}) || posts[1].ReplyTo != first.NativeID {
		t.Errorf("the second is %+v on %q", got, posts[1].ReplyTo)
	}
	if want := fmt.Sprintf("%s/@user%s/post/%s", r.base, r.account(), first.NativeID); first.URL != want || !first.PostedAt.Equal(r.clock()) {
		t.Errorf("receipt = %+v, want %s at %v", first, want, r.clock())
	}
}

func TestEachKindOfMedia(t *testing.T) {
	for name, tt := range map[string]struct {
		items func(*rig) []schema.Media
		kind  string
		want  []simulation.Media
	}{
		"a picture":  {func(r *rig) []schema.Media { return []schema.Media{r.picture("a")} }, "IMAGE", []simulation.Media{{Type: "image/png", AltText: "a"}}},
		"a film":     {func(r *rig) []schema.Media { return []schema.Media{r.film("b")} }, "VIDEO", []simulation.Media{{Type: "video/mp4", AltText: "b"}}},
		"a carousel": {func(r *rig) []schema.Media { return []schema.Media{r.film("b"), r.picture("a")} }, "CAROUSEL", []simulation.Media{{Type: "video/mp4", AltText: "b"}, {Type: "image/png", AltText: "a"}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.published(t, r.delivery("look", tt.items(r)...))
			post := r.wantPosts(t, 1)[0]
			if madeOf(t, post).Kind != tt.kind || post.Text != "look" || len(post.Media) != len(tt.want) {
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

// Whatever call of the chain loses its answer, there is one post, and it is known as such.
func TestALostAnswerOfEachCall(t *testing.T) {
	for name, tt := range map[string]struct {
		lose  string
		after int // calls of it that are answered before
		items int
		kind  schema.ErrorKind // of the step that meets it; Internal: none
	}{
		"the container of a text":       {simCreate, 0, 0, schema.Retryable},
		"the look at it":                {simShow, 0, 0, schema.Retryable},
		"the first item of a carousel":  {simCreate, 0, 2, schema.Retryable},
		"the second item of a carousel": {simCreate, 1, 2, schema.Retryable},
		"the carousel":                  {simCreate, 2, 2, schema.Retryable},
		"the look at the carousel":      {simShow, 2, 2, schema.Retryable},
		"the publish":                   {simPublish, 0, 0, schema.Unknown},
		"the publish of a carousel":     {simPublish, 0, 2, schema.Unknown},
		"the address of what is there":  {simShow, 1, 0, schema.Internal},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.delivery("once")
			for range tt.items {
				d.Media = append(d.Media, r.picture("a"))
			}
			if tt.after > 0 {
				r.inject(t, simulation.Fault{Operation: tt.lose, Delay: 1, Times: tt.after})
			}
			r.inject(t, losing(tt.lose))
			met := schema.Internal
			var receipt schema.Receipt
			for ready := false; receipt.NativeID == ""; {
				if !ready {
					progress, err := r.Prepare(t.Context(), d)
					d.Progress, ready = progress.State, progress.Ready
					if err != nil {
						met = schema.KindOf(err)
					}
					continue
				}
				var err error
				if receipt, err = r.Publish(t.Context(), d); err != nil {
					met = connectortest.WantKind(t, err, schema.Unknown).Kind
					var verdict schema.Verdict
					if receipt, verdict, err = r.Find(t.Context(), d); verdict != schema.Found {
						t.Fatalf("Find = %v, %v", verdict, err)
					}
				}
			}
			if post := r.wantPosts(t, 1)[0]; post.ID != receipt.NativeID || len(post.Media) != tt.items || met != tt.kind {
				t.Errorf("post %+v, receipt %+v, met %d, want %d", post, receipt, met, tt.kind)
			}
		})
	}
}

// losing loses the answer of a call. A read is sent again by net/http itself.
func losing(operation string) simulation.Fault {
	f := simulation.Fault{Operation: operation, Lose: true}
	if strings.HasPrefix(operation, "GET ") {
		f.Times = 2
	}
	return f
}

func TestALostAnswerOfEachCallOfAComment(t *testing.T) {
	for name, tt := range map[string]struct {
		fault simulation.Fault
		kind  schema.ErrorKind
	}{
		"the container":                {losing(simCreate), schema.Retryable},
		"the look at it":               {losing(simShow), schema.Retryable},
		"the publish":                  {losing(simPublish), schema.Unknown},
		"the publish that did nothing": {simulation.Fault{Operation: simPublish, Refuse: true}, schema.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.delivery("the entry")
			entry := r.published(t, d)
			r.pass(time.Minute)
			d.Comment, d.Receipts, d.Since, d.Key = &schema.Comment{Text: "a comment"}, []schema.Receipt{entry}, r.clock(), "comment"
			r.inject(t, tt.fault)
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
			if comment := r.wantPosts(t, 2)[1]; comment.ID != receipt.NativeID || comment.ReplyTo != entry.NativeID {
				t.Errorf("comment %+v, receipt %+v", comment, receipt)
			}
		})
	}
}

// The container of a comment that Threads works on is not made a second time.
func TestACommentWaitsForItsContainer(t *testing.T) {
	r := newRig(t)
	d := r.delivery("the entry")
	d.Receipts, d.Comment = []schema.Receipt{r.published(t, d)}, &schema.Comment{Text: "a comment"}
	before := r.world.Calls(simCreate)
	r.inject(t, simulation.Fault{Operation: simShow, Status: 200, Body: `{"id":"1","status":"IN_PROGRESS"}`})
	_, err := r.Comment(t.Context(), d)
	if e := connectortest.WantKind(t, err, schema.Retryable); e.RetryAfter != commentWait {
		t.Errorf("to be tried again in %v", e.RetryAfter)
	}
	if _, err := r.Comment(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	if calls := r.world.Calls(simCreate) - before; calls != 1 {
		t.Errorf("%d containers were made", calls)
	}
}

// Threads says of three containers in the same words that it cannot publish them.
func TestAContainerThatThreadsDoesNotPublish(t *testing.T) {
	t.Run("it has expired", func(t *testing.T) {
		r := newRig(t)
		d := r.prepared(t, r.delivery("late"))
		r.pass(24 * time.Hour)
		_, err := r.Publish(t.Context(), d)
		if e := connectortest.WantKind(t, err, schema.Retryable); !e.Unprepared {
			t.Errorf("it is published again as it is: %+v", e)
		}
		d.Progress = nil
		r.published(t, d)
		r.wantPosts(t, 1)
	})
	t.Run("it is published already", func(t *testing.T) {
		r := newRig(t)
		d := r.prepared(t, r.delivery("twice"))
		first, err := r.Publish(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Publish(t.Context(), d)
		connectortest.WantKind(t, err, schema.Duplicate)
		if found, verdict, err := r.Find(t.Context(), d); verdict != schema.Found || found.NativeID != first.NativeID {
			t.Errorf("Find = %+v, %v, %v", found, verdict, err)
		}
		r.wantPosts(t, 1)
	})
	t.Run("it is not known everywhere yet", func(t *testing.T) {
		r := newRig(t)
		d := r.prepared(t, r.delivery("soon"))
		r.inject(t, simulation.Fault{Operation: simPublish, Status: 400, Body: `{"error":{"message":"The requested resource does not exist","code":24,"error_subcode":4279009}}`})
		_, err := r.Publish(t.Context(), d)
		if e := connectortest.WantKind(t, err, schema.Retryable); e.Unprepared || e.RetryAfter != graph.GoneWait {
			t.Errorf("error = %+v", e)
		}
		if _, err := r.Publish(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	})
}

func TestAProfileThatIsFullWaits(t *testing.T) {
	r := newRig(t)
	for i := range 250 {
		if _, _, err := r.world.Add(simulation.Post{Account: r.account(), Text: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	d := r.prepared(t, r.delivery("one more"))
	_, err := r.Publish(t.Context(), d)
	if e := connectortest.WantKind(t, err, schema.RateLimited); e.RetryAfter != fullWait {
		t.Errorf("to be tried again in %v", e.RetryAfter)
	}
	first := r.wantPosts(t, 250)[0]
	reply := r.delivery("a reply") // is counted by itself
	reply.Entry, reply.Entries, reply.Receipts = 1, 2, []schema.Receipt{{NativeID: first.ID}}
	r.published(t, reply)
	r.pass(24*time.Hour + time.Second)
	d.Progress = nil
	r.published(t, d)
}

func TestMediaThatCannotBeMadeReady(t *testing.T) {
	answer := func(body string) simulation.Fault {
		return simulation.Fault{Operation: simShow, Status: 200, Body: body}
	}
	t.Run("for a reason that passes", func(t *testing.T) {
		r := newRig(t)
		d := r.delivery("look", r.film(""), r.picture(""))
		r.inject(t, answer(`{"id":"1","status":"ERROR","error_message":"FAILED_DOWNLOADING_VIDEO"}`))
		progress, err := r.Prepare(t.Context(), d)
		connectortest.WantKind(t, err, schema.Retryable)
		d.Progress = progress.State
		r.published(t, d)
		if calls := r.world.Calls(simCreate); calls != 5 { // two items, then all three
			t.Errorf("%d containers", calls)
		}
	})
	t.Run("ever", func(t *testing.T) {
		r := newRig(t)
		d := r.delivery("look", r.film(""))
		fault := answer(`{"id":"1","status":"IN_PROGRESS"}`)
		fault.Times = 1000
		r.inject(t, fault)
		looks, waited := 0, time.Duration(0)
		for {
			progress, err := r.Prepare(t.Context(), d)
			d.Progress = progress.State
			if err != nil {
				connectortest.WantKind(t, err, schema.Retryable)
				break
			}
			looks, waited = looks+1, waited+progress.RetryIn
			r.pass(progress.RetryIn)
		}
		if waited < 30*time.Minute || waited > 32*time.Minute || looks > 50 {
			t.Errorf("gave up after %d looks and %v", looks, waited)
		}
		r.world.Heal()
		r.published(t, d)
	})
	t.Run("at an address that Threads does not reach", func(t *testing.T) {
		r := newRig(t)
		item := r.picture("")
		item.URL = "http://127.0.0.1:1/a.png"
		_, err := r.Prepare(t.Context(), r.delivery("look", item))
		connectortest.WantKind(t, err, schema.Retryable)
	})
}

func TestFacts(t *testing.T) {
	r := newRig(t)
	item := r.picture("")
	item.Facts.Size = 9 << 20
	_, err := r.Prepare(t.Context(), r.delivery("look", item))
	if e := connectortest.WantKind(t, err, schema.Refused); !strings.Contains(e.Message, "8388608") {
		t.Errorf("error = %v", e)
	}
	if calls := r.world.Calls(simCreate); calls != 0 {
		t.Errorf("%d calls for media that is refused", calls)
	}
}
