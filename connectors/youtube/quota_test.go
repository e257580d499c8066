package youtube

import (
	"net/http"
	"testing"
	"time"

	"crier/connectors/google"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// An upload that is more than the day's waits for the next, of whichever channel and process it
// is, and is not even asked for.
func TestTheDaysUploadsAreCounted(t *testing.T) {
	r := newRig(t)
	r.app.Uploads = 2
	for range 2 {
		r.publish(t, r.delivery(""))
	}
	r.restart(t)
	d := r.delivery("")
	d.Account.ID = schema.NewID[schema.AccountID](r.Clock().Add(time.Hour)) // of another channel
	_, err := r.Prepare(t.Context(), d)
	wait := connectortest.WantKind(t, err, schema.RateLimited).RetryAfter
	if at := r.Clock().Add(wait).UTC(); at.Hour() != 8 || at.Minute() != 0 || wait > 24*time.Hour || r.World.Calls(insert) != 2 {
		t.Errorf("it waits until %v after %d uploads", at, r.World.Calls(insert))
	}
	r.Pass(wait - time.Second)
	_, err = r.Prepare(t.Context(), d)
	connectortest.WantKind(t, err, schema.RateLimited)
	r.Pass(time.Second)
	r.publish(t, d)
	if r.World.Calls(insert) != 3 {
		t.Errorf("%d uploads", r.World.Calls(insert))
	}
}

// What the project uses besides crier YouTube alone knows: once it says that a day is spent,
// nobody asks any more.
func TestASpentDayIsNoted(t *testing.T) {
	r := newRig(t)
	r.Inject(t, simulation.Fault{Operation: insert, Status: http.StatusForbidden, Body: `{"error":{"code":403,"message":"much","errors":[{"reason":"quotaExceeded"}]}}`})
	for range 2 {
		r.restart(t)
		_, err := r.Prepare(t.Context(), r.delivery(""))
		if wait := connectortest.WantKind(t, err, schema.RateLimited).RetryAfter; wait <= 0 || wait > 24*time.Hour {
			t.Errorf("it waits %v", wait)
		}
	}
	if r.World.Calls(insert) != 1 {
		t.Errorf("%d calls", r.World.Calls(insert))
	}
}

// Comments and what follows on a video leave something to looks.
func TestLooksHaveTheLastOfADay(t *testing.T) {
	r := newRig(t)
	d := r.publish(t, r.delivery(""))
	d.Comment = &schema.Comment{Text: "first"}
	r.app.Units = 100
	r.restart(t)
	if _, err := r.Comment(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	_, err := r.Comment(t.Context(), d)
	connectortest.WantKind(t, err, schema.RateLimited)
	d.Comment = nil
	for n := range 50 {
		if _, verdict, err := r.Find(t.Context(), d); verdict != schema.Found {
			t.Fatalf("look %d: %v, %v", n, verdict, err)
		}
	}
	_, verdict, err := r.Find(t.Context(), d)
	if connectortest.WantKind(t, err, schema.RateLimited); verdict != schema.CannotTell {
		t.Errorf("verdict %v", verdict)
	}
}

// A limit of thumbnails or comments keeps no video back, and one of videos no look at another.
func TestALimitIsOfItsCallsAlone(t *testing.T) {
	const thumbnail = "POST /upload/youtube/v3/thumbnails/set"
	spent := func(call, reason string) simulation.Fault {
		return simulation.Fault{Operation: call, Status: http.StatusForbidden, Header: map[string]string{"Date": "Wed, 04 Mar 2026 05:06:07 GMT"},
			Body: `{"error":{"code":403,"message":"much","errors":[{"reason":"` + reason + `"}]}}`}
	}
	for _, reason := range []string{"quotaExceeded", "uploadRateLimitExceeded"} {
		t.Run("a thumbnail's "+reason, func(t *testing.T) {
			r := newRig(t)
			d := r.publish(t, r.delivery(`{"title":"A train","thumbnailUrl":"http://a.example/picture"}`))
			r.Pass(time.Minute) // it is processed
			r.Inject(t, spent(thumbnail, reason))
			_, _, err := r.Find(t.Context(), d)
			if wait := connectortest.WantKind(t, err, schema.RateLimited).RetryAfter; wait <= minuteWait {
				t.Errorf("it is tried again in %v", wait)
			}
			other := r.delivery("")
			other.Account = d.Account
			connectortest.Ready(t, r.Connector, other, r.Pass)
		})
	}
	t.Run("a channel's videos", func(t *testing.T) {
		r := newRig(t)
		d := r.publish(t, r.delivery(""))
		other := r.delivery("")
		other.Account = d.Account
		for range 2 { // once asked, once throttled
			r.Inject(t, spent(insert, "uploadLimitExceeded"))
			_, err := r.Prepare(t.Context(), other)
			if wait := connectortest.WantKind(t, err, schema.RateLimited).RetryAfter; wait != uploadsWait {
				t.Errorf("it waits %v", wait)
			}
		}
		if _, verdict, err := r.Find(t.Context(), d); verdict != schema.Found || err != nil || r.World.Calls(insert) != 2 {
			t.Errorf("Find = %v, %v after %d sessions", verdict, err, r.World.Calls(insert))
		}
	})
}

func TestDaysBeginAtMidnightPacific(t *testing.T) {
	for now, want := range map[string]string{
		"2026-03-04T05:06:07Z": "2026-03-04T08:00:00Z", "2026-03-04T08:00:00Z": "2026-03-05T08:00:00Z",
		"2026-03-07T20:00:00Z": "2026-03-08T08:00:00Z", "2026-03-08T20:00:00Z": "2026-03-09T07:00:00Z", // the clocks go forward
		"2026-11-01T20:00:00Z": "2026-11-02T08:00:00Z",
	} {
		at, err := time.Parse(time.RFC3339, now)
		if err != nil {
			t.Fatal(err)
		}
		if got := google.NextDay(at).UTC().Format(time.RFC3339); got != want || dayOf(at).After(at) || !google.NextDay(dayOf(at)).Equal(google.NextDay(at)) {
			t.Errorf("after %s the next day is at %s, want %s; this one began at %v", now, got, want, dayOf(at))
		}
	}
}
