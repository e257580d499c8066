package twitter

import (
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// Since August 2026 X's OpenAPI (2.167) and xdk 0.10.6 read by post.fields; its prose, xurl and its API
// Playground by tweet.fields. Both are read, and the name that works is remembered.
func TestPostsAreReadByBothNames(t *testing.T) {
	for name, marker := range map[string]string{"posts": "", "tweets": "[crier:tweet-names]"} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			root := r.publish(t, r.delivery("root "+marker))
			d := r.delivery("a reply")
			d.Entry, d.Entries, d.Receipts = 1, 2, []schema.Receipt{root}
			r.Inject(t, simulation.Fault{Operation: opCreatePost, Lose: true})
			_, err := r.Publish(t.Context(), d)
			connectortest.WantKind(t, err, schema.Unknown)
			calls := r.World.Calls(opListPosts)
			for range 2 {
				if receipt := r.find(t, d, schema.Found); receipt.NativeID != r.posts(t, 2)[1].ID {
					t.Errorf("found %s", receipt.NativeID)
				}
			}
			calls = r.World.Calls(opListPosts) - calls
			if want := map[string]int{"posts": 2, "tweets": 3}[name]; calls != want {
				t.Errorf("%d calls for two looks, want %d", calls, want)
			}
			r.Pass(24 * time.Hour)
			reading := connectors.Reading{Account: d.Account, Credentials: d.Credentials}
			metrics, err := r.PostMetrics(t.Context(), reading, []schema.PublishedPost{{NativeID: root.NativeID}})
			if err != nil || len(metrics) != 1 || metrics[0].Metrics.Shares == nil || metrics[0].Metrics.Likes == nil {
				t.Errorf("metrics %+v, %v", metrics, err)
			}
			followers, err := r.Followers(t.Context(), reading)
			if err != nil || followers.Posts == nil || *followers.Posts != 2 {
				t.Errorf("followers %+v, %v", followers, err)
			}
			r.World.Say(simulation.Remark{Account: r.account(), Under: root.NativeID, Text: "an answer"})
			page, err := r.Comments(t.Context(), reading, schema.PublishedPost{NativeID: root.NativeID}, "")
			if err != nil || len(page.Items) == 0 {
				t.Errorf("comments %+v, %v", page, err)
			}
		})
	}
}

// What X's description does not require may be missing of a post that is listed.
func TestASparsePostIsNotPublishedTwice(t *testing.T) {
	r := newRig(t)
	d := r.delivery("read https://example.com/a [crier:sparse-post]")
	r.Inject(t, simulation.Fault{Operation: opCreatePost, Lose: true})
	_, err := r.Publish(t.Context(), d)
	connectortest.WantKind(t, err, schema.Unknown)
	r.doubt(t, d)
	r.Pass(time.Hour)
	r.find(t, d, schema.CannotTell)
}
