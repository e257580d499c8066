package mastodon

import (
	"encoding/json"
	"net/http"
	"os"
	"testing"
	"time"

	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

func TestPrepareImages(t *testing.T) {
	r := newRig(t)
	d := r.delivery("")
	d.Media = items(smallImage, smallImage)
	p, err := r.Prepare(t.Context(), d)
	if err != nil || !p.Ready || p.RetryIn != 0 {
		t.Fatalf("Prepare = %+v, %v", p, err)
	}
	d.Progress = p.State
	receipt := mustPublish(t, r, d)
	post, _ := r.World.Post(r.account(), receipt.NativeID)
	if len(post.Media) != 2 || post.Media[0].AltText != "alt of image" || post.Media[0].Type != "image/png" {
		t.Errorf("media = %+v", post.Media)
	}
	if left, err := os.ReadDir(string(r.media.(folder))); err != nil || len(left) != 0 {
		t.Errorf("%d files stay behind, %v", len(left), err)
	}
}

// Uploads have a limit of their own, of 30 in half an hour: texts and looks go on meanwhile.
func TestALimitOfUploadsThrottlesNoText(t *testing.T) {
	r := newRig(t)
	d := r.delivery("")
	d.Account.ID, d.Media = schema.NewID[schema.AccountID](r.Clock()), items(smallImage)
	r.Inject(t, simulation.Fault{Operation: opUploadMedia, Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": "1500"}})
	for range 2 { // once asked, once throttled
		_, err := r.Prepare(t.Context(), d)
		connectortest.WantKind(t, err, schema.RateLimited)
	}
	text := r.delivery("hello")
	text.Account = d.Account
	receipt := mustPublish(t, r, text)
	if _, verdict, err := r.Find(t.Context(), text); verdict != schema.Found || err != nil || receipt.NativeID == "" || r.World.Calls(opUploadMedia) != 1 {
		t.Errorf("Find = %v, %v after %d uploads", verdict, err, r.World.Calls(opUploadMedia))
	}
}

func TestPrepareWithoutMediaIsReady(t *testing.T) {
	r := newRig(t)
	if p, err := r.Prepare(t.Context(), r.delivery("hello")); err != nil || !p.Ready {
		t.Errorf("Prepare = %+v, %v", p, err)
	}
}

func TestPrepareLooksOnceUntilAVideoIsProcessed(t *testing.T) {
	r := newRig(t)
	d := r.delivery("")
	d.Media = items(smallVideo)
	for round := range 3 {
		p, err := r.Prepare(t.Context(), d)
		if err != nil || p.Ready || p.RetryIn <= 0 {
			t.Fatalf("Prepare = %+v, %v", p, err)
		}
		if looks := r.World.Calls(opMediaProcessed); looks != round {
			t.Errorf("%d looks after %d calls, want %d", looks, round+1, round)
		}
		d.Progress = p.State
	}
	r.Pass(time.Second) // the simulator processes no longer
	p, err := r.Prepare(t.Context(), d)
	if err != nil || !p.Ready {
		t.Fatalf("Prepare = %+v, %v", p, err)
	}
	if uploads := r.World.Calls(opUploadMedia); uploads != 1 {
		t.Errorf("%d uploads, want 1", uploads)
	}
	if again, err := r.Prepare(t.Context(), withState(d, p.State)); err != nil || !again.Ready {
		t.Errorf("Prepare of what is ready = %+v, %v", again, err)
	}
	if looks := r.World.Calls(opMediaProcessed); looks != 3 {
		t.Errorf("%d looks, want 3", looks)
	}
}

func withState(d schema.Delivery, state json.RawMessage) schema.Delivery {
	d.Progress = state
	return d
}

func TestPrepareGoesOnAfterAFault(t *testing.T) {
	r := newRig(t)
	d := r.delivery("")
	d.Media = items(smallImage, smallImage, smallImage)
	r.Inject(t, simulation.Fault{Operation: opUploadMedia, Delay: 1})
	r.Inject(t, simulation.Fault{Operation: opUploadMedia, Status: http.StatusInternalServerError})
	p, err := r.Prepare(t.Context(), d)
	connectortest.WantKind(t, err, schema.Retryable)
	if p.Ready {
		t.Fatal("ready after a fault")
	}
	p, err = r.Prepare(t.Context(), withState(d, p.State))
	if err != nil || !p.Ready {
		t.Fatalf("Prepare = %+v, %v", p, err)
	}
	if uploads := r.World.Calls(opUploadMedia); uploads != 4 {
		t.Errorf("%d uploads, want 4: the first is not repeated", uploads)
	}
}

func TestPrepareRefusesBeforeAnyUpload(t *testing.T) {
	for name, tt := range map[string]struct {
		media    []schema.Media
		settings string
	}{
		"an image over its size":    {items(smallImage, hugeImage), ""},
		"a video beside an image":   {items(smallImage, smallVideo), ""},
		"an animation beside a one": {items(animation, animation), ""},
		"media that is not there":   {items(smallImage, missing), ""},
		"a poll with media":         {items(smallImage), `{"poll":{"options":["a","b"],"expiresIn":300}}`},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.delivery("")
			d.Media, d.Settings = tt.media, json.RawMessage(tt.settings)
			_, err := r.Prepare(t.Context(), d)
			connectortest.WantKind(t, err, schema.Refused)
			if uploads := r.World.Calls(opUploadMedia); uploads != 0 {
				t.Errorf("%d uploads, want none", uploads)
			}
		})
	}
}

func TestPrepareOfMediaThatCannotBeProcessed(t *testing.T) {
	r := newRig(t)
	d := r.delivery("")
	d.Media = items(smallVideo)
	p, err := r.Prepare(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	r.Inject(t, simulation.Fault{
		Operation: opMediaProcessed, Status: http.StatusUnprocessableEntity, Body: `{"error":"Error processing thumbnail for uploaded media"}`,
	})
	_, err = r.Prepare(t.Context(), withState(d, p.State))
	connectortest.WantKind(t, err, schema.Refused)
}

func TestBusyAnswerMayBeEmpty(t *testing.T) {
	r := newRig(t)
	d := r.delivery("")
	d.Media = items(smallVideo)
	p, err := r.Prepare(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	r.Inject(t, simulation.Fault{Operation: opMediaProcessed, Status: http.StatusPartialContent})
	p, err = r.Prepare(t.Context(), withState(d, p.State))
	if err != nil || p.Ready || p.RetryIn <= 0 {
		t.Errorf("Prepare = %+v, %v", p, err)
	}
}

func TestPublishOfUnpreparedMediaIsAFault(t *testing.T) {
	r := newRig(t)
	d := r.delivery("hello")
	d.Media = items(smallImage)
	if _, err := r.Publish(t.Context(), d); err == nil || len(r.World.Posts()) != 0 {
		t.Errorf("error = %v, %d posts", err, len(r.World.Posts()))
	}
}
