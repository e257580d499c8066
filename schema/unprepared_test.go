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
	if c := d.AfterComment(schema.Outcome{Err: gone}, time.Now(), 0); c.Step != schema.StepPublish {
		t.Errorf("a comment, which has no Prepare, is at step %d", c.Step)
	}
}
