package facebook

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// kinds are the ways to publish media, with the calls that go before the visible one.
var kinds = map[string]struct {
	settings string
	media    []schema.Media
	calls    []string
	visible  string
}{
	"photos":  {"", []schema.Media{picture, picture}, []string{"POST /{version}/{page}/photos"}, "POST /{version}/{page}/feed"},
	"a video": {`{"title": "A train"}`, []schema.Media{film}, []string{"POST /{version}/{page}/videos"}, "POST /{version}/{page}/videos"},
	"a reel": {
		`{"mediaType": "REELS"}`, []schema.Media{upright},
		[]string{"POST /{version}/{page}/video_reels", "POST /video-upload/{version}/videos/{video}"}, "POST /{version}/{page}/video_reels",
	},
	"a story of a video": {
		`{"mediaType": "STORIES"}`, []schema.Media{upright},
		[]string{"POST /{version}/{page}/video_stories", "POST /video-upload/{version}/videos/{video}"}, "POST /{version}/{page}/video_stories",
	},
	"a story of a photo": {`{"mediaType": "STORIES"}`, []schema.Media{picture}, []string{"POST /{version}/{page}/photos"}, "POST /{version}/{page}/photo_stories"},
}

func (r *rig) deliveryOf(settings string, items ...schema.Media) schema.Delivery {
	d := r.delivery("look", items...)
	d.Settings = json.RawMessage(settings)
	return d
}

// A lost answer of any call before the visible one leads to one post all the same.
func TestALostAnswerOfEachCall(t *testing.T) {
	for kind, tt := range kinds {
		for _, call := range tt.calls {
			for name, fault := range map[string]simulation.Fault{
				"answer lost": {Operation: call, Lose: true}, "never arrived": {Operation: call, Refuse: true}, "500": {Operation: call, Status: 500},
			} {
				t.Run(kind+" "+call+" "+name, func(t *testing.T) {
					r := newRig(t)
					r.Inject(t, fault)
					r.publish(t, r.deliveryOf(tt.settings, tt.media...))
					posts := r.World.Posts()
					if len(posts) != 1 || len(posts[0].Media) != len(tt.media) || posts[0].Media[0].Size == 0 {
						t.Errorf("posts %+v", posts)
					}
				})
			}
		}
	}
}

// A lost answer of the visible call is looked for: what it made is found, what it did not
// make is not there. Nobody can tell of the story of a photo.
func TestALostAnswerOfEachVisibleCall(t *testing.T) {
	for kind, tt := range kinds {
		for name, lost := range map[string]bool{"answer lost": true, "never arrived": false} {
			t.Run(kind+" "+name, func(t *testing.T) {
				r := newRig(t)
				d := r.prepare(t, r.deliveryOf(tt.settings, tt.media...))
				r.Inject(t, simulation.Fault{Operation: tt.visible, Lose: lost, Refuse: !lost})
				_, err := r.Publish(t.Context(), d)
				connectortest.WantKind(t, err, schema.Unknown)
				want := schema.NotThere
				switch {
				case kind == "a story of a photo":
					want = schema.CannotTell
				case lost:
					want = schema.Found
				case d.Media[0].KnownKind() == schema.Video: // which is asked itself
					want = schema.NotMade
				}
				for range 2 {
					receipt, verdict, err := r.Find(t.Context(), d)
					if verdict != want || err != nil || verdict == schema.Found && !strings.HasSuffix(receipt.NativeID, r.World.Posts()[0].ID) {
						t.Fatalf("Find = %+v, %v, %v; want %v", receipt, verdict, err, want)
					}
					r.Pass(videoWait)
				}
			})
		}
	}
}

// The end of an upload may have arrived though its video does not tell yet: Facebook refuses it the
// second time, and the video tells why, by the last try at the latest.
func TestAVideoThatIsPublishedAlready(t *testing.T) {
	for kind, tt := range kinds {
		if tt.media[0].KnownKind() != schema.Video {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			r := newRig(t)
			d := r.prepare(t, r.deliveryOf(tt.settings, tt.media...))
			r.Inject(t, simulation.Fault{Operation: tt.visible, Lose: true})
			_, err := r.Publish(t.Context(), d)
			connectortest.WantKind(t, err, schema.Unknown)
			d.Attempts, d.Tries = 1, schema.DefaultTries
			again := func(status string, kind schema.ErrorKind) *schema.Error {
				t.Helper()
				if status != "" {
					r.Inject(t, simulation.Fault{Operation: "GET /{version}/{node}", Status: http.StatusOK, Body: status})
				}
				_, err := r.Publish(t.Context(), d)
				return connectortest.WantKind(t, err, kind)
			}
			const silent = `{"id":"1","status":{"video_status":"processing","processing_phase":{"status":"not_started"},"publishing_phase":{"status":"not_started"}}}`
			again(silent, schema.Unknown)
			if why := again(`{"id":"1","status":{"video_status":"error","processing_phase":{"status":"error","error":{"message":"too small"}},"publishing_phase":{"status":"not_started"}}}`,
				schema.Refused).Message; !strings.Contains(why, "too small") {
				t.Errorf("a video that cannot be published is told of as %q", why)
			}
			again("", schema.Duplicate)
			if receipt, verdict, err := r.Find(t.Context(), d); verdict != schema.Found || receipt.NativeID != r.World.Posts()[0].ID {
				t.Errorf("Find = %+v, %v, %v", receipt, verdict, err)
			}
			d.Attempts = schema.DefaultTries - 1
			again(silent, schema.Refused)
		})
	}
}

// videoWait is longer than the simulator processes a video.
const videoWait = 10 * time.Second

func TestALostAnswerOfAComment(t *testing.T) {
	r := newRig(t)
	d := r.delivery("look")
	entry := r.publish(t, d)
	d.Receipts, d.Comment = []schema.Receipt{entry}, &schema.Comment{Text: "first"}
	r.Inject(t, simulation.Fault{Operation: "POST /{version}/{node}/comments", Refuse: true})
	_, err := r.Comment(t.Context(), d)
	connectortest.WantKind(t, err, schema.Unknown)
	if _, verdict, err := r.Find(t.Context(), d); verdict != schema.NotThere || err != nil {
		t.Fatalf("Find = %v, %v", verdict, err)
	}
	r.Inject(t, simulation.Fault{Operation: "POST /{version}/{node}/comments", Lose: true})
	_, err = r.Comment(t.Context(), d)
	connectortest.WantKind(t, err, schema.Unknown)
	receipt, verdict, err := r.Find(t.Context(), d)
	if verdict != schema.Found || err != nil || receipt.NativeID != r.World.Posts()[1].ID {
		t.Fatalf("Find = %+v, %v, %v", receipt, verdict, err)
	}
}

// Parts of a video that Facebook has are not sent again, even where the answer to one was
// lost: its refusal says what it wants next.
func TestAVideoGoesOnWhereItWasCutOff(t *testing.T) {
	const videos = "POST /{version}/{page}/videos"
	for name, fault := range map[string]simulation.Fault{
		"answer lost": {Operation: videos, Lose: true}, "never arrived": {Operation: videos, Refuse: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			for range 2 { // the start, and the first of three parts
				r.Inject(t, simulation.Fault{Operation: videos, Delay: 1})
			}
			r.Inject(t, fault)
			receipt := r.publish(t, r.delivery("look", film))
			if n := r.World.Calls(videos); n != 6 {
				t.Errorf("%d calls for a start, three parts, one of them twice, and an end", n)
			}
			if post := r.World.Posts()[0]; post.Media[0].Size != filmSize || receipt.NativeID != post.ID {
				t.Errorf("receipt %+v of %+v", receipt, post)
			}
		})
	}
}

// What is uploaded in one call of Prepare is bounded in time.
func TestALongUploadIsGoneOnWith(t *testing.T) {
	r := newRig(t)
	slow := *r.Connector
	ticks := 0
	slow.now = func() time.Time { ticks++; return r.Clock().Add(time.Duration(ticks) * 2 * connectors.LongestTurn) }
	d := r.delivery("look", film)
	p, err := slow.Prepare(t.Context(), d)
	if err != nil || p.Ready || p.RetryIn <= 0 || p.State == nil {
		t.Fatalf("Prepare = %+v, %v", p, err)
	}
	d.Progress = p.State
	r.publish(t, d)
	if n := r.World.Calls("POST /{version}/{page}/videos"); n != 5 {
		t.Errorf("%d calls for a start, three parts and an end", n)
	}
}

// A reel goes on from what arrived of it.
func TestAReelGoesOnWhereItWasCutOff(t *testing.T) {
	r := newRig(t)
	const upload = "POST /video-upload/{version}/videos/{video}"
	r.Inject(t, simulation.Fault{Operation: upload, Lose: true})
	r.publish(t, r.deliveryOf(`{"mediaType": "REELS"}`, upright))
	last := ""
	for _, request := range r.Requests() {
		if strings.HasPrefix(request.URL.Path, "/video-upload/") {
			last = request.Header.Get("Offset")
		}
	}
	if last != "8388609" || r.World.Posts()[0].Media[0].Size != filmSize {
		t.Errorf("the last upload began at %s; post %+v", last, r.World.Posts()[0])
	}
}

// An upload that Facebook has forgotten begins again.
func TestAForgottenUploadBeginsAnew(t *testing.T) {
	r := newRig(t)
	const videos = "POST /{version}/{page}/videos"
	r.Inject(t, simulation.Fault{Operation: videos, Delay: 1})
	r.Inject(t, simulation.Fault{Operation: videos, Refuse: true})
	r.Inject(t, simulation.Fault{Operation: videos, Status: 400, Body: `{"error":{"message":"(#100) no such session","code":100}}`})
	r.publish(t, r.delivery("look", film))
	if posts := r.World.Posts(); len(posts) != 1 || posts[0].Media[0].Size != filmSize {
		t.Errorf("posts %+v", posts)
	}
}

// An address for an upload that is not Facebook's is not told the token.
func TestUploadsTellNobodyElseTheToken(t *testing.T) {
	for address, want := range map[string]bool{
		"https://rupload.facebook.com/video-upload/v26.0/1": true, "http://rupload.facebook.com/1": false,
		"https://facebook.com.example.org/1": false, "https://xfacebook.com/1": false, "": false, "%": false,
	} {
		if got := New(connectors.Parts{}).isOwn(address); got != want {
			t.Errorf("isOwn(%q) = %t", address, got)
		}
	}
	r := newRig(t)
	calls := 0
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls++ }))
	t.Cleanup(stranger.Close)
	r.Inject(t, simulation.Fault{
		Operation: "POST /{version}/{page}/video_reels", Status: 200, Body: `{"video_id":"1","upload_url":"` + stranger.URL + `"}`,
	})
	_, err := r.Prepare(t.Context(), r.deliveryOf(`{"mediaType": "REELS"}`, upright))
	if connectortest.WantKind(t, err, schema.Retryable); calls > 0 {
		t.Error("a stranger was called")
	}
}
