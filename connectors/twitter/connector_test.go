package twitter

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	simulator "crier/connectors/simulators/twitter"
	"crier/schema"
)

func TestEntriesCarryTheirSettings(t *testing.T) {
	r := newRig(t)
	all := `{"replySettings":"verified","communityId":"7","shareWithFollowers":true,"forSuperFollowersOnly":true,"madeWithAi":true,"paidPartnership":true`
	for name, tt := range map[string]struct {
		settings string
		media    bool
		entry    int
		want     string
	}{
		"the first":           {all + `,"quoteTweetId":"20"}`, false, 0, `{"quotes":"20","replySettings":"verified","community":"7","madeWithAi":true,"paidPartnership":true,"exclusive":true,"shared":true}`},
		"a later one":         {all + `,"quoteTweetId":"20","poll":{"options":["a","b"],"durationMinutes":5}}`, true, 1, `{"madeWithAi":true,"paidPartnership":true}`},
		"people in an image":  {`{"taggedUserIds":["5","6"]}`, true, 0, `{"tagged":["5","6"]}`},
		"people in no image":  {`{"taggedUserIds":["5","6"]}`, false, 0, `{}`},
		"settings of another": {``, false, 0, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			d := r.delivery(name)
			d.Entry, d.Entries, d.Settings = tt.entry, 2, json.RawMessage(tt.settings)
			if tt.media {
				d.Media = []schema.Media{r.image(t, name)}
			}
			if tt.entry > 0 {
				d.Receipts = []schema.Receipt{{NativeID: r.addForeign(t, simulation.Post{Text: "root"}).ID}}
			}
			receipt := r.publish(t, d)
			post, _ := r.World.Post(r.account(), receipt.NativeID)
			if string(post.Fields) != tt.want {
				t.Errorf("X has %s, want %s", post.Fields, tt.want)
			}
		})
	}
}

func TestAPollIsAsked(t *testing.T) {
	r := newRig(t)
	d := r.delivery("which?")
	d.Settings = json.RawMessage(`{"poll":{"options":["this","that"],"durationMinutes":1440}}`)
	r.publish(t, d)
	var fields struct {
		Poll struct {
			Options []string
			EndsAt  time.Time
		}
	}
	if err := json.Unmarshal(r.posts(t, 1)[0].Fields, &fields); err != nil {
		t.Fatal(err)
	}
	if got := fields.Poll; strings.Join(got.Options, " ") != "this that" || got.EndsAt.Sub(r.Clock()) != 24*time.Hour {
		t.Errorf("X asks %+v", got)
	}
}

// X has two readings of a reply to one's own post; both end at once, one with a post.
func TestRepliesToOnesOwnPosts(t *testing.T) {
	for name, tt := range map[string]struct {
		simulate func(*simulation.World) http.Handler
		text     string
		refused  bool
	}{
		"are taken":                 {simulator.New, "more", false},
		"are taken or not, by text": {simulator.New, "more [crier:uninvited]", true},
		"need an invitation":        {simulator.NewInviteOnly, "more", true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRigOf(t, tt.simulate)
			root := r.publish(t, r.delivery("root"))
			comment := r.delivery("root")
			comment.Receipts, comment.Comment = []schema.Receipt{root}, &schema.Comment{Text: tt.text}
			entry := r.delivery(tt.text + " of it")
			entry.Entry, entry.Entries, entry.Receipts = 1, 2, []schema.Receipt{root}
			_, commented := r.Comment(t.Context(), comment)
			_, published := r.Publish(t.Context(), entry)
			for of, err := range map[string]error{"comment": commented, "entry": published} {
				if !tt.refused {
					if err != nil {
						t.Errorf("%s: %v", of, err)
					}
					continue
				}
				if e := connectortest.WantKind(t, err, schema.Refused); !strings.Contains(e.Message, "23 February 2026") {
					t.Errorf("%s: %q", of, e.Message)
				}
			}
			r.posts(t, map[bool]int{true: 1, false: 3}[tt.refused])
		})
	}
}

func TestACommentOnWhatIsNotThere(t *testing.T) {
	r := newRig(t)
	d := r.delivery("root")
	d.Comment = &schema.Comment{Text: "first"}
	_, err := r.Comment(t.Context(), d)
	connectortest.WantKind(t, err, schema.Refused)
	r.posts(t, 0)
}

func TestAWindowThatIsUsedUpIsWaitedOut(t *testing.T) {
	r := newRig(t)
	taken := simulation.Fault{Operation: opCreatePost, Status: 201, Body: `{"data":{"id":"5","text":"x"}}`}
	for name, tt := range map[string]struct {
		header string // what is used up
		all    bool   // accounts of the app
	}{
		"of the account":         {"X-Rate-Limit", false},
		"of the account's day":   {"X-User-Limit-24hour", false},
		"of the app and its day": {"X-App-Limit-24hour", true},
	} {
		t.Run(name, func(t *testing.T) {
			r.restart(t)
			const wait = 10 * time.Minute
			taken.Header = map[string]string{
				tt.header + "-Remaining": "0", tt.header + "-Reset": strconv.FormatInt(r.Clock().Add(wait).Unix(), 10),
			}
			r.Inject(t, taken)
			d, other := r.delivery(name), r.delivery(name+" of another")
			if _, err := r.Publish(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			before := r.World.Calls(opCreatePost)
			_, err := r.Publish(t.Context(), d)
			if e := connectortest.WantKind(t, err, schema.RateLimited); e.RetryAfter < wait-time.Second || e.RetryAfter > wait+time.Second {
				t.Errorf("RetryAfter = %v, want %v", e.RetryAfter, wait)
			}
			if _, left := r.client.Reserve(t.Context(), d.Account.ID, connectors.Post); !tt.all && left < wait-time.Second {
				t.Errorf("it may be claimed in %v", left)
			}
			if _, err = r.Publish(t.Context(), other); tt.all {
				connectortest.WantKind(t, err, schema.RateLimited)
			} else if err != nil {
				t.Errorf("another account: %v", err)
			}
			if calls := r.World.Calls(opCreatePost) - before; calls != map[bool]int{true: 0, false: 1}[tt.all] {
				t.Errorf("%d calls", calls)
			}
			r.Pass(wait + time.Second)
			if _, err := r.Publish(t.Context(), d); err != nil {
				t.Errorf("after the window: %v", err)
			}
		})
	}
}

func TestTheAppsDayIsUsedUpForAll(t *testing.T) {
	r := newRig(t)
	r.Inject(t, simulation.Fault{Operation: opCreatePost, Status: 429, Header: map[string]string{
		"X-Rate-Limit-Remaining": "99", "X-Rate-Limit-Reset": strconv.FormatInt(r.Clock().Add(time.Minute).Unix(), 10),
		"X-App-Limit-24hour-Remaining": "0", "X-App-Limit-24hour-Reset": strconv.FormatInt(r.Clock().Add(5*time.Hour).Unix(), 10),
	}})
	for range 2 { // the second is of another account, and not made
		_, err := r.Publish(t.Context(), r.delivery("hello"))
		if e := connectortest.WantKind(t, err, schema.RateLimited); e.RetryAfter != 5*time.Hour {
			t.Errorf("RetryAfter = %v", e.RetryAfter)
		}
	}
	if calls := r.World.Calls(opCreatePost); calls != 1 {
		t.Errorf("%d calls, want 1", calls)
	}
	r.Pass(-longestWindow) // a clock that is set back throttles nobody for as long
	if _, err := r.Publish(t.Context(), r.delivery("hello again")); err != nil {
		t.Error(err)
	}
}
