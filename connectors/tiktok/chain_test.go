package tiktok

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// A lost answer of any call before the visible one leads to one post all the same, which has
// the whole video.
func TestALostAnswerOfEachCall(t *testing.T) {
	for _, call := range []string{simCreator, simInit, simPart} {
		for name, fault := range map[string]simulation.Fault{
			"answer lost": {Operation: call, Lose: true}, "never arrived": {Operation: call, Refuse: true}, "500": {Operation: call, Status: 500},
		} {
			t.Run(call+" "+name, func(t *testing.T) {
				t.Parallel()
				r := newRig(t)
				r.Inject(t, fault)
				receipt := r.publish(t, r.prepare(t, r.delivery("look", film)))
				if post := r.wantPost(t, filmSize); !receipt.Open || !strings.HasSuffix(receipt.NativeID, post.ID) {
					t.Errorf("receipt %+v of %+v", receipt, post)
				}
			})
		}
	}
}

// A lost answer of the visible call is looked for by the publish_id: what it made is found, what
// it did not make is not there, and can be sent once more.
func TestALostAnswerOfTheLastPart(t *testing.T) {
	for size, item := range map[int64]schema.Media{shortSize: short, filmSize: film} {
		for name, lost := range map[string]bool{"answer lost": true, "never arrived": false} {
			t.Run(item.URL+" "+name, func(t *testing.T) {
				t.Parallel()
				r := newRig(t)
				d := r.prepare(t, r.delivery("look", item))
				r.Inject(t, simulation.Fault{Operation: simPart, Lose: lost, Refuse: !lost})
				_, err := r.Publish(t.Context(), d)
				connectortest.WantKind(t, err, schema.Unknown)
				want := schema.NotThere
				if lost {
					want = schema.Found
				}
				for range 2 {
					receipt, verdict, err := r.Find(t.Context(), d)
					if verdict != want || err != nil || verdict == schema.Found && !strings.HasSuffix(receipt.NativeID, r.World.Posts()[0].ID) {
						t.Fatalf("Find = %+v, %v, %v; want %v", receipt, verdict, err, want)
					}
					r.Pass(schema.SettleTime)
				}
				d.FindAttempts, d.Attempts = 0, 1
				_, err = r.Publish(t.Context(), d)
				if lost {
					connectortest.WantKind(t, err, schema.Duplicate)
				} else if err != nil {
					t.Errorf("sending it once more: %v", err)
				}
				r.wantPost(t, size)
			})
		}
	}
}

// A part that TikTok has is not sent again, even where the answer to it was lost.
func TestAVideoGoesOnWhereItWasCutOff(t *testing.T) {
	for name, fault := range map[string]simulation.Fault{
		"answer lost": {Operation: simPart, Lose: true}, "never arrived": {Operation: simPart, Refuse: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.Inject(t, simulation.Fault{Operation: simPart, Delay: 1})
			r.Inject(t, fault)
			r.publish(t, r.prepare(t, r.delivery("look", film)))
			r.wantPost(t, filmSize)
			if n := r.World.Calls(simInit); n != 1 {
				t.Errorf("%d videos were begun", n)
			}
			if n := r.World.Calls(simPart); n != 4 {
				t.Errorf("%d calls for three parts, one of them twice", n)
			}
			last := r.requestsTo("/video/")[3].Header
			if last.Get("Content-Range") != "bytes 20971520-31457281/31457282" || last.Get("Authorization") != "" {
				t.Errorf("the last part came with %v", last)
			}
		})
	}
}

// A video that TikTok has forgotten, or whose time is over, begins again; so does one of which
// another file is left.
func TestAVideoThatCannotBeGoneOnWithBeginsAnew(t *testing.T) {
	begun := func(r *rig) schema.Delivery {
		d := r.delivery("look", film)
		r.Inject(t, simulation.Fault{Operation: simPart, Delay: 1})
		r.Inject(t, simulation.Fault{Operation: simPart, Refuse: true})
		p, err := r.Prepare(t.Context(), d)
		connectortest.WantKind(t, err, schema.Retryable)
		d.Progress = p.State
		return d
	}
	for name, tt := range map[string]struct {
		spoil func(r *rig)
		size  int64
	}{
		"forgotten":    {func(r *rig) { r.Inject(t, simulation.Fault{Operation: simPart, Status: 404, Body: "no such task"}) }, filmSize},
		"expired":      {func(r *rig) { r.Pass(time.Hour) }, filmSize},
		"another file": {func(r *rig) { r.files.other = true }, filmSize + 1},
		"further than it was": {func(r *rig) {
			r.Inject(t, simulation.Fault{Operation: simPart, Status: 416})
			r.Inject(t, saysUploaded("7"))
		}, filmSize},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := begun(r)
			tt.spoil(r)
			r.publish(t, r.prepare(t, d))
			r.wantPost(t, tt.size)
			if n := r.World.Calls(simInit); n != 2 {
				t.Errorf("%d videos were begun", n)
			}
		})
	}
}

func saysUploaded(bytes string) simulation.Fault {
	return saysStatus(`"PROCESSING_UPLOAD","uploaded_bytes":` + bytes)
}

// saysStatus is an answer about a publication.
func saysStatus(status string) simulation.Fault {
	return simulation.Fault{Operation: simStatus, Status: 200, Body: `{"data":{"status":` + status + `},"error":{"code":"ok","message":"","log_id":"1"}}`}
}

// The last part is not sent where it cannot arrive any more, and nothing but what TikTok says
// reports whether it has.
func TestALastPartThatCannotBeSent(t *testing.T) {
	at := func(status int) func(*rig) {
		return func(r *rig) { r.Inject(t, simulation.Fault{Operation: simPart, Status: status, Body: "no"}) }
	}
	for name, tt := range map[string]struct {
		spoil    func(r *rig)
		again    bool
		want     schema.ErrorKind
		prepares bool // again
		sends    int
	}{
		"the address has expired":              {func(r *rig) { r.Pass(time.Hour) }, false, schema.Retryable, true, 0},
		"the address is refused":               {at(403), false, schema.Retryable, true, 1},
		"the upload is gone":                   {at(404), false, schema.Retryable, true, 1},
		"the upload is gone, and published":    {func(r *rig) { at(404)(r); r.Inject(t, saysStatus(`"PUBLISH_COMPLETE"`)) }, false, schema.Duplicate, false, 1},
		"the upload is gone, and who knows":    {func(r *rig) { at(404)(r); r.Inject(t, simulation.Fault{Operation: simStatus, Status: 500}) }, false, schema.Unknown, false, 1},
		"the range is refused":                 {at(416), false, schema.Unknown, false, 1},
		"it was found to be there":             {func(r *rig) { r.Inject(t, saysUploaded("24")) }, true, schema.Duplicate, false, 0},
		"an earlier one has failed":            {func(r *rig) { r.Inject(t, saysStatus(`"FAILED","fail_reason":"internal"`)) }, true, schema.Retryable, true, 0},
		"nobody says whether an earlier came":  {func(r *rig) { r.Inject(t, simulation.Fault{Operation: simStatus, Status: 500}) }, true, schema.Retryable, false, 0},
		"the file cannot be read in time":      {func(r *rig) { r.restart(t); r.files.slow = true }, false, schema.Retryable, true, 0},
		"the file has become another":          {func(r *rig) { r.restart(t); r.files.other = true }, false, schema.Retryable, true, 0},
		"what was prepared is for another one": {func(r *rig) { r.api = "http://127.0.0.1:1" }, false, schema.Retryable, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.prepare(t, r.delivery("look", short))
			if tt.spoil(r); tt.again {
				d.Attempts = 1
			}
			ctx := t.Context()
			if r.files.slow {
				ctx = soonOver(t)
			}
			_, err := r.Publish(ctx, d)
			e, ok := errors.AsType[*schema.Error](err)
			if !ok || e.Kind != tt.want || e.Unprepared != tt.prepares || r.World.Calls(simPart) != tt.sends {
				t.Errorf("%v after %d parts, unprepared %t", err, r.World.Calls(simPart), ok && e.Unprepared)
			}
		})
	}
}

// States and the field of the id have other names in clients that TikTok answers
// (DayMoonDevelopment/post-for-me d72ab66, trypost-it/trypost 0277643, getopenpost/openpost af01882).
func TestNamesThatNoDocumentHas(t *testing.T) {
	for name, tt := range map[string]struct {
		says    string // after the status
		verdict schema.Verdict
		kind    schema.ErrorKind // none for Internal
		id      string           // empty: the publication's
	}{
		"done":                      {`"PUBLISH_SUCCESS"`, schema.Found, schema.Internal, ""},
		"failed for good":           {`"PUBLISH_FAILED","uploaded_bytes":24,"fail_reason":"spam_risk"`, schema.NotThere, schema.Refused, ""},
		"failed for the moment":     {`"PUBLISH_FAILED","fail_reason":"internal"`, schema.NotThere, schema.Internal, ""},
		"an id, spelt correctly":    {`"PUBLISH_COMPLETE","publicly_available_post_id":[7543210987654321098]`, schema.Found, schema.Internal, "7543210987654321098"},
		"an id that is a text":      {`"PUBLISH_COMPLETE","publicaly_available_post_id":["7543210987654321098"]`, schema.Found, schema.Internal, "7543210987654321098"},
		"an id, and the other null": {`"PUBLISH_COMPLETE","publicaly_available_post_id":[7],"publicly_available_post_id":null`, schema.Found, schema.Internal, "7"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.prepare(t, r.delivery("look", short))
			r.Inject(t, saysStatus(tt.says))
			receipt, verdict, err := r.Find(t.Context(), d)
			if verdict != tt.verdict || err != nil && schema.KindOf(err) != tt.kind || err == nil && tt.kind == schema.Refused {
				t.Fatalf("Find = %+v, %v, %v", receipt, verdict, err)
			}
			if tt.id != "" && receipt.NativeID != tt.id {
				t.Errorf("it is called %s", receipt.NativeID)
			}
		})
	}
}

func TestAVideoThatIsToldOfByOtherNamesIsFound(t *testing.T) {
	r := newRig(t)
	d := r.prepare(t, r.delivery("look [crier:other-names]", short))
	receipt, err := r.Publish(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	d.Receipts = []schema.Receipt{receipt}
	r.Pass(time.Minute)
	found, verdict, err := r.Find(t.Context(), d)
	if post := r.wantPost(t, shortSize); verdict != schema.Found || err != nil || found.Open || found.NativeID != post.ID {
		t.Errorf("Find = %+v, %v, %v of %+v", found, verdict, err, post)
	}
}

// A process that has not prepared the video publishes it, too.
func TestAnotherProcessPublishes(t *testing.T) {
	r := newRig(t)
	d := r.prepare(t, r.delivery("look", film))
	r.restart(t)
	r.publish(t, d)
	r.wantPost(t, filmSize)
}

// What the process that has prepared keeps is enough: the media is not fetched again.
func TestTheLastPartIsKept(t *testing.T) {
	r := newRig(t)
	d := r.prepare(t, r.delivery("look", film))
	r.files.slow = true
	r.Inject(t, simulation.Fault{Operation: simPart, Status: 500})
	_, err := r.Publish(t.Context(), d)
	connectortest.WantKind(t, err, schema.Unknown)
	r.publish(t, d)
	r.wantPost(t, filmSize)
	if r.lastParts.take(stateOf(t, d).ID) != nil {
		t.Error("the last part is kept although it is published")
	}
	if left, err := os.ReadDir(r.files.path); err != nil || len(left) != 0 {
		t.Errorf("left of the media: %v, %v", left, err)
	}
}

func TestLastPartsAreBounded(t *testing.T) {
	l, began := newLastParts(), time.Now()
	for i := range maxLastParts + 5 {
		if err := l.keep(string(rune('a'+i)), strings.NewReader("x"), began.Add(time.Duration(i))); err != nil {
			t.Fatal(err)
		}
	}
	if len(l.parts) != maxLastParts || l.take("a") != nil || l.take(string(rune('a'+5))) == nil {
		t.Errorf("%d are kept", len(l.parts))
	}
	for _, left := range l.parts {
		_ = left.Close()
	}

	large := newLastParts()
	for _, id := range []string{"first", "second", "third"} { // as of videos that are one part
		large.giveBack(id, &lastPart{size: maxLastBytes/2 - 1, until: began})
		began = began.Add(time.Second)
	}
	if len(large.parts) != 2 || large.take("first") != nil || large.bytes > maxLastBytes {
		t.Errorf("%d are kept, of %d bytes", len(large.parts), large.bytes)
	}
}

// What is sent in one call of Prepare is bounded in time.
func TestALongUploadIsGoneOnWith(t *testing.T) {
	r := newRig(t)
	slow := *r.Connector
	ticks := 0
	slow.now = func() time.Time { ticks++; return r.Clock().Add(time.Duration(ticks) * 2 * connectors.LongestTurn) }
	d := r.delivery("look", film)
	p, err := slow.Prepare(t.Context(), d)
	if d.Progress = p.State; err != nil || p.Ready || p.RetryIn <= 0 || stateOf(t, d).Sent != 1 {
		t.Fatalf("Prepare = %+v, %v", p, err)
	}
	r.publish(t, r.prepare(t, d))
	if n := r.World.Calls(simPart); n != 3 {
		t.Errorf("%d calls for three parts", n)
	}
}

func stateOf(t *testing.T, d schema.Delivery) (p progress) {
	t.Helper()
	if err := json.Unmarshal(d.Progress, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// A video is one part up to 64 MB, and parts of exactly 10 MiB above that, of which the last takes the
// remainder (gitroomhq/postiz-app pull request 1784, DayMoonDevelopment/post-for-me issue 327).
func TestParts(t *testing.T) {
	const mb, mib = 1_000_000, 1 << 20
	for _, tt := range []struct {
		shape             shape
		size, part, parts int64
	}{
		{proven, 1, 1, 1},
		{proven, 5 * mb, 5 * mb, 1},
		{proven, 64 * mb, 64 * mb, 1},
		{proven, 64*mb + 1, 10 * mib, 6},
		{proven, 70 * mib, 10 * mib, 7},
		{proven, 80*mib - 1, 10 * mib, 7},
		{proven, largestVideo, 10 * mib, 381},
		{proven.smaller(), 20*mib - 1, 20*mib - 1, 1},
		{proven.smaller(), 20 * mib, 10 * mib, 2},
	} {
		if part, parts := tt.shape.of(tt.size); part != tt.part || parts != tt.parts {
			t.Errorf("%d bytes come in %d parts of %d, want %d of %d", tt.size, parts, part, tt.parts, tt.part)
		}
	}
}

// A size of parts that TikTok refuses is no end of the video (DayMoonDevelopment/post-for-me issue 327).
func TestAVideoWhosePartsAreRefusedBeginsOnceMore(t *testing.T) {
	refused := simulation.Fault{Operation: simInit, Status: 400, Body: example("invalid_params", "The chunk size is invalid")}
	t.Run("in the same shape", func(t *testing.T) {
		r := newRig(t)
		r.Inject(t, refused)
		d := r.delivery("look", film)
		_, err := r.Prepare(t.Context(), d)
		connectortest.WantKind(t, err, schema.Retryable)
		d.Attempts = 1
		r.publish(t, r.prepare(t, d))
		r.wantPost(t, filmSize)
	})
	t.Run("in the proven one", func(t *testing.T) {
		r := newRig(t)
		r.shape = proven
		r.Inject(t, refused)
		d := r.delivery("look", film)
		d.Attempts = 1 // so that it is to come in smaller parts
		p, err := r.Prepare(t.Context(), d)
		if d.Progress = p.State; err != nil || !p.Ready || r.World.Calls(simInit) != 2 {
			t.Fatalf("Prepare = %+v, %v after %d beginnings", p, err, r.World.Calls(simInit))
		}
		if state := stateOf(t, d); state.Part != filmSize || state.Parts != 1 {
			t.Errorf("it comes in %d parts of %d", state.Parts, state.Part)
		}
		r.publish(t, d)
		r.wantPost(t, filmSize)
	})
}

// A video that as one part does not arrive within the time of the visible call is sent in parts: its end was
// never sent, so that TikTok cannot have published it.
func TestAVideoThatIsTooSlowAsOnePartComesInParts(t *testing.T) {
	r := newRig(t)
	r.shape = proven
	d := r.delivery("look", film)
	p, err := r.Prepare(t.Context(), d)
	if d.Progress = p.State; err != nil || stateOf(t, d).Parts != 1 {
		t.Fatalf("Prepare = %+v, %v", p, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	published := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		cancel() // as the time of the call ends: hardly anything of it is read
		<-published
	}))
	t.Cleanup(slow.Close)
	stalled, begun := d, stateOf(t, d)
	begun.URL = slow.URL
	if stalled.Progress, err = json.Marshal(begun); err != nil {
		t.Fatal(err)
	}
	own := r.api
	r.api = slow.URL
	_, err = r.Publish(ctx, stalled)
	close(published)
	if e := connectortest.WantKind(t, err, schema.Retryable); !e.Unprepared {
		t.Fatalf("Publish: %v", err)
	}
	r.api = own
	d.Progress, d.Attempts = nil, 1
	p, err = r.Prepare(t.Context(), d)
	if d.Progress = p.State; err != nil || !p.Ready || stateOf(t, d).Parts != 3 {
		t.Fatalf("Prepare = %+v, %v", p, err)
	}
	r.publish(t, d)
	r.wantPost(t, filmSize)
}

// An address for a video that is not TikTok's gets nothing.
func TestVideosGoToTikTokAlone(t *testing.T) {
	for address, want := range map[string]bool{
		"https://open-upload.tiktokapis.com/video/?upload_id=1": true, "http://open-upload.tiktokapis.com/1": false,
		"https://tiktokapis.com.example.org/1": false, "https://xtiktokapis.com/1": false, "": false, "%": false,
	} {
		if got := New(connectors.Parts{}).isOwn(address); got != want {
			t.Errorf("isOwn(%q) = %t", address, got)
		}
	}
	r := newRig(t)
	called := make(chan struct{}, 1)
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called <- struct{}{} }))
	t.Cleanup(stranger.Close)
	r.Inject(t, simulation.Fault{
		Operation: simInit, Status: 200, Body: `{"data":{"publish_id":"1","upload_url":"` + stranger.URL + `"},"error":{"code":"ok"}}`,
	})
	_, err := r.Prepare(t.Context(), r.delivery("look", film))
	if connectortest.WantKind(t, err, schema.Retryable); len(called) > 0 {
		t.Error("a stranger was called")
	}
}
