package mastodon

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// madeStatus is what the simulator keeps of a status beside what every post has.
type madeStatus struct {
	Visibility, SpoilerText, Language string
	Sensitive                         bool
	Poll                              *struct{}
}

func TestPublish(t *testing.T) {
	r := newRig(t)
	d := r.delivery("hello")
	d.Settings = json.RawMessage(`{"visibility":"unlisted","spoilerText":"cw","sensitive":true,"language":"de"}`)
	receipt := mustPublish(t, r, d)
	post, ok := r.World.Post(r.account(), receipt.NativeID)
	if !ok || post.Text != "hello" {
		t.Fatalf("post = %+v, %t", post, ok)
	}
	want := madeStatus{Visibility: "unlisted", SpoilerText: "cw", Sensitive: true, Language: "de"}
	if got := connectortest.FieldsOf[madeStatus](t, post); got != want {
		t.Errorf("fields = %+v, want %+v", got, want)
	}
	if want := fmt.Sprintf("%s/@user%s/%s", r.Base, r.account(), receipt.NativeID); receipt.URL != want {
		t.Errorf("URL = %q, want %q", receipt.URL, want)
	}
	if !receipt.PostedAt.Equal(r.Clock()) {
		t.Errorf("PostedAt = %v, want %v", receipt.PostedAt, r.Clock())
	}
}

func TestPublishRepeatedMakesOneStatus(t *testing.T) {
	r := newRig(t)
	first, again := mustPublish(t, r, r.delivery("hello")), mustPublish(t, r, r.delivery("hello"))
	if first.NativeID != again.NativeID || len(r.World.Posts()) != 1 {
		t.Errorf("ids %s and %s, %d posts", first.NativeID, again.NativeID, len(r.World.Posts()))
	}
}

func TestThreadHangsTogether(t *testing.T) {
	r := newRig(t)
	root := r.delivery("one")
	root.Settings = json.RawMessage(`{"visibility":"private","poll":{"options":["a","b"],"expiresIn":300}}`)
	first := mustPublish(t, r, root)
	next := r.delivery("two")
	next.Settings, next.Entry, next.Receipts = root.Settings, 1, []schema.Receipt{first}
	second := mustPublish(t, r, next)
	comment := next
	comment.Comment, comment.Key = &schema.Comment{Entry: 0, Text: "three"}, "comment"
	comment.Receipts = []schema.Receipt{first, second}
	third, err := r.Comment(t.Context(), comment)
	if err != nil {
		t.Fatal(err)
	}
	if second.Entry != 1 || third.Entry != 0 {
		t.Errorf("entries = %d, %d, want 1, 0", second.Entry, third.Entry)
	}
	for id, hasPoll := range map[string]bool{first.NativeID: true, second.NativeID: false, third.NativeID: false} {
		post, _ := r.World.Post(r.account(), id)
		if f := connectortest.FieldsOf[madeStatus](t, post); (f.Poll != nil) != hasPoll || f.Visibility != "private" {
			t.Errorf("%s: poll %+v, visibility %s", post.Text, f.Poll, f.Visibility)
		}
		if id != first.NativeID && post.ReplyTo != first.NativeID {
			t.Errorf("%s answers %q, want %q", post.Text, post.ReplyTo, first.NativeID)
		}
	}
}

func TestCommentWithoutEntryIsRefused(t *testing.T) {
	r := newRig(t)
	d := r.delivery("hello")
	d.Comment = &schema.Comment{Text: "comment"}
	_, err := r.Comment(t.Context(), d)
	connectortest.WantKind(t, err, schema.Refused)
	if len(r.World.Posts()) != 0 {
		t.Error("the comment became a post by itself")
	}
}

func TestPublishFailures(t *testing.T) {
	reset := func(r *rig, format func(time.Time) string) simulation.Fault {
		return simulation.Fault{Status: 429, Header: map[string]string{"X-RateLimit-Reset": format(r.Clock().Add(90 * time.Second))}}
	}
	for name, tt := range map[string]struct {
		fault   func(*rig) simulation.Fault
		want    schema.ErrorKind
		message string
		wait    time.Duration
	}{
		"a dead token":    {answering(401, `{"error":"The access token is invalid"}`), schema.TokenDead, "The access token is invalid", 0},
		"a missing scope": {answering(403, `{"error":"This action is outside the authorized scopes"}`), schema.TokenDead, "outside the authorized scopes", 0},
		"a parent gone":   {answering(404, `{"error":"The post you are trying to reply to does not appear to exist."}`), schema.Refused, "does not appear to exist", 0},
		"a text refused":  {answering(422, `{"error":"Validation failed: Text can't be blank"}`), schema.Refused, "can't be blank", 0},
		"a wait until date": {func(r *rig) simulation.Fault {
			return reset(r, func(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000000Z") })
		}, schema.RateLimited, "", 90 * time.Second},
		"a wait until Unix": {func(r *rig) simulation.Fault {
			return reset(r, func(at time.Time) string { return fmt.Sprint(at.Unix()) })
		}, schema.RateLimited, "", 90 * time.Second},
		"an outage":         {answering(502, `<html>Bad Gateway</html>`), schema.Unknown, "", 0},
		"a page, not JSON":  {answering(200, `<html>hello</html>`), schema.Unknown, "", 0},
		"an answer of null": {answering(200, `null`), schema.Unknown, "", 0},
		"a lost answer":     {func(*rig) simulation.Fault { return simulation.Fault{Lose: true} }, schema.Unknown, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			fault := tt.fault(r)
			fault.Operation = opCreateStatus
			r.Inject(t, fault)
			_, err := r.Publish(t.Context(), r.delivery("hello"))
			e := connectortest.WantKind(t, err, tt.want)
			if !strings.Contains(e.Message, tt.message) || e.RetryAfter != tt.wait {
				t.Errorf("error = %q after %v, want %q after %v", e.Message, e.RetryAfter, tt.message, tt.wait)
			}
		})
	}
}

func answering(code int, body string) func(*rig) simulation.Fault {
	return func(*rig) simulation.Fault { return simulation.Fault{Status: code, Body: body} }
}

func TestAddressesOfOtherSchemesAreDropped(t *testing.T) {
	for name, tt := range map[string]struct{ answered, want string }{
		"https":      {`"https://m.example/@a/1"`, "https://m.example/@a/1"},
		"http":       {`"http://m.example/@a/1"`, "http://m.example/@a/1"},
		"null":       {`null`, ""},
		"javascript": {`"javascript:alert(1)"`, ""},
		"data":       {`"data:text/html,x"`, ""},
		"no host":    {`"https:///x"`, ""},
		"relative":   {`"/@a/1"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRigBehind(t, func(http.Handler) http.Handler {
				return http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprintf(rw, `{"id":"1","url":%s}`, tt.answered) })
			})
			receipt, err := r.Publish(t.Context(), schema.Delivery{Text: "hello"})
			if err != nil || receipt.URL != tt.want {
				t.Errorf("URL = %q, %v, want %q", receipt.URL, err, tt.want)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	r := newRig(t)
	profile, err := r.Check(t.Context(), schema.Account{Server: r.Base + "/"}, schema.Credentials{AccessToken: token})
	if err != nil {
		t.Fatal(err)
	}
	name := "user" + r.account() + "@" + strings.TrimPrefix(r.Base, "http://")
	if profile.NativeID != r.account() || profile.Name != name || profile.Server != r.Base {
		t.Errorf("profile = %+v, want %s, %s, %s", profile, r.account(), name, r.Base)
	}
	_, err = r.Check(t.Context(), schema.Account{}, schema.Credentials{})
	connectortest.WantKind(t, err, schema.TokenDead)
}

func TestAccountsServerComesBeforeTheDefault(t *testing.T) {
	own, other := newRig(t), newRig(t)
	d := own.delivery("hello")
	d.Account.Server = other.Base + "/"
	mustPublish(t, own, d)
	if len(own.World.Posts()) != 0 || len(other.World.Posts()) != 1 {
		t.Errorf("%d posts at the default, %d at the account's", len(own.World.Posts()), len(other.World.Posts()))
	}
}
