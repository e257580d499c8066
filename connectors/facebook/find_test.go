package facebook

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

func TestFindKnowsItsPost(t *testing.T) {
	for name, tt := range map[string]struct {
		message, attachments string
		after                time.Duration
		want                 schema.Verdict
	}{
		"as it was sent":    {"see https://example.com/a now", "", 2 * time.Second, schema.Found},
		"a link shown else": {"see https://l.facebook.com/l.php?u=a now", "", 2 * time.Second, schema.Found},
		"with a preview":    {"see https://example.com/a now", `[{"media_type":"link","target":{}}]`, 2 * time.Second, schema.Found},
		"with a photo":      {"see https://example.com/a now", `[{"media_type":"photo","target":{"id":"5"}}]`, 2 * time.Second, schema.NotThere},
		"another text":      {"We close at noon", "", 2 * time.Second, schema.NotThere},
		"cut short":         {"see https://example.com/a", "", 2 * time.Second, schema.CannotTell},
		"long before":       {"see https://example.com/a now", "", -time.Hour, schema.NotThere},
		"right before":      {"see https://example.com/a now", "", -20 * time.Second, schema.CannotTell},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.delivery("see https://example.com/a now")
			if tt.attachments == "" {
				tt.attachments = "[]"
			}
			r.Inject(t, simulation.Fault{Operation: "GET /{version}/{page}/published_posts", Status: http.StatusOK, Body: fmt.Sprintf(
				`{"data":[{"id":"1_2","message":%q,"created_time":%q,"attachments":{"data":%s}}],"paging":{"cursors":{"after":"x"}}}`,
				tt.message, d.Since.Add(tt.after).Format("2006-01-02T15:04:05-0700"), tt.attachments)})
			r.Pass(5 * time.Second)
			if _, verdict, err := r.Find(t.Context(), d); verdict != tt.want || (err != nil) != (tt.want == schema.CannotTell) {
				t.Errorf("Find = %v, %v; want %v", verdict, err, tt.want)
			}
		})
	}
}

// A post with one of the delivery's photos is its own, however many of them are shown; where
// they are not known any more, its text tells.
func TestFindKnowsItsPhotos(t *testing.T) {
	r := newRig(t)
	d := r.prepare(t, r.delivery("look", picture, picture))
	p, err := connectors.ReadMediaProgress[asset](d)
	if err != nil {
		t.Fatal(err)
	}
	forgotten := d
	forgotten.Progress = nil
	for name, tt := range map[string]struct {
		d         schema.Delivery
		text, ids string
		want      schema.Verdict
	}{
		"one of two":           {d, "another text", p.Media[1].ID, schema.Found},
		"another's":            {d, "We close at noon", "5", schema.NotThere},
		"its text alone":       {d, "look", "", schema.CannotTell},
		"its text, another id": {d, "look", "5", schema.CannotTell},
		"forgotten, its text":  {forgotten, "look", "5", schema.Found},
		"forgotten, no photos": {forgotten, "look", "", schema.CannotTell},
	} {
		t.Run(name, func(t *testing.T) {
			attachments := "[]"
			if tt.ids != "" {
				attachments = `[{"media_type":"album","subattachments":{"data":[{"target":{"id":"` + tt.ids + `"}}]}}]`
			}
			r.Inject(t, simulation.Fault{Operation: "GET /{version}/{page}/published_posts", Status: http.StatusOK, Body: fmt.Sprintf(
				`{"data":[{"id":"1_2","message":%q,"created_time":%q,"attachments":{"data":%s}}],"paging":{}}`,
				tt.text, d.Since.Format("2006-01-02T15:04:05-0700"), attachments)})
			if _, verdict, err := r.Find(t.Context(), tt.d); verdict != tt.want || (err != nil) != (tt.want == schema.CannotTell) {
				t.Errorf("Find = %v, %v; want %v", verdict, err, tt.want)
			}
		})
	}
}

// A video tells by its phases whether the end of its upload has arrived.
func TestFindReadsThePhasesOfAVideo(t *testing.T) {
	for name, tt := range map[string]struct {
		processing, publishing string
		want                   schema.Verdict
		later                  bool
	}{
		"not begun":        {"not_started", "not_started", schema.NotMade, false},
		"processed alone":  {"complete", "not_started", schema.NotMade, false},
		"in processing":    {"in_progress", "not_started", schema.CannotTell, true},
		"being published":  {"in_progress", "in_progress", schema.Found, false},
		"published":        {"complete", "complete", schema.Found, false},
		"of no such phase": {"complete", "", schema.CannotTell, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.prepare(t, r.delivery("look", film))
			r.Inject(t, simulation.Fault{Operation: "GET /{version}/{node}", Status: http.StatusOK, Body: fmt.Sprintf(
				`{"id":"1","status":{"video_status":"x","processing_phase":{"status":%q},"publishing_phase":{"status":%q}}}`, tt.processing, tt.publishing)})
			if _, verdict, err := r.Find(t.Context(), d); verdict != tt.want || (err != nil) != tt.later {
				t.Errorf("Find = %v, %v; want %v", verdict, err, tt.want)
			}
		})
	}
}

// An upload that Facebook has dropped was not published; a look that may not read is no proof.
func TestFindOfAVideoThatIsNotShown(t *testing.T) {
	for name, tt := range map[string]struct {
		body string
		age  time.Duration // of the call
		want schema.Verdict
	}{
		"gone":           {`{"error":{"message":"m","code":100,"error_subcode":33}}`, time.Hour, schema.NotThere},
		"not shown yet":  {`{"error":{"message":"m","code":100,"error_subcode":33}}`, time.Minute, schema.CannotTell},
		"no permission":  {`{"error":{"message":"m","code":10}}`, time.Hour, schema.CannotTell},
		"a proxy's page": {`<html>`, 0, schema.CannotTell},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.prepare(t, r.delivery("look", film))
			r.Pass(tt.age)
			r.Inject(t, simulation.Fault{Operation: "GET /{version}/{node}", Status: http.StatusBadRequest, Body: tt.body})
			_, verdict, err := r.Find(t.Context(), d)
			if verdict != tt.want || (err != nil) != (tt.want == schema.CannotTell) {
				t.Errorf("Find = %v, %v; want %v", verdict, err, tt.want)
			}
			if err != nil && schema.KindOf(err) == schema.TokenDead {
				t.Error("the account would end by a look")
			}
		})
	}
}

// Facebook processes a video after it took the call. Until it has, the post is in processing;
// if it cannot, the post fails with Facebook's reason.
func TestAVideoIsPublishedOnceItIsProcessed(t *testing.T) {
	const status = `{"id":"1","status":{"video_status":%q,"processing_phase":{"status":%q%s},"publishing_phase":{"status":%q}}}`
	for name, tt := range map[string]struct {
		message string // empty: the simulator's
		state   schema.TargetState
		open    bool
		says    string
	}{
		"it is":                    {"", schema.TargetPosted, false, ""},
		"it is still processed":    {fmt.Sprintf(status, "processing", "in_progress", "", "not_started"), schema.TargetPending, true, ""},
		"nothing is begun":         {fmt.Sprintf(status, "processing", "not_started", "", "not_started"), schema.TargetPending, true, ""},
		"it is being published":    {fmt.Sprintf(status, "processing", "complete", "", "in_progress"), schema.TargetPending, true, ""},
		"it is in error":           {fmt.Sprintf(status, "error", "complete", "", "not_started"), schema.TargetFailed, false, "it gave no reason"},
		"processing has failed":    {fmt.Sprintf(status, "processing", "error", `,"error":{"message":"too small"}`, "not_started"), schema.TargetFailed, false, "too small"},
		"it has failed, in a list": {fmt.Sprintf(status, "error", "error", `,"errors":[{"message":"too long"}]`, "error"), schema.TargetFailed, false, "too long"},
		"it cannot begin":          {fmt.Sprintf(status, "processing", "not_started", `,"error":{"message":"too small"}`, "not_started"), schema.TargetFailed, false, "too small"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.prepare(t, r.delivery("look", film))
			taken, err := r.Publish(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			d.Step, d.Receipts, d.Until = schema.StepFind, []schema.Receipt{taken}, r.Clock().Add(time.Hour)
			if !taken.Open {
				t.Error("the receipt is not open")
			}
			r.Pass(videoWait)
			if tt.message != "" {
				r.Inject(t, simulation.Fault{Operation: "GET /{version}/{node}", Status: http.StatusOK, Body: tt.message})
			}
			receipt, verdict, err := r.Find(t.Context(), d)
			meant, _ := errors.AsType[*schema.Error](err)
			result := d.After(schema.Outcome{Receipt: receipt, Verdict: verdict, Err: meant}, r.Clock(), 0)
			if result.State != tt.state || receipt.Open != tt.open || tt.state == schema.TargetFailed && !strings.Contains(result.Error.Message, tt.says) {
				t.Errorf("Find = %+v, %v, %v; result %+v", receipt, verdict, err, result)
			}
			if verdict == schema.Found && (receipt.NativeID == "" || !receipt.PostedAt.Equal(taken.PostedAt)) {
				t.Errorf("found %+v, taken was %+v", receipt, taken)
			}
		})
	}
}
