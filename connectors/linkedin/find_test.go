package linkedin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// shownAs is a list of one post of the delivery's author.
func (r *rig) shownAs(d schema.Delivery, commentary, content, state string, at time.Time) simulation.Fault {
	if content == "" {
		content = "null"
	}
	quoted, _ := json.Marshal(commentary)
	return simulation.Fault{Operation: "GET /rest/posts", Status: http.StatusOK, Body: fmt.Sprintf(
		`{"paging":{"start":0,"count":100,"links":[]},"elements":[{"id":"urn:li:ugcPost:77","author":%q,"commentary":%s,"content":%s,"lifecycleState":%q,"createdAt":%d,"lastModifiedAt":%d}]}`,
		d.Credentials.EntityID, quoted, content, state, at.UnixMilli(), at.UnixMilli())}
}

func TestFindKnowsItsPost(t *testing.T) {
	const text = "See https://example.com/a (now) #crier"
	marked := commentary(text)
	for name, tt := range map[string]struct {
		commentary, content, state string
		after                      time.Duration
		want                       schema.Verdict
	}{
		"as it was sent":            {marked, "", "PUBLISHED", time.Second, schema.Found},
		"with a link of LinkedIn's": {`See https://lnkd.in/x \(now\) {hashtag|\#|crier}`, "", "PUBLISHED", time.Second, schema.Found},
		"still on its way":          {marked, "", "PUBLISH_REQUESTED", time.Second, schema.Found},
		"one that failed":           {marked, "", "PUBLISH_FAILED", time.Second, schema.NotThere},
		"a draft":                   {marked, "", "DRAFT", time.Second, schema.NotThere},
		"cut where a sign was":      {"See https://example.com/a", "", "PUBLISHED", time.Second, schema.CannotTell},
		"another text":              {"See nothing", "", "PUBLISHED", time.Second, schema.NotThere},
		"the text with a picture":   {marked, `{"media":{"id":"urn:li:image:1"}}`, "PUBLISHED", time.Second, schema.NotThere},
		"the text with an article":  {marked, `{"article":{"source":"https://b.example"}}`, "PUBLISHED", time.Second, schema.NotThere},
		"long before":               {marked, "", "PUBLISHED", -time.Hour, schema.NotThere},
		"right before":              {marked, "", "PUBLISHED", -20 * time.Second, schema.CannotTell},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.delivery(text)
			r.Inject(t, r.shownAs(d, tt.commentary, tt.content, tt.state, d.Since.Add(tt.after)))
			r.Pass(5 * time.Second)
			if _, verdict, err := r.Find(t.Context(), d); verdict != tt.want || (err != nil) != (tt.want == schema.CannotTell) {
				t.Errorf("Find = %v, %v; want %v", verdict, err, tt.want)
			}
		})
	}
}

// A post with the delivery's own upload is its own, whatever else is like it.
func TestFindKnowsItsUpload(t *testing.T) {
	r := newRig(t)
	d := r.prepare(t, r.delivery("look", picture))
	d.Shared = true
	p, err := connectors.ReadMediaProgress[asset](d)
	if err != nil {
		t.Fatal(err)
	}
	own := fmt.Sprintf(`{"media":{"id":%q}}`, p.Media[0].URN)
	for content, want := range map[string]schema.Verdict{own: schema.Found, `{"media":{"id":"urn:li:image:1"}}`: schema.NotThere} {
		r.Inject(t, r.shownAs(d, "another text", content, "PUBLISHED", d.Since.Add(time.Second)))
		if _, verdict, err := r.Find(t.Context(), d); verdict != want || err != nil {
			t.Errorf("Find = %v, %v; want %v", verdict, err, want)
		}
	}
}

// What a look may not read is no proof, and no end of the account: it publishes all the same.
func TestFindWithoutItsScope(t *testing.T) {
	r := newRig(t)
	r.Inject(t, simulation.Fault{
		Operation: "GET /rest/posts", Status: http.StatusForbidden, Body: `{"message":"Not enough permissions to access: posts.FINDER-author","status":403}`,
	})
	_, verdict, err := r.Find(t.Context(), r.delivery("look"))
	if connectortest.WantKind(t, err, schema.Refused); verdict != schema.CannotTell {
		t.Errorf("verdict %v", verdict)
	}
}

// LinkedIn answers with comments without an author (MicrosoftDocs/feedback #971): one that is ours all the same
// is not made a second time.
func TestACommentWithoutAnAuthorIsFound(t *testing.T) {
	r := newRig(t)
	d := r.delivery("the post")
	d.Receipts, d.Comment = []schema.Receipt{r.publish(t, d)}, &schema.Comment{Text: "a comment"}
	for author, want := range map[string]schema.Verdict{"": schema.Found, `"actor":"urn:li:person:other",`: schema.NotThere} {
		r.Inject(t, simulation.Fault{Operation: opListComments, Status: http.StatusOK, Body: fmt.Sprintf(
			`{"elements":[{"id":"7",%s"created":{"time":%d},"message":{"text":"a comment"}}]}`, author, d.Since.Add(time.Second).UnixMilli())})
		if _, verdict, err := r.Find(t.Context(), d); verdict != want || err != nil {
			t.Errorf("by %q: Find = %v, %v; want %v", author, verdict, err, want)
		}
	}
}

// A member's posts are shown to nobody: LinkedIn is not even asked.
func TestAMembersPostIsNotLookedFor(t *testing.T) {
	r := newRig(t)
	d := r.delivery("look")
	d.Credentials.EntityID = ""
	if _, verdict, err := r.Find(t.Context(), d); verdict != schema.CannotTell || err != nil || len(r.Requests()) > 0 {
		t.Errorf("Find = %v, %v after %d calls", verdict, err, len(r.Requests()))
	}
}
