package twitter

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// Each row loses something at one call of the chain. What the pipeline does then, it does
// here: come again with what was kept, and look for the visible call before any other.
func TestAFaultAtAnyCallMakesOnePost(t *testing.T) {
	for name, fault := range map[string]simulation.Fault{
		"the answer is lost": {Lose: true},
		"the call is lost":   {Refuse: true},
		"X has an outage":    {Status: http.StatusServiceUnavailable},
		"a proxy answers":    {Status: http.StatusOK, Body: "<html>Log in</html>"},
		"no body":            {Shape: simulation.Empty},   // docs.x.com/x-api/media/quickstart, X's API Playground
		"an empty document":  {Shape: simulation.Smaller}, // the tests of xdevplatform/xurl
		"more than is known": {Shape: simulation.Larger},
		"X fails afterwards": {Status: http.StatusInternalServerError, After: true},
	} {
		for _, operation := range []string{opInitialize, opAppend, opFinalize, opMediaStatus, opDescribe, opCreatePost} {
			t.Run(operation+"/"+name, func(t *testing.T) {
				r := newRig(t)
				fault.Operation = operation
				d := r.delivery("look", r.video(t, 2*segmentSize+1))
				r.Inject(t, fault)
				receipt := r.persist(t, d)
				post := r.posts(t, 1)[0]
				if receipt.NativeID != post.ID || len(post.Media) != 1 || post.Media[0].AltText != "alt of video" || post.Media[0].Size != 2*segmentSize+1 {
					t.Errorf("receipt %+v of post %+v", receipt, post)
				}
			})
		}
	}
}

// An answer without a body says nothing of the segment: that X does not have it shows at the end of the
// upload, which begins again.
func TestASegmentThatOnlySeemedTakenIsSentAgain(t *testing.T) {
	r := newRig(t)
	d := r.delivery("look", r.video(t, 2*segmentSize+1))
	r.Inject(t, simulation.Fault{Operation: opAppend, Status: http.StatusOK})
	r.persist(t, d)
	if post := r.posts(t, 1)[0]; post.Media[0].Size != 2*segmentSize+1 {
		t.Errorf("X has %d bytes", post.Media[0].Size)
	}
	if begun := r.World.Calls(opInitialize); begun != 2 {
		t.Errorf("%d uploads begun, want 2", begun)
	}
}

// persist publishes as the pipeline does.
func (r *rig) persist(t *testing.T, d schema.Delivery) schema.Receipt {
	t.Helper()
	for range 30 {
		p, err := r.Prepare(t.Context(), d)
		if p.State != nil {
			d.Progress = p.State
		}
		if err != nil {
			connectortest.WantKind(t, err, schema.Retryable)
			r.Pass(time.Second)
			continue
		}
		if !p.Ready {
			r.Pass(p.RetryIn)
			continue
		}
		receipt, err := r.Publish(t.Context(), d)
		if err == nil {
			return receipt
		}
		connectortest.WantKind(t, err, schema.Unknown)
		for range 2 {
			receipt, verdict, err := r.Find(t.Context(), d)
			if err != nil || verdict == schema.CannotTell {
				t.Fatalf("Find = %v, %v", verdict, err)
			}
			if verdict == schema.Found {
				return receipt
			}
			r.Pass(schema.SettleTime)
		}
	}
	t.Fatal("it was never published")
	return schema.Receipt{}
}

// A process that dies at any call leaves what it had kept before; the next one continues
// that, or begins again.
func TestAnUploadSurvivesADeathAtAnyCall(t *testing.T) {
	const calls = 8 // initialize, three segments, finalize, status, alternative text, post
	for death := 1; death <= calls; death++ {
		r := newRig(t)
		d := r.delivery("look", r.video(t, 2*segmentSize+1))
		var n atomic.Int64 // a GET that net/http repeats comes on another connection
		r.calls = func(string) {
			r.Pass(uploadTurn / 2) // so that Prepare has its progress kept midway
			if n.Add(1) >= int64(death) {
				panic(http.ErrAbortHandler)
			}
		}
		for died := false; !died; { // one process, until it dies
			p, err := r.Prepare(t.Context(), d)
			if err == nil && p.Ready {
				d.Progress = p.State
				_, err = r.Publish(t.Context(), d)
			}
			if died = err != nil; err == nil {
				d.Progress = p.State
			}
			r.Pass(p.RetryIn)
		}
		r.calls = func(string) {}
		r.restart(t)
		receipt := r.persist(t, d)
		if post := r.posts(t, 1)[0]; receipt.NativeID != post.ID || len(post.Media) != 1 {
			t.Errorf("death at call %d: receipt %+v of post %+v", death, receipt, post)
		}
	}
}

func TestALongUploadGoesOnWhereItWas(t *testing.T) {
	r := newRig(t)
	d := r.delivery("look", r.video(t, 5*segmentSize))
	r.calls = func(string) { r.Pass(uploadTurn / 2) }
	turns := 0
	for sent := int64(0); sent < 5*segmentSize; turns++ {
		p, err := r.Prepare(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		d.Progress = p.State
		var state progress
		if err := json.Unmarshal(p.State, &state); err != nil {
			t.Fatal(err)
		}
		if state.Media[0].Sent <= sent {
			t.Fatalf("turn %d came to %d bytes, the one before to %d", turns, state.Media[0].Sent, sent)
		}
		sent = state.Media[0].Sent
		r.restart(t)
	}
	if turns < 2 {
		t.Errorf("all was sent in %d turns", turns)
	}
	if begun, appended := r.World.Calls(opInitialize), r.World.Calls(opAppend); begun != 1 || appended != 5 {
		t.Errorf("%d uploads begun, %d segments sent; want 1 and 5", begun, appended)
	}
	r.publish(t, d)
	if post := r.posts(t, 1)[0]; post.Media[0].Size != 5*segmentSize {
		t.Errorf("X has %d bytes", post.Media[0].Size)
	}
}

// half uploads the first segment of a video of two, and returns the delivery with what was
// kept.
func (r *rig) half(t *testing.T) schema.Delivery {
	t.Helper()
	d := r.delivery("look", r.video(t, 2*segmentSize))
	r.calls = func(call string) {
		if strings.HasSuffix(call, "/append") {
			r.Pass(uploadTurn)
		}
	}
	p, err := r.Prepare(t.Context(), d)
	if err != nil || p.Ready {
		t.Fatalf("Prepare = %+v, %v", p, err)
	}
	r.calls = func(string) {}
	d.Progress = p.State
	return d
}

func TestAnUploadBeginsAnewWhere(t *testing.T) {
	for name, tt := range map[string]struct {
		happens func(*testing.T, *rig)
		fails   bool // the next try, and costs one
	}{
		"X has dropped it":        {func(_ *testing.T, r *rig) { r.Pass(25 * time.Hour) }, true},
		"X refuses what is left":  {func(t *testing.T, r *rig) { r.Inject(t, simulation.Fault{Operation: opAppend, Status: 400}) }, true},
		"the content has changed": {func(t *testing.T, r *rig) { r.video(t, segmentSize+5) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.half(t)
			tt.happens(t, r)
			if tt.fails {
				p, err := r.Prepare(t.Context(), d)
				connectortest.WantKind(t, err, schema.Retryable)
				d.Progress = p.State
			}
			r.publish(t, d)
			if begun := r.World.Calls(opInitialize); begun != 2 {
				t.Errorf("%d uploads begun, want 2", begun)
			}
		})
	}
}

func TestAnUploadIsRefusedWhereItIsBegun(t *testing.T) {
	r := newRig(t)
	r.Inject(t, simulation.Fault{Operation: opAppend, Status: 400, Body: `{"errors":[{"message":"media type unrecognized."}],"detail":"One or more parameters to your request was invalid."}`})
	_, err := r.Prepare(t.Context(), r.delivery("look", r.image(t, "one")))
	if e := connectortest.WantKind(t, err, schema.Refused); e.Message != "media type unrecognized." {
		t.Errorf("message = %q", e.Message)
	}
}

func TestMediaThatXCannotProcessIsRefusedOnce(t *testing.T) {
	r := newRig(t)
	d := r.half(t)
	r.Inject(t, simulation.Fault{Operation: opFinalize, Status: 200, Body: `{"data":{"id":"1","processing_info":{"state":"failed"}}}`})
	p, err := r.Prepare(t.Context(), d)
	connectortest.WantKind(t, err, schema.Refused)
	if d.Progress = p.State; r.World.Calls(opInitialize) != 1 {
		t.Error("it was uploaded again")
	}
	r.publish(t, d) // a person's retry begins again
	if begun := r.World.Calls(opInitialize); begun != 2 {
		t.Errorf("%d uploads begun, want 2", begun)
	}
}

func TestMediaThatWaitedTooLong(t *testing.T) {
	for name, tt := range map[string]struct {
		media func(*testing.T, *rig) schema.Media
		want  bool // it is published
	}{
		"an image is uploaded again":        {func(t *testing.T, r *rig) schema.Media { return r.image(t, "one") }, true},
		"a video cannot be while one waits": {func(t *testing.T, r *rig) schema.Media { return r.video(t, 1000) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.delivery("look", tt.media(t, r))
			for ready := false; !ready; r.Pass(time.Second) {
				p, err := r.Prepare(t.Context(), d)
				if err != nil {
					t.Fatal(err)
				}
				d.Progress, ready = p.State, p.Ready
			}
			r.Pass(24 * time.Hour)
			_, err := r.Publish(t.Context(), d)
			if tt.want && err != nil {
				t.Errorf("Publish: %v", err)
			}
			if !tt.want {
				connectortest.WantKind(t, err, schema.Refused)
			}
		})
	}
}

func TestMediaIsOfItsCategory(t *testing.T) {
	gif := schema.MediaFacts{Kind: schema.GIF, Type: "image/gif", Size: 1000}
	moving := gif
	moving.Animated = true
	for name, tt := range map[string]struct {
		facts schema.MediaFacts
		want  string
	}{
		"an image":                {schema.MediaFacts{Kind: schema.Image, Type: "image/png", Size: 1000}, "tweet_image"},
		"a GIF":                   {moving, "tweet_gif"},
		"a GIF that stands still": {gif, "tweet_image"},
		"a video":                 {schema.MediaFacts{Kind: schema.Video, Type: "video/mp4", Size: 1000}, "tweet_video"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.publish(t, r.delivery("look", r.files.add(t, "item", tt.facts)))
			item := r.posts(t, 1)[0].Media[0]
			upload, _ := r.World.Upload(item.ID)
			if item.Type != tt.facts.Type || item.AltText != "alt of item" || !strings.Contains(string(upload.Fields), `"`+tt.want+`"`) {
				t.Errorf("X has %+v, %s", item, upload.Fields)
			}
		})
	}
}

func TestXMayWantNoTextForAVideo(t *testing.T) {
	r := newRig(t)
	r.Inject(t, simulation.Fault{Operation: opDescribe, Status: 400})
	r.publish(t, r.delivery("look", r.video(t, 1000)))
	r.posts(t, 1)
}

func TestProcessingIsLookedAtWhenXSays(t *testing.T) {
	r := newRig(t)
	d := r.delivery("look", r.video(t, 1000))
	r.Inject(t, simulation.Fault{Operation: opFinalize, Status: 200, Body: `{"data":{"id":"1","processing_info":{"state":"pending","check_after_secs":7}}}`})
	p, err := r.Prepare(t.Context(), d)
	if err != nil || p.Ready || p.RetryIn != 7*time.Second {
		t.Errorf("Prepare = %+v, %v", p, err)
	}
}

func TestXSaysWhyItCouldNotProcess(t *testing.T) {
	for message, want := range map[string]string{"Duration too long, maximum:140000": "Duration too long, maximum:140000", "": "it gave no reason"} {
		r := newRig(t)
		r.Inject(t, simulation.Fault{Operation: opFinalize, Status: 200, Body: `{"data":{"id":"1","processing_info":{"state":"failed","error":{"code":1,"name":"InvalidMedia","message":"` + message + `"}}}}`})
		_, err := r.Prepare(t.Context(), r.delivery("look", r.video(t, 1000)))
		if e := connectortest.WantKind(t, err, schema.Refused); !strings.Contains(e.Message, want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
