package schema

import (
	"testing"
	"time"
)

// An upload whose connection is cut over and over is given up only where it gets no further.
func TestAnUploadThatGetsFurtherIsNotGivenUp(t *testing.T) {
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	cut := &Error{Kind: Retryable, Message: "the connection was cut"}
	d := Delivery{Step: StepPrepare, Entries: 1, Tries: DefaultTries, DueAt: now, Until: now.Add(24 * time.Hour)}
	for n := range 3 * DefaultTries {
		r := d.After(Outcome{Progress: Progress{State: []byte("{}"), Advanced: true}, Err: cut}, now, 0)
		if r.State != TargetPending || r.Attempts != 1 {
			t.Fatalf("after %d cuts: %+v", n+1, r)
		}
		d.Attempts = r.Attempts
	}
	for n := d.Attempts + 1; n <= DefaultTries; n++ {
		r := d.After(Outcome{Progress: Progress{State: []byte("{}")}, Err: cut}, now, 0)
		if isLast := n == DefaultTries; (r.State == TargetFailed) != isLast {
			t.Fatalf("after %d cuts without getting further: %+v", n, r)
		}
		d.Attempts = r.Attempts
	}
}

// A call that finds its preparation gone has cost a try, however far the next preparation gets: else
// the two would take turns until the deadline. What cuts the next one off costs nothing still.
func TestAnUploadThatIsMadeAnewForgetsNoTry(t *testing.T) {
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	d := Delivery{Step: StepPrepare, Entries: 1, Tries: DefaultTries, DueAt: now, Until: now.Add(24 * time.Hour)}
	gone := Outcome{Err: &Error{Kind: Retryable, Unprepared: true, Message: "the upload is gone"}}
	further := Progress{State: []byte("{}"), Advanced: true}
	cut := Outcome{Progress: further, Err: &Error{Kind: Retryable, Message: "the connection was cut"}}
	ready := Outcome{Progress: Progress{State: []byte("{}"), Advanced: true, Ready: true}}
	after := func(o Outcome) Result {
		r := d.After(o, now, 0)
		d.Step, d.Attempts = r.Step, r.Attempts
		return r
	}
	for n := 1; n <= DefaultTries; n++ {
		after(ready)
		d.Since = now
		r := after(gone)
		if isLast := n == DefaultTries; (r.State == TargetFailed) != isLast || !isLast && r.Attempts != n {
			t.Fatalf("after %d calls that found it gone: %+v", n, r)
		}
		for range DefaultTries {
			if r := after(cut); n < DefaultTries && (r.State != TargetPending || r.Attempts != n) {
				t.Fatalf("after %d calls that found it gone, and a cut: %+v", n, r)
			}
		}
	}
}
