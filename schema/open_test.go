package schema

import (
	"testing"
	"time"
)

// A post that its platform took and processes is looked at less and less often, until it is
// published or given up, or may not be as late any more.
func TestAnOpenReceiptIsClosed(t *testing.T) {
	taken := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	open := Receipt{NativeID: "1", PostedAt: taken, Open: true}
	closed := open
	closed.Open = false
	gaveUp := Outcome{Verdict: NotThere, Err: &Error{Kind: Refused, Message: "too short"}}
	for name, tt := range map[string]struct {
		after   time.Duration // since the call
		outcome Outcome
		state   TargetState
		in      time.Duration
		code    string
	}{
		"soon after":                  {5 * time.Second, Outcome{Verdict: Found, Receipt: open}, TargetPending, 5 * time.Second, ""},
		"some minutes later":          {4 * time.Minute, Outcome{Verdict: Found, Receipt: open}, TargetPending, time.Minute, ""},
		"hours later":                 {8 * time.Hour, Outcome{Verdict: Found, Receipt: open}, TargetPending, rarestLook, ""},
		"right before its end":        {24*time.Hour - time.Minute, Outcome{Verdict: Found, Receipt: open}, TargetPending, time.Minute + afterUntil, ""},
		"at its end":                  {24 * time.Hour, Outcome{Verdict: Found, Receipt: open}, TargetFailed, 0, CodeOutcomeUnknown},
		"published":                   {time.Minute, Outcome{Verdict: Found, Receipt: closed}, TargetPosted, 0, ""},
		"published after its end":     {25 * time.Hour, Outcome{Verdict: Found, Receipt: closed}, TargetPosted, 0, ""},
		"published without something": {time.Minute, Outcome{Verdict: Found, Receipt: closed, Err: gaveUp.Err}, TargetPosted, 0, ""},
		"given up":                    {time.Minute, gaveUp, TargetFailed, 0, "platform_refused"},
		"given up after its end":      {25 * time.Hour, gaveUp, TargetFailed, 0, "platform_refused"},
		"a look that may not look":    {time.Minute, Outcome{Err: gaveUp.Err}, TargetPending, 15 * time.Second, CodeOutcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			d := Delivery{
				Step: StepFind, Entries: 1, Tries: DefaultTries, Since: taken, DueAt: taken, Until: taken.Add(24 * time.Hour), Receipts: []Receipt{open},
			}
			r := d.After(tt.outcome, taken.Add(tt.after), 0)
			code := ""
			if r.Error != nil {
				code = r.Error.Code
			}
			if r.State != tt.state || r.NextIn != tt.in || code != tt.code || len(r.Receipts) > 0 != (tt.state != TargetFailed) {
				t.Errorf("result %+v, error %+v", r, r.Error)
			}
		})
	}
	d := Delivery{Step: StepFind, Entries: 1, Until: taken, Tries: DefaultTries, Since: taken.Add(-time.Hour)}
	if r := d.After(Outcome{Verdict: Found, Receipt: open}, taken, 0); r.State != TargetPending {
		t.Errorf("what was found late is not looked at again: %+v", r)
	}
}
