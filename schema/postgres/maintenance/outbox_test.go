package maintenance

import (
	"testing"
	"time"

	"crier/schema"
)

func TestAPassOverTheOutboxStartsAtWhatMayBeThere(t *testing.T) {
	var o outboxStart
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	old := schema.FirstBatchID(now.Add(-time.Hour))
	want := func(what string, from schema.BatchID) {
		t.Helper()
		if got := o.start(now); got != from {
			t.Errorf("%s, a pass starts at %v, want %v", what, got.Time(), from.Time())
		}
	}
	want("at first", schema.BatchID{})
	o.note((*[16]byte)(&old), now)
	want("with a batch of an hour ago", old)
	o.note(nil, now)
	want("with nothing there", schema.FirstBatchID(now.Add(-outboxLookback)))
	now = now.Add(outboxFullEvery + time.Second)
	want("by and by", schema.BatchID{})
	o.note(nil, now)
	now = now.Add(-time.Hour)
	want("after the clock was set back", schema.BatchID{})
}
