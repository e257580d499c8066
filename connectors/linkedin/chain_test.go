package linkedin

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// A lost answer of any call before the visible one leads to one post all the same: the call
// is made again, or what it did is found.
func TestALostAnswerOfEachCall(t *testing.T) {
	for operation, item := range map[string]schema.Media{
		"POST /rest/images?action=initializeUpload":    picture,
		"GET /rest/images/{urn}":                       picture,
		"POST /rest/documents?action=initializeUpload": paper,
		"GET /rest/documents/{urn}":                    paper,
		"POST /rest/videos?action=initializeUpload":    film,
		"PUT /dms-uploads/{id}/{part}":                 film,
		"POST /rest/videos?action=finalizeUpload":      film,
		"GET /rest/videos/{urn}":                       film,
	} {
		for name, fault := range map[string]simulation.Fault{
			"answer lost": {Operation: operation, Lose: true}, "never arrived": {Operation: operation, Refuse: true}, "503": {Operation: operation, Status: 503},
		} {
			t.Run(operation+" "+name, func(t *testing.T) {
				r := newRig(t)
				r.Inject(t, fault)
				r.publish(t, r.delivery("look", item))
				if posts := r.World.Posts(); len(posts) != 1 || len(posts[0].Media) != 1 || posts[0].Media[0].Size == 0 {
					t.Errorf("posts %+v", posts)
				}
			})
		}
	}
}

// The visible calls are looked for: whatever was lost, there is one post and one comment.
func TestALostAnswerOfTheVisibleCalls(t *testing.T) {
	r := newRig(t)
	d := r.prepare(t, r.delivery("look", picture))
	r.Inject(t, simulation.Fault{Operation: opCreatePost, Lose: true})
	_, err := r.Publish(t.Context(), d)
	connectortest.WantKind(t, err, schema.Unknown)
	r.Inject(t, simulation.Fault{Operation: "GET /rest/posts", Lose: true})
	_, _, err = r.Find(t.Context(), d)
	connectortest.WantKind(t, err, schema.Retryable)
	found, verdict, err := r.Find(t.Context(), d)
	if err != nil || verdict != schema.Found || !strings.HasSuffix(found.NativeID, r.World.Posts()[0].ID) {
		t.Fatalf("Find = %+v, %v, %v", found, verdict, err)
	}

	c := r.delivery("look")
	c.Receipts, c.Comment = []schema.Receipt{found}, &schema.Comment{Text: "first"}
	r.Inject(t, simulation.Fault{Operation: opComment, Lose: true})
	_, err = r.Comment(t.Context(), c)
	connectortest.WantKind(t, err, schema.Unknown)
	receipt, verdict, err := r.Find(t.Context(), c)
	if err != nil || verdict != schema.Found || receipt.NativeID != r.World.Posts()[1].ID {
		t.Fatalf("Find of the comment = %+v, %v, %v", receipt, verdict, err)
	}
}

// Parts that were uploaded before a process died are not uploaded again.
func TestAVideoGoesOnWhereItWasCutOff(t *testing.T) {
	r := newRig(t)
	d := r.delivery("look", film)
	const put = "PUT /dms-uploads/{id}/{part}"
	for range 2 {
		r.Inject(t, simulation.Fault{Operation: put, Delay: 1})
	}
	r.Inject(t, simulation.Fault{Operation: put, Refuse: true}) // the third part
	r.publish(t, d)
	if n := r.World.Calls(put); n != 4 {
		t.Errorf("%d calls for three parts, want one of them twice", n)
	}
	if n := r.World.Calls("POST /rest/videos?action=initializeUpload"); n != 1 {
		t.Errorf("%d uploads were begun, want 1", n)
	}
	if post := r.World.Posts()[0]; post.Media[0].Size != filmSize || post.Media[0].Type != "video/mp4" {
		t.Errorf("media %+v", post.Media)
	}
}

// What is uploaded in one call of Prepare is bounded in time, so that its lease is not
// overrun and its progress is kept.
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
	if n := r.World.Calls("PUT /dms-uploads/{id}/{part}"); n != 1 {
		t.Errorf("%d parts in a turn that was over after the first", n)
	}
	d.Progress = p.State
	r.publish(t, d)
	if n := r.World.Calls("PUT /dms-uploads/{id}/{part}"); n != 3 {
		t.Errorf("%d calls for three parts", n)
	}
}

// An upload whose addresses have expired begins again.
func TestAnExpiredUploadBeginsAnew(t *testing.T) {
	r := newRig(t)
	r.Inject(t, simulation.Fault{Operation: "PUT /dms-uploads/{id}/{part}", Status: http.StatusForbidden, Body: "<html>expired"})
	r.publish(t, r.delivery("look", film))
	if n := r.World.Calls("POST /rest/videos?action=initializeUpload"); n != 2 {
		t.Errorf("%d uploads were begun, want 2", n)
	}
}

// A token that may not ask how far media is publishes, and comes again where that was too
// early.
func TestMediaThatMayNotBeAskedFor(t *testing.T) {
	r := newRig(t)
	r.Inject(t, simulation.Fault{
		Operation: "GET /rest/images/{urn}", Status: http.StatusForbidden, Times: 9,
		Body: `{"message":"Not enough permissions to access: images.GET","status":403,"code":"ACCESS_DENIED"}`,
	})
	d := r.prepare(t, r.delivery("look", picture))
	r.Inject(t, simulation.Fault{
		Operation: opCreatePost, Status: http.StatusBadRequest,
		Body: `{"message":"MEDIA_ASSET_WAITING_UPLOAD: not yet","status":400}`,
	})
	_, err := r.Publish(t.Context(), d)
	if e := connectortest.WantKind(t, err, schema.Retryable); e.RetryAfter <= 0 {
		t.Error("it does not say when to come again")
	}
	r.Pass(mediaWait + time.Second)
	if _, err := r.Publish(t.Context(), d); err != nil {
		t.Error(err)
	}
}

// An address for an upload that is not LinkedIn's is not told the token.
func TestUploadsTellNobodyElseTheToken(t *testing.T) {
	for address, want := range map[string]bool{
		"https://www.linkedin.com/dms-uploads/1": true, "https://api.linkedin.com/x": true,
		"http://www.linkedin.com/x": false, "https://linkedin.com.example.org/x": false, "https://example.org/x": false, "https://xlinkedin.com/": false, "%": false,
	} {
		if got := New(connectors.Parts{}).isOwn(address); got != want {
			t.Errorf("isOwn(%q) = %t", address, got)
		}
	}
	if New(connectors.Parts{Base: "http://127.0.0.1:9/linkedin"}).isOwn("https://www.linkedin.com/x") {
		t.Error("a simulator's token is told to LinkedIn")
	}
}
