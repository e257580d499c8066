package schema_test

import (
	"testing"
	"time"

	"crier/schema"
)

// What Prepare made may be gone by the time it is published: then it is made anew.
func TestWhatIsGoneIsPreparedAnew(t *testing.T) {
	gone := &schema.Error{Kind: schema.Retryable, Unprepared: true, Message: "gone"}
	d := schema.Delivery{Step: schema.StepPublish, Entries: 1, Tries: 2, Progress: []byte(`{"id":"1"}`)}
	r := d.After(schema.Outcome{Err: gone}, time.Now(), 0)
	if r.State != schema.TargetPending || r.Step != schema.StepPrepare || r.Progress != nil || r.Attempts != 1 {
		t.Errorf("result = %+v", r)
	}
	d.Attempts = 1
	if r := d.After(schema.Outcome{Err: gone}, time.Now(), 0); r.State != schema.TargetFailed {
		t.Errorf("it goes on for ever: %+v", r)
	}
	d.Comment, d.Attempts = &schema.Comment{}, 0
	if c := d.After(schema.Outcome{Err: gone}, time.Now(), 0).OfComment(d); c.Step != schema.StepPublish {
		t.Errorf("a comment, which has no Prepare, is at step %d", c.Step)
	}
}

// A trade whose end is not known is not left until the token has expired, where an expired one
// is lost for good.
func TestATokenThatIsTradedForItselfIsTradedInTime(t *testing.T) {
	now := time.Now()
	for platform, early := range map[schema.Platform]bool{schema.Threads: true, schema.Instagram: true, schema.Twitter: false} {
		expires := now.Add(30 * 24 * time.Hour)
		r := schema.Renewal{Account: schema.Account{Platform: platform, ExpiresAt: expires, Renewable: true}, Open: true}
		result := r.After(schema.RenewalOutcome{}, now, 0)
		if got := result.NextAt.Before(expires) && result.Step == schema.RenewalIdle; got != early {
			t.Errorf("%s: next at %v, step %d; it expires at %v", platform, result.NextAt, result.Step, expires)
		}
	}
}
