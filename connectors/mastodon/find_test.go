package mastodon

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"crier/connectors/listing"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// What was published and whose answer was lost is found, whatever it is.
func TestFindFindsWhatWasPublished(t *testing.T) {
	for name, change := range map[string]func(*testing.T, *rig, *schema.Delivery){
		"a text": func(*testing.T, *rig, *schema.Delivery) {},
		"a text with links and mentions": func(_ *testing.T, _ *rig, d *schema.Delivery) {
			d.Text = "hi @alice@other.example, see https://www.example.com/a/very/long/path/that/is/cut?x=1&y=<2> #Tag\n\nbye"
		},
		"media alone": func(t *testing.T, r *rig, d *schema.Delivery) {
			d.Text, d.Media = "", items(smallImage, smallImage)
			p, err := r.Prepare(t.Context(), *d)
			if err != nil {
				t.Fatal(err)
			}
			d.Progress = p.State
		},
		"a poll": func(_ *testing.T, _ *rig, d *schema.Delivery) {
			d.Settings = json.RawMessage(`{"poll":{"options":["a & b","c"],"expiresIn":300}}`)
		},
		"a content warning": func(_ *testing.T, _ *rig, d *schema.Delivery) {
			d.Settings = json.RawMessage(`{"spoilerText":"careful","visibility":"direct"}`)
		},
		"a warning without a text": func(_ *testing.T, _ *rig, d *schema.Delivery) {
			d.Text, d.Settings = "", json.RawMessage(`{"spoilerText":"careful"}`)
		},
		"a later entry": func(t *testing.T, r *rig, d *schema.Delivery) {
			d.Receipts, d.Entry = []schema.Receipt{mustPublish(t, r, r.delivery("root"))}, 1
		},
		"an account whose id is not known": func(_ *testing.T, _ *rig, d *schema.Delivery) { d.Account.NativeID = "" },
		"an account of a sandbox": func(_ *testing.T, _ *rig, d *schema.Delivery) {
			d.Account.NativeID, d.Account.Sandbox = "sandbox", true
		},
		"a server whose clock is ahead":  func(_ *testing.T, r *rig, _ *schema.Delivery) { r.Ahead = time.Hour },
		"a server whose clock is behind": func(_ *testing.T, r *rig, _ *schema.Delivery) { r.Ahead = -time.Hour },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.delivery("hello")
			change(t, r, &d)
			before := len(r.World.Posts())
			r.Inject(t, simulation.Fault{Operation: opCreateStatus, Lose: true})
			_, err := r.Publish(t.Context(), d)
			connectortest.WantKind(t, err, schema.Unknown)
			posts := r.World.Posts()
			if len(posts) != before+1 {
				t.Fatalf("%d posts, want %d", len(posts), before+1)
			}
			r.Pass(schema.Lease)
			receipt, verdict, err := r.Find(t.Context(), d)
			if err != nil || verdict != schema.Found || receipt.NativeID != posts[before].ID || receipt.URL == "" {
				t.Errorf("Find = %+v, %v, %v, want %s", receipt, verdict, err, posts[before].ID)
			}
		})
	}
}

func TestFindFindsAComment(t *testing.T) {
	r := newRig(t)
	root := mustPublish(t, r, r.delivery("hello"))
	d := r.delivery("hello")
	d.Receipts, d.Comment, d.Key = []schema.Receipt{root}, &schema.Comment{Text: "more"}, "comment"
	if _, verdict, err := r.Find(t.Context(), d); verdict != schema.NotThere || err != nil {
		t.Fatalf("Find before = %v, %v", verdict, err)
	}
	posted, err := r.Comment(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if found, verdict, err := r.Find(t.Context(), d); verdict != schema.Found || err != nil || found != posted {
		t.Errorf("Find = %+v, %v, %v, want %+v", found, verdict, err, posted)
	}
}

func TestFindTellsOthersApart(t *testing.T) {
	for name, tt := range map[string]struct {
		arrange func(*testing.T, *rig, *schema.Delivery)
		want    schema.Verdict
	}{
		"nothing at all": {func(*testing.T, *rig, *schema.Delivery) {}, schema.NotThere},
		"another text": {func(t *testing.T, r *rig, _ *schema.Delivery) {
			r.add(t, simulation.Post{Text: "hallo"})
		}, schema.NotThere},
		"the same text of another post of ours": {func(t *testing.T, r *rig, d *schema.Delivery) {
			d.Known = []string{r.add(t, simulation.Post{Text: "hello"}).ID}
		}, schema.NotThere},
		"the same text of an earlier entry": {func(t *testing.T, r *rig, d *schema.Delivery) {
			first := r.add(t, simulation.Post{Text: "hello"})
			d.Receipts, d.Entry = []schema.Receipt{{NativeID: first.ID}}, 1
		}, schema.NotThere},
		"the same text as a reply": {func(t *testing.T, r *rig, _ *schema.Delivery) {
			r.add(t, simulation.Post{Text: "hello", ReplyTo: r.add(t, simulation.Post{Text: "root"}).ID})
		}, schema.NotThere},
		"the same text with media": {func(t *testing.T, r *rig, _ *schema.Delivery) {
			r.add(t, simulation.Post{Text: "hello", Media: []simulation.Media{{ID: "1", Type: "image/png"}}})
		}, schema.NotThere},
		"the same text with a poll": {func(t *testing.T, r *rig, _ *schema.Delivery) {
			r.add(t, simulation.Post{Text: "hello", Fields: json.RawMessage(`{"visibility":"public","poll":{"options":["a","b"]}}`)})
		}, schema.NotThere},
		"the same text long before the claim": {func(t *testing.T, r *rig, d *schema.Delivery) {
			r.add(t, simulation.Post{Text: "hello"})
			r.Pass(time.Hour)
			d.Since = r.Clock()
		}, schema.NotThere},
		"the same text right before the claim": {func(t *testing.T, r *rig, d *schema.Delivery) {
			r.add(t, simulation.Post{Text: "hello"})
			r.Pass(20 * time.Second)
			d.Since = r.Clock()
		}, schema.SafeToRepeat},
		"the same text after the claim": {func(t *testing.T, r *rig, _ *schema.Delivery) {
			r.add(t, simulation.Post{Text: "hello"})
		}, schema.Found},
		"pages of others before it": {func(t *testing.T, r *rig, _ *schema.Delivery) {
			r.add(t, simulation.Post{Text: "hello"})
			r.addMany(t, 3*pageSize)
		}, schema.Found},
		"pages of others and nothing": {func(t *testing.T, r *rig, _ *schema.Delivery) { r.addMany(t, 3*pageSize) }, schema.NotThere},
		"more than is read":           {func(t *testing.T, r *rig, _ *schema.Delivery) { r.addMany(t, listing.MaxPages*pageSize+1) }, schema.CannotTell},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.delivery("hello")
			tt.arrange(t, r, &d)
			r.Pass(schema.Lease)
			receipt, verdict, err := r.Find(t.Context(), d)
			if err != nil || verdict != tt.want || (receipt.NativeID != "") != (verdict == schema.Found) {
				t.Errorf("Find = %+v, %v, %v, want %v", receipt, verdict, err, tt.want)
			}
		})
	}
}

func (r *rig) addMany(t *testing.T, n int) {
	t.Helper()
	for i := range n {
		r.add(t, simulation.Post{Text: fmt.Sprintf("other %d", i)})
	}
}

func TestFindWithoutAFullAnswerCannotTell(t *testing.T) {
	for name, fault := range map[string]simulation.Fault{
		"an outage": {Operation: opListStatuses, Status: http.StatusInternalServerError},
		// net/http itself repeats a read whose kept connection was cut.
		"cuts":           {Operation: opListStatuses, Refuse: true, Times: 3},
		"a page of HTML": {Operation: opListStatuses, Status: http.StatusOK, Body: "<html>"},
		"null":           {Operation: opListStatuses, Status: http.StatusOK, Body: "null"},
		"no times":       {Operation: opListStatuses, Status: http.StatusOK, Body: `[{"id":"1","content":"hello"}]`},
		"no account":     {Operation: opVerify, Status: http.StatusInternalServerError},
		"too many calls": {Operation: opListStatuses, Status: http.StatusTooManyRequests},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.delivery("hello")
			d.Account.NativeID = ""
			r.Inject(t, fault)
			if _, verdict, err := r.Find(t.Context(), d); verdict != schema.CannotTell || err == nil {
				t.Errorf("Find = %v, %v", verdict, err)
			}
		})
	}
}

// A later page that fails leaves open what is on it.
func TestFindWithoutItsLastPageCannotTell(t *testing.T) {
	r := newRig(t)
	r.add(t, simulation.Post{Text: "hello"})
	r.addMany(t, pageSize)
	r.Inject(t, simulation.Fault{Operation: opListStatuses, Delay: 1})
	r.Inject(t, simulation.Fault{Operation: opListStatuses, Status: http.StatusInternalServerError})
	if _, verdict, err := r.Find(t.Context(), r.delivery("hello")); verdict != schema.CannotTell || err == nil {
		t.Errorf("Find = %v, %v", verdict, err)
	}
}

// TestTheCountBeforeAnOpenCallOutlastsOthers has more calls answered than counts are remembered.
func TestTheCountBeforeAnOpenCallOutlastsOthers(t *testing.T) {
	c := newCounts(time.Now)
	var account schema.AccountID
	c.see(account, new(int64(7)))
	c.open(account, "open")
	for n := range 3 * maxCounts {
		key := strconv.Itoa(n)
		c.open(account, key)
		c.close(key)
	}
	if before, ok := c.before.Known("open"); before != 7 || !ok {
		t.Errorf("there were %d statuses before the open call (known: %t), want 7", before, ok)
	}
}
