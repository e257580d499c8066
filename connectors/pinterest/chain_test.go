package pinterest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// kinds are the ways to publish media, with the calls that go before the visible one.
var kinds = map[string]struct {
	media []schema.Media
	calls []string
}{
	"a picture":  {[]schema.Media{picture}, nil},
	"a carousel": {[]schema.Media{picture, another}, nil},
	"a video":    {[]schema.Media{film}, []string{callMedia, callUpload, callStatus}},
}

// A lost answer of any call before the visible one leads to one pin all the same.
func TestALostAnswerOfEachCall(t *testing.T) {
	for kind, tt := range kinds {
		for _, call := range tt.calls {
			for name, fault := range map[string]simulation.Fault{
				"answer lost": {Operation: call, Lose: true}, "never arrived": {Operation: call, Refuse: true}, "500": {Operation: call, Status: 500},
			} {
				t.Run(kind+" "+call+" "+name, func(t *testing.T) {
					r := newRig(t)
					r.Inject(t, fault)
					r.publish(t, r.delivery("", "look", tt.media...))
					posts := r.World.Posts()
					if len(posts) != 1 || len(posts[0].Media) != len(tt.media) || posts[0].Media[0].Size == 0 {
						t.Errorf("posts %+v", posts)
					}
				})
			}
		}
	}
}

// A lost answer of the visible call is looked for: what it made is found, what it did not make
// is not there.
func TestALostAnswerOfTheVisibleCall(t *testing.T) {
	board, section := breadSection()
	for kind, tt := range kinds {
		for where, settings := range map[string]string{
			"on the account's board": `{"title":"A title"}`,
			"in a section":           fmt.Sprintf(`{"title":"A title","boardId":%q,"boardSectionId":%q}`, board, section),
		} {
			for name, lost := range map[string]bool{"answer lost": true, "never arrived": false} {
				t.Run(kind+" "+where+" "+name, func(t *testing.T) {
					r := newRig(t)
					d := r.prepare(t, r.delivery(settings, "look", tt.media...))
					r.Inject(t, simulation.Fault{Operation: callPin, Lose: lost, Refuse: !lost})
					_, err := r.Publish(t.Context(), d)
					connectortest.WantKind(t, err, schema.Unknown)
					want := schema.NotThere
					if lost {
						want = schema.Found
					}
					for range 2 {
						r.restart(t)
						receipt, verdict, err := r.Find(t.Context(), d)
						if verdict != want || err != nil || verdict == schema.Found && receipt.NativeID != r.World.Posts()[0].ID {
							t.Fatalf("Find = %+v, %v, %v; want %v", receipt, verdict, err, want)
						}
						r.Pass(schema.SettleTime)
					}
				})
			}
		}
	}
}

// A video whose sending was lost is sent once more only where Pinterest knows of nothing.
func TestAVideoThatArrivedIsNotSentAgain(t *testing.T) {
	for name, tt := range map[string]struct {
		fault simulation.Fault
		sends int
	}{
		"answer lost":   {simulation.Fault{Operation: callUpload, Lose: true}, 1},
		"never arrived": {simulation.Fault{Operation: callUpload, Refuse: true}, 2},
		"form refused":  {simulation.Fault{Operation: callUpload, Status: http.StatusForbidden, Body: "<Error/>"}, 2},
		"no token":      {simulation.Fault{Operation: callUpload, Status: http.StatusUnauthorized, Body: "<Error/>"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.Inject(t, tt.fault)
			r.publish(t, r.delivery("", "look", film))
			if n := r.World.Calls(callUpload); n != tt.sends {
				t.Errorf("the video was sent %d times, want %d", n, tt.sends)
			}
		})
	}
}

func TestAVideoThatIsNeverReadyIsUploadedAgain(t *testing.T) {
	r := newRig(t)
	d := r.delivery("", "look", film)
	r.Inject(t, simulation.Fault{Operation: callStatus, Status: http.StatusOK, Times: 2, Body: `{"media_id":"1","media_type":"video","status":"processing"}`})
	p, err := r.Prepare(t.Context(), d)
	if err != nil || p.Ready || p.RetryIn <= 0 {
		t.Fatalf("Prepare = %+v, %v", p, err)
	}
	d.Progress = p.State
	r.Pass(maxWork + time.Second)
	p, err = r.Prepare(t.Context(), d)
	connectortest.WantKind(t, err, schema.Retryable)
	d.Progress = p.State
	r.publish(t, d)
	if n := r.World.Calls(callUpload); n != 2 {
		t.Errorf("the video was sent %d times", n)
	}
}

// A video that Pinterest has dropped is uploaded again, before the pin is tried once more.
func TestAVideoThatIsGoneIsPreparedAgain(t *testing.T) {
	r := newRig(t)
	d := r.prepare(t, r.delivery("", "look", film))
	r.Inject(t, simulation.Fault{Operation: callPin, Status: http.StatusNotFound, Body: `{"code":404,"message":"Media not found."}`})
	_, err := r.Publish(t.Context(), d)
	if e := connectortest.WantKind(t, err, schema.Retryable); !e.Unprepared {
		t.Errorf("error %v does not ask for another upload", e)
	}
}

// Whether a pin is there can be told only where all of the board was read: in which order its
// pins come is not documented.
func TestABoardIsReadToItsEnd(t *testing.T) {
	pin := func(id int, at string, title string) string {
		return fmt.Sprintf(`{"id":"%d","created_at":%q,"title":%q,"description":"look","media":{"media_type":"image"},"is_owner":true}`, id, at, title)
	}
	const since, before = "2026-03-04T05:06:08", "2020-01-01T20:10:40-00:00"
	part := func(next string, pins ...string) string {
		return `{"items":[` + strings.Join(pins, ",") + `],"bookmark":` + next + `}`
	}
	for name, tt := range map[string]struct {
		parts []string
		want  schema.Verdict
	}{
		"it is behind older ones":      {[]string{part(`"a"`, pin(1, before, "T")), part("null", pin(2, since, "T"))}, schema.Found},
		"it is not there":              {[]string{part(`"a"`, pin(1, before, "T")), part("null", pin(2, since, "Another"))}, schema.NotThere},
		"it has no title":              {[]string{part("null", strings.Replace(pin(2, since, ""), `"title":""`, `"title":null`, 1))}, schema.CannotTell},
		"somebody else's":              {[]string{part("null", strings.Replace(pin(2, since, "T"), `"is_owner":true`, `"is_owner":false`, 1))}, schema.NotThere},
		"a video":                      {[]string{part("null", strings.Replace(pin(2, since, "T"), `"image"`, `"video"`, 1))}, schema.NotThere},
		"no time":                      {[]string{part("null", strings.Replace(pin(2, since, "T"), `"created_at":"`+since+`"`, `"created_at":null`, 1))}, schema.CannotTell},
		"a time of another form":       {[]string{part("null", pin(2, "yesterday", "T"))}, schema.CannotTell},
		"more than can be read of one": {[]string{part(`"a"`, pin(1, before, "T"))}, schema.CannotTell},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.prepare(t, r.delivery(`{"title":"T"}`, "look", picture))
			for i, body := range tt.parts {
				times := 1
				if tt.want == schema.CannotTell && i == len(tt.parts)-1 {
					times = 30
				}
				r.Inject(t, simulation.Fault{Operation: callPins, Status: http.StatusOK, Body: body, Times: times})
			}
			r.Pass(time.Minute)
			if _, verdict, _ := r.Find(t.Context(), d); verdict != tt.want {
				t.Errorf("Find = %v, want %v", verdict, tt.want)
			}
		})
	}
}

// A pin that a board shows half a minute after it was made is found, not made again.
func TestAPinThatIsListedLate(t *testing.T) {
	r := newRig(t)
	d := r.prepare(t, r.delivery(`{"title":"T"}`, "look", picture))
	d.Listed = Constraints().Listing.Within
	r.Inject(t, simulation.Fault{Operation: callPin, Lose: true})
	_, err := r.Publish(t.Context(), d)
	connectortest.WantKind(t, err, schema.Unknown)
	r.Inject(t, simulation.Fault{Operation: callPins, Status: http.StatusOK, Times: 3, Body: `{"items":[],"bookmark":null}`})
	if !connectortest.Settle(t, d, func() (schema.Receipt, schema.Verdict, error) { return r.Find(t.Context(), d) }, r.Pass) {
		t.Error("it may be made again")
	}
}

func TestNothingIsFoundOfAComment(t *testing.T) {
	r := newRig(t)
	d := r.delivery("", "look", picture)
	d.Comment = &schema.Comment{Text: "first"}
	_, err := r.Comment(t.Context(), d)
	connectortest.WantKind(t, err, schema.Refused)
	if _, verdict, err := r.Find(t.Context(), d); verdict != schema.CannotTell || err != nil {
		t.Errorf("Find = %v, %v", verdict, err)
	}
}
