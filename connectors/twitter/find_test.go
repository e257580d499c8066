package twitter

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"crier/connectors/listing"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// addForeign puts a post into the account that no delivery of ours made.
func (r *rig) addForeign(t *testing.T, p simulation.Post) simulation.Post {
	t.Helper()
	p.Account = r.account()
	added, _, err := r.World.Add(p)
	if err != nil {
		t.Fatal(err)
	}
	return added
}

func (r *rig) find(t *testing.T, d schema.Delivery, want schema.Verdict) schema.Receipt {
	t.Helper()
	receipt, verdict, err := r.Find(t.Context(), d)
	if verdict != want || err != nil {
		t.Fatalf("Find = %v, %v; want %v", verdict, err, want)
	}
	return receipt
}

// doubt checks that a look settles nothing: what is there may be the post, changed by X.
func (r *rig) doubt(t *testing.T, d schema.Delivery) {
	t.Helper()
	_, verdict, err := r.Find(t.Context(), d)
	if connectortest.WantKind(t, err, schema.Retryable); verdict != schema.CannotTell {
		t.Fatalf("Find = %v, %v", verdict, err)
	}
}

func TestFindKnowsAPostBehindXsLinks(t *testing.T) {
	for name, tt := range map[string]struct {
		text  string
		other string // a post that is there and not it
	}{
		"plain":                    {"hello", "hello!"},
		"what X escapes":           {"a < b && b > c &amp; &lt;", "a < b && b > c & <"},
		"a link":                   {"read https://example.com/a?b=1&c=2.", "read https://example.com/a?b=1&c=3."},
		"a link without protocol":  {"see example.com/Path now", "see example.org/Path now"},
		"two links":                {"https://example.com/1 https://example.com/2", "https://example.com/1 https://example.com/1"},
		"the same link twice":      {"example.com and https://example.com", "example.com"},
		"a link and its text":      {"me@example.com https://example.com", "https://example.com"},
		"space that X trims":       {"  two\n\nlines ", "two"},
		"accents written in two":   {"cafe\u0301", "cafe"},
		"what is not taken so far": {"#tag @somebody 日本 👩‍👩‍👧", "#tag @somebody"},
		"a host in other letters":  {"see http://münchen.de/straße", "see http://münchen.de/"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.delivery(tt.text)
			r.addForeign(t, simulation.Post{Text: tt.other})
			r.doubt(t, d)
			r.Inject(t, simulation.Fault{Operation: opCreatePost, Lose: true})
			_, err := r.Publish(t.Context(), d)
			connectortest.WantKind(t, err, schema.Unknown)
			if receipt := r.find(t, d, schema.Found); receipt.NativeID != r.posts(t, 2)[1].ID {
				t.Errorf("found %s, want %s", receipt.NativeID, r.posts(t, 2)[1].ID)
			}
		})
	}
}

// What differs from the post in one way is not it.
func TestFindTellsPostsOfOneTextApart(t *testing.T) {
	poll := `{"poll":{"options":["a","b"],"durationMinutes":60}}`
	quote := `{"quoteTweetId":"20"}`
	for name, ask := range map[string]func(*testing.T, *rig, *schema.Delivery){
		"plain":   func(*testing.T, *rig, *schema.Delivery) {},
		"a poll":  func(_ *testing.T, _ *rig, d *schema.Delivery) { d.Settings = json.RawMessage(poll) },
		"a quote": func(_ *testing.T, _ *rig, d *schema.Delivery) { d.Settings = json.RawMessage(quote) },
		"an image": func(t *testing.T, r *rig, d *schema.Delivery) {
			d.Media = []schema.Media{r.image(t, "one")}
		},
		"two images": func(t *testing.T, r *rig, d *schema.Delivery) {
			d.Media = []schema.Media{r.image(t, "one"), r.image(t, "two")}
		},
		"a reply": func(t *testing.T, r *rig, d *schema.Delivery) {
			d.Entry, d.Entries, d.Receipts = 1, 2, []schema.Receipt{{NativeID: r.addForeign(t, simulation.Post{Text: "root"}).ID}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.delivery("same")
			ask(t, r, &d)
			if name != "plain" {
				r.addForeign(t, simulation.Post{Text: "same"})
			} else {
				r.addForeign(t, simulation.Post{Text: "same", Media: []simulation.Media{{ID: "1", Type: "image/png"}}})
			}
			switch name {
			case "plain":
				r.find(t, d, schema.NotThere)
			case "a quote": // of which it is not known that X says so
			default: // nor that it always says what is attached or answered
				r.doubt(t, d)
			}
			r.Pass(48 * time.Hour)
			d.Since = r.Clock()
			receipt := r.publish(t, d)
			if found := r.find(t, d, schema.Found); found.NativeID != receipt.NativeID || found.URL != receipt.URL {
				t.Errorf("found %+v, published %+v", found, receipt)
			}
		})
	}
}

// X leaves out what its description does not require: where a link leads (entities.urls[].expanded_url is
// nullable and not required, OpenAPI 2.167), and in its own API Playground what is attached, and joiners.
func TestAPostThatXShowsInPartsIsNotPublishedTwice(t *testing.T) {
	const at = `"created_at":"2026-03-04T05:06:07.000Z"`
	for name, tt := range map[string]struct {
		text   string
		image  bool
		listed string
		want   schema.Verdict
	}{
		"no address":        {"read https://example.com/a", false, `{"id":"7",` + at + `,"text":"read https://t.co/abc","entities":{"urls":[{"url":"https://t.co/abc","start":5,"end":21}]}}`, schema.CannotTell},
		"a null address":    {"read https://example.com/a", false, `{"id":"7",` + at + `,"text":"read https://t.co/abc","entities":{"urls":[{"url":"https://t.co/abc","expanded_url":null}]}}`, schema.CannotTell},
		"no entities":       {"read https://example.com/a", false, `{"id":"7",` + at + `,"text":"read https://t.co/abc"}`, schema.CannotTell},
		"only the last one": {"read https://example.com/a", false, `{"id":"7",` + at + `,"text":"read https://t.co/abc","entities":{"urls":[{"url":"https://t.co/abc","unwound_url":"https://example.com/a"}]}}`, schema.Found},
		"the written link":  {"read https://example.com/a", false, `{"id":"7",` + at + `,"text":"read https://example.com/a","entities":{"urls":[{"url":"https://example.com/a","start":5,"end":26}]}}`, schema.Found},
		"the text as it is": {"read https://example.com/a", false, `{"id":"7",` + at + `,"text":"read https://example.com/a"}`, schema.Found},
		"a link alone":      {"https://example.com/a", false, `{"id":"7",` + at + `,"text":"https://t.co/abc"}`, schema.CannotTell},
		"no joiners":        {"a family 👩‍👩‍👧", false, `{"id":"7",` + at + `,"text":"a family 👩👩👧"}`, schema.Found},
		"no attachments":    {"look", true, `{"id":"7",` + at + `,"text":"look"}`, schema.CannotTell},
		"no media key":      {"look", true, `{"id":"7",` + at + `,"text":"look https://t.co/abc","attachments":{"media_keys":["3_1"]},"entities":{"urls":[{"url":"https://t.co/abc"}]}}`, schema.Found},
		"another post":      {"read https://example.com/a", false, `{"id":"7",` + at + `,"text":"We close at noon"}`, schema.NotThere},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.delivery(tt.text)
			if tt.image {
				d.Media = []schema.Media{r.image(t, "one")}
			}
			r.Pass(time.Hour) // so long after, nothing in doubt is waited for
			r.Inject(t, simulation.Fault{Operation: opListPosts, Status: 200, Body: `{"data":[` + tt.listed + `],"meta":{"result_count":1}}`})
			r.find(t, d, tt.want)
		})
	}
}

func TestFindReadsPageAfterPage(t *testing.T) {
	r := newRig(t)
	d := r.delivery("early")
	first := r.addForeign(t, simulation.Post{Text: "early"})
	for i := range 2*pageSize + 5 {
		r.Pass(time.Second)
		r.addForeign(t, simulation.Post{Text: fmt.Sprintf("late %d", i)})
	}
	if receipt := r.find(t, d, schema.Found); receipt.NativeID != first.ID {
		t.Errorf("found %s, want %s", receipt.NativeID, first.ID)
	}
	if calls := r.World.Calls(opListPosts); calls != 3 {
		t.Errorf("%d pages, want 3", calls)
	}
}

func TestFindByAnotherClock(t *testing.T) {
	for name, tt := range map[string]struct {
		ahead time.Duration // of X's clock
		lost  bool
	}{
		"a little behind": {-5 * time.Minute, false},
		"ahead":           {time.Hour, false},
		"far behind":      {-11 * time.Minute, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.Ahead = tt.ahead
			d := r.delivery("hello")
			r.addForeign(t, simulation.Post{Text: "hello"})
			if !tt.lost {
				r.find(t, d, schema.Found)
				return
			}
			_, verdict, err := r.Find(t.Context(), d)
			connectortest.WantKind(t, err, schema.Retryable)
			if verdict != schema.CannotTell {
				t.Errorf("verdict = %v", verdict)
			}
		})
	}
}

func TestFindInDoubt(t *testing.T) {
	r := newRig(t)
	r.addForeign(t, simulation.Post{Text: "hello"})
	r.Pass(listing.ClockDoubt / 2)
	d := r.delivery("hello")
	_, _, err := r.Find(t.Context(), d)
	connectortest.WantKind(t, err, schema.Retryable)
	r.Pass(listing.DoubtLast)
	r.find(t, d, schema.CannotTell)
	d.Since = d.Since.Add(time.Hour)
	_, _, err = r.Find(t.Context(), d) // a clock was set back
	if e := connectortest.WantKind(t, err, schema.Retryable); e.RetryAfter < 40*time.Minute {
		t.Errorf("look again in %v", e.RetryAfter)
	}
}

func TestFindOnASharedProfileWaitsForTheOther(t *testing.T) {
	r := newRig(t)
	d := r.delivery("hello")
	d.Shared = true
	post := r.addForeign(t, simulation.Post{Text: "hello"})
	_, _, err := r.Find(t.Context(), d)
	connectortest.WantKind(t, err, schema.Retryable)
	r.Pass(listing.InFlight)
	if receipt := r.find(t, d, schema.Found); receipt.NativeID != post.ID {
		t.Errorf("found %s, want %s", receipt.NativeID, post.ID)
	}
}

// A list that leaves out what was asked for shows nothing to be missing.
func TestFindWantsWholeAnswers(t *testing.T) {
	for name, body := range map[string]string{
		"no count":         `{"data":[]}`,
		"another count":    `{"meta":{"result_count":1}}`,
		"no time":          `{"data":[{"id":"1","text":"hello"}],"meta":{"result_count":1}}`,
		"a reply to what?": `{"data":[{"id":"1","text":"x","created_at":"2026-03-04T05:06:07.000Z","in_reply_to_user_id":"5"}],"meta":{"result_count":1}}`,
		"errors alone":     `{"errors":[{"title":"Not Found Error","detail":"no","type":"https://api.x.com/2/problems/resource-not-found"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.Inject(t, simulation.Fault{Operation: opListPosts, Status: 200, Body: body})
			_, verdict, err := r.Find(t.Context(), r.delivery("hello"))
			connectortest.WantKind(t, err, schema.Retryable)
			if verdict != schema.CannotTell {
				t.Errorf("verdict = %v", verdict)
			}
		})
	}
}

func TestFindOfTheSandbox(t *testing.T) {
	r := newRig(t)
	d := r.delivery("hello")
	d.Account.NativeID, d.Account.Sandbox = "sandbox", true
	r.addForeign(t, simulation.Post{Text: "hello"})
	r.find(t, d, schema.Found)
}
