package schema

import (
	"strings"
	"testing"
	"time"
)

func TestAnOpenOutcomeStaysOpenUntilItsDeadline(t *testing.T) {
	at := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	down := func(kind ErrorKind) Outcome { return Outcome{Err: &Error{Kind: kind, Message: "HTTP 502"}} }
	limited := Outcome{Err: &Error{Kind: RateLimited, RetryAfter: time.Hour}}
	dead := Outcome{Err: &Error{Kind: TokenDead}}
	named := Outcome{Err: &Error{Kind: TokenDead, End: EndSuspended}}
	until := func(in time.Duration, d Delivery) Delivery { d.Until = at.Add(in); return d }
	for name, tt := range map[string]struct {
		delivery Delivery // its call was claimed a minute ago
		outcome  Outcome
		state    TargetState
		step     Step
		in       time.Duration
		says     string // of its error
	}{
		"the platform is down":           {Delivery{Step: StepFind, Attempts: 4}, down(Retryable), TargetPending, StepFind, 15 * time.Second, "still open, crier goes on looking: HTTP 502"},
		"the look's own answer is lost":  {Delivery{Step: StepFind, Attempts: 4}, down(Unknown), TargetPending, StepFind, 15 * time.Second, "still open"},
		"it refuses the look":            {Delivery{Step: StepFind, Attempts: 4}, down(Refused), TargetPending, StepFind, 15 * time.Second, "still open"},
		"it asks to wait":                {Delivery{Step: StepFind}, limited, TargetPending, StepFind, time.Hour, "still open"},
		"the deadline comes before that": {until(time.Minute, Delivery{Step: StepFind}), limited, TargetPending, StepFind, time.Minute + afterUntil, "still open"},
		"the deadline is over":           {until(0, Delivery{Step: StepFind}), down(Retryable), TargetFailed, StepFind, 0, "a retry looks first (at last: HTTP 502)"},
		"and nobody can look":            {until(0, Delivery{Step: StepFind, CannotFind: true}), down(Retryable), TargetFailed, StepFind, 0, "offers no way to find out"},
		"our own fault":                  {Delivery{Step: StepFind, Attempts: 3}, down(Internal), TargetPending, StepFind, 15 * time.Second, "still open"},
		"our own fault, again and again": {Delivery{Step: StepFind, Attempts: 4}, down(Internal), TargetFailed, StepFind, 0, "crier failed to find out"},
		"dead credentials, looked after": {Delivery{Step: StepFind, Renews: true}, dead, TargetPending, StepFind, 15 * time.Second, "still open"},
		"dead credentials, found good":   {Delivery{Step: StepFind}, dead, TargetPending, StepFind, 15 * time.Second, "still open"},
		"a named end, not checked":       {Delivery{Step: StepFind}, named, TargetPending, StepFind, 15 * time.Second, "still open"},
		"an account that has ended":      {Delivery{Step: StepFind, Account: Account{End: EndSuspended}}, dead, TargetFailed, StepFind, 0, "connect the account again"},
		"nobody will ever tell":          {Delivery{Step: StepFind}, Outcome{}, TargetFailed, StepFind, 0, "does not tell"},
		"nor is there a way to look":     {Delivery{Step: StepFind, CannotFind: true}, Outcome{}, TargetFailed, StepFind, 0, "offers no way to find out"},
		"a second post is accepted":      {Delivery{Step: StepFind, Unsettled: 1, AcceptDuplicate: true}, Outcome{}, TargetPending, StepPrepare, 0, "a second post is accepted"},
		"but not of a call since":        {Delivery{Step: StepFind, AcceptDuplicate: true}, Outcome{}, TargetFailed, StepFind, 0, "does not tell"},
		"not there, before a retry":      {Delivery{Step: StepFind, FindAttempts: 1, Unsettled: 1, Attempts: 4}, Outcome{Verdict: NotThere}, TargetPending, StepPrepare, 0, "did not take"},
		"safe to repeat":                 {Delivery{Step: StepFind, FindAttempts: 1, Attempts: 4}, Outcome{Verdict: SafeToRepeat}, TargetPending, StepPublish, 0, "still open"},
		"safe to repeat, too late":       {until(0, Delivery{Step: StepFind}), Outcome{Verdict: SafeToRepeat}, TargetFailed, StepFind, 0, "could not be asked within"},
		"the repetition is not answered": {Delivery{Step: StepPublish, FindAttempts: CallRepeating}, down(Unknown), TargetPending, StepFind, CallDeadline + SettleTime, "still open"},
		"it is not made":                 {Delivery{Step: StepPublish, FindAttempts: CallRepeating, Attempts: 4}, down(Retryable), TargetPending, StepFind, 15 * time.Second, "still open"},
		"it is refused":                  {Delivery{Step: StepPublish, FindAttempts: CallRepeating}, down(Refused), TargetFailed, StepPublish, 0, "refused the call when it was repeated: HTTP 502"},
	} {
		t.Run(name, func(t *testing.T) {
			d := tt.delivery
			d.Entries, d.Tries, d.Since, d.DueAt = 1, DefaultTries, at.Add(-time.Minute), at.Add(-2*time.Minute)
			if d.Until.IsZero() {
				d.Until = at.Add(22 * time.Hour)
			}
			r := d.After(tt.outcome, at, 0)
			if r.State != tt.state || r.Step != tt.step || r.NextIn != tt.in {
				t.Errorf("it is %v in step %d, again in %v; want %v, %d, %v", r.State, r.Step, r.NextIn, tt.state, tt.step, tt.in)
			}
			if r.Error == nil || !strings.Contains(r.Error.Message, tt.says) {
				t.Fatalf("it says %+v, want %q", r.Error, tt.says)
			}
			if unsettled := r.Error.Code == CodeOutcomeUnknown && r.State == TargetFailed; r.Unsettled.Has(0) != unsettled {
				t.Errorf("unsettled is %b", r.Unsettled)
			}
			if d.Step == StepFind && tt.outcome.Err != nil && tt.outcome.Err.Kind != Internal && r.Attempts != d.Attempts {
				t.Errorf("the look costs a try")
			}
		})
	}
}

func TestLooksComeRarerTheLongerTheyFail(t *testing.T) {
	at := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		since, due time.Duration // ago
		min        time.Duration
		max        time.Duration // with all its jitter
	}{
		"right after the call":       {5 * time.Second, time.Hour, 5 * time.Second, 6250 * time.Millisecond},
		"after two minutes":          {2 * time.Minute, 2 * time.Minute, 30 * time.Second, 37500 * time.Millisecond},
		"after hours":                {5 * time.Hour, 5 * time.Hour, 4 * time.Minute, 5 * time.Minute},
		"of a call before a retry":   {48 * time.Hour, 0, 5 * time.Second, 6250 * time.Millisecond},
		"of a retry that is to wait": {48 * time.Hour, -time.Second, 5 * time.Second, 6250 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			d := Delivery{Since: at.Add(-tt.since), DueAt: at.Add(-tt.due), Until: at.Add(time.Hour)}
			if minimum, maximum := d.lookWait(0, at, 0), d.lookWait(0, at, 1); minimum != tt.min || maximum != tt.max {
				t.Errorf("it waits from %v to %v, want %v to %v", minimum, maximum, tt.min, tt.max)
			}
		})
	}
}

// What the platform has answered for is not said to have been lost.
func TestWhatThePlatformTookIsNotCalledLost(t *testing.T) {
	at := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	d := Delivery{Step: StepFind, Entries: 1, Until: at, Receipts: []Receipt{{NativeID: "1", Open: true}}}
	for name, r := range map[string]Result{
		"nobody answers":      d.After(Outcome{Err: &Error{Kind: Retryable, Message: "no answer"}}, at, 0),
		"it is still at work": d.After(Outcome{Verdict: Found, Receipt: Receipt{NativeID: "1", Open: true}}, at, 0),
		"it is not claimed":   d.Missed(at),
	} {
		t.Run(name, func(t *testing.T) {
			if e := r.Error; r.State != TargetFailed || e.Code != CodeOutcomeUnknown || !strings.HasPrefix(e.Message, "the platform took the post, and ") {
				t.Errorf("it ends as %+v", *e)
			}
		})
	}
}

func TestWhatMayBeThereIsNeverSaidToHaveMissedItsDeadline(t *testing.T) {
	at := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		delivery Delivery
		tooLate  bool
		code     string
	}{
		"nothing was called":     {Delivery{Step: StepPublish, Until: at.Add(-1)}, true, CodeMissedDeadline},
		"a call is repeated":     {Delivery{Step: StepPublish, FindAttempts: CallRepeating, Until: at.Add(-1)}, true, CodeOutcomeUnknown},
		"a call is prepared for": {Delivery{Step: StepPrepare, FindAttempts: CallRepeating, Until: at.Add(-1)}, true, CodeOutcomeUnknown},
		"paused":                 {Delivery{Step: StepPublish, Paused: true, Until: at}, true, CodeMissedDeadline},
		"its account is gone":    {Delivery{Step: StepPublish, Account: Account{Disconnected: true}, Paused: true, Until: at.Add(-1)}, false, CodeMissedDeadline},
		"in time":                {Delivery{Step: StepPublish, Until: at}, false, CodeMissedDeadline},
		"it is looked for":       {Delivery{Step: StepFind, Until: at.Add(-1)}, false, CodeOutcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			d := tt.delivery
			d.Entries = 1
			if got := d.TooLate(at); got != tt.tooLate {
				t.Errorf("TooLate = %t", got)
			}
			if r := d.Missed(at); r.Error.Code != tt.code || r.Releases() != (tt.code == CodeMissedDeadline) {
				t.Errorf("it ends as %+v, gives its unit back %t", *r.Error, r.Releases())
			}
		})
	}
}

// TestAThreadLooksForEachEntryThatMayBeThere retries a thread that went on after entries of
// unknown outcome.
func TestAThreadLooksForEachEntryThatMayBeThere(t *testing.T) {
	at := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	unknown := &TargetError{Code: CodeOutcomeUnknown}
	for name, tt := range map[string]struct {
		target     Target
		cannotFind bool
		accept     bool
		want       Resumption
		ok         bool
	}{
		"it failed for good":               {Target{Entry: 1, Receipts: []Receipt{{}}, Error: &TargetError{}}, false, false, Resumption{Entry: 1}, true},
		"it ended as unknown":              {Target{Entry: 1, Receipts: []Receipt{{}}, Unsettled: 0b10, Error: unknown}, false, false, Resumption{Step: StepFind, Entry: 1, Unsettled: 0b10}, true},
		"a dead letter":                    {Target{Entry: 1, Receipts: []Receipt{{}}, Error: unknown}, false, false, Resumption{Step: StepFind, Entry: 1, Unsettled: 0b10}, true},
		"an entry before ended as unknown": {Target{Entry: 3, Receipts: []Receipt{{}}, Unsettled: 0b10, Error: &TargetError{}}, false, false, Resumption{Step: StepFind, Entry: 1, Unsettled: 0b10}, true},
		"one after the next did":           {Target{Entry: 3, Receipts: []Receipt{{}}, Unsettled: 0b100, Error: &TargetError{}}, false, false, Resumption{Entry: 1, Unsettled: 0b100}, true},
		"a hole stays a hole":              {Target{Entry: 3, Receipts: []Receipt{{}, {Entry: 2}}, Unsettled: 0b10, Error: &TargetError{}}, false, false, Resumption{Entry: 3}, true},
		"nobody can look":                  {Target{Error: unknown}, true, false, Resumption{Unsettled: 1, LeftOut: true}, true},
		"a second post is accepted":        {Target{Error: unknown}, true, true, Resumption{}, true},
		"it is looked for all the same":    {Target{Error: unknown}, false, true, Resumption{Step: StepFind, Unsettled: 1}, true},
		"the platform is at it":            {Target{Receipts: []Receipt{{Open: true}}, Error: unknown}, false, false, Resumption{Step: StepFind, Unsettled: 1}, true},
		"all is there":                     {Target{Receipts: []Receipt{{Entry: 3}}}, false, false, Resumption{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			target := tt.target
			target.State = TargetFailed
			got, ok := target.Resume(4, tt.cannotFind, tt.accept)
			if ok != tt.ok || (ok && (got.Step != tt.want.Step || got.Entry != tt.want.Entry || got.Unsettled != tt.want.Unsettled || got.LeftOut != tt.want.LeftOut)) {
				t.Errorf("it goes on as %+v, %t; want %+v, %t", got, ok, tt.want, tt.ok)
			}
		})
	}
	d := Delivery{Step: StepFind, Entry: 1, Entries: 4, Tries: 1, Unsettled: 0b110, Pause: time.Second, Until: at.Add(time.Hour)}
	r := d.After(Outcome{Verdict: Found, Receipt: Receipt{NativeID: "1"}}, at, 0)
	if r.Entry != 2 || r.Step != StepFind || r.Unsettled != 0b100 || r.Fresh {
		t.Errorf("after the first was found it is %+v, want the next looked for", r)
	}
	d.Entry, d.Unsettled, d.FindAttempts = r.Entry, r.Unsettled, 1
	if r = d.After(Outcome{Verdict: NotThere}, at, 0); r.Entry != 2 || r.Step != StepPrepare || r.Unsettled != 0 || !r.Fresh {
		t.Errorf("after the second was not there it is %+v, want it called", r)
	}
}

func TestALookThatFoundAnothersEndsAtTheDeadline(t *testing.T) {
	at := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	d := Delivery{Step: StepFind, Entries: 1, Until: at.Add(time.Second)}
	if r := d.LookAgain(at); r.State != TargetPending || r.Step != StepFind || r.NextIn != SettleTime {
		t.Errorf("before it: %+v", r)
	}
	if r := d.LookAgain(d.Until); r.State != TargetFailed || r.Error.Code != CodeOutcomeUnknown || !r.Unsettled.Has(0) {
		t.Errorf("at it: %+v", r)
	}
}

func TestAnOpenOutcomeStaysOneWhenItIsGivenBack(t *testing.T) {
	at := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	if r := (Delivery{Step: StepFind}).GiveBack(nil, at); r.Error == nil || r.Error.Code != CodeOutcomeUnknown {
		t.Errorf("a look that is given back says %+v", r.Error)
	}
	if r := (Delivery{Step: StepPrepare}).GiveBack(nil, at); r.Error != nil {
		t.Errorf("an upload that is given back says %+v", r.Error)
	}
}

// After a retry's looks the call is made anew under the key of before, which another's
// status may answer: what is known of the profile is read for it.
func TestACallAfterARetrysLooksKnowsTheOthers(t *testing.T) {
	at := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	d := Delivery{Step: StepFind, FindAttempts: 1, Unsettled: 1, Entries: 1, Tries: DefaultTries, Until: at.Add(time.Hour)}
	r := d.After(Outcome{Verdict: NotThere}, at, 0)
	again := Delivery{Step: StepPublish, FindAttempts: r.FindAttempts, Since: at}
	if r.Step != StepPrepare || again.FindAttempts != CallRetried || !again.CallsAgain() {
		t.Errorf("it goes on with step %d, looked %d: nobody knows that it was called before", r.Step, r.FindAttempts)
	}
	if since := again.KnownSince(); since.After(at.Add(-idempotencyWindow)) {
		t.Errorf("what is on the profile is read since %v", since)
	}
}

// A list that shows late what it has is looked at until it would show it: only then the call is
// made again, whenever it was first claimed.
func TestALateListIsLookedAtUntilItShows(t *testing.T) {
	film, comment, sandbox := []Media{{Kind: Video}}, &Comment{}, Account{Sandbox: true}
	late, refuses := Listing{Within: 10 * time.Minute}, Listing{Within: 10 * time.Minute, Refuses: true}
	for name, tt := range map[string]struct {
		listing  Listing
		delivery Delivery
		verdicts []Verdict // of the looks, the last one again and again
		listed   bool      // at once, or never a second time
	}{
		"a platform that lists at once":             {Listing{}, Delivery{}, []Verdict{NotThere}, true},
		"one that lists late":                       {late, Delivery{}, []Verdict{NotThere}, false},
		"its simulator":                             {late, Delivery{Account: sandbox}, []Verdict{NotThere}, true},
		"what was prepared is asked":                {late, Delivery{}, []Verdict{NotMade}, true},
		"what was prepared is forgotten by then":    {late, Delivery{}, []Verdict{NotMade, NotThere}, false},
		"what was prepared is known again":          {late, Delivery{}, []Verdict{NotThere, NotMade}, true},
		"a text that is refused if it comes again":  {refuses, Delivery{}, []Verdict{NotThere}, true},
		"a text that is not called for again":       {refuses, Delivery{Attempts: DefaultTries - 1}, []Verdict{NotThere}, false},
		"the text of a film":                        {refuses, Delivery{Media: film}, []Verdict{NotThere}, false},
		"a comment that is refused if it comes too": {refuses, Delivery{Media: film, Comment: comment}, []Verdict{NotThere}, true},
	} {
		t.Run(name, func(t *testing.T) {
			at := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
			d, first := tt.delivery, at
			d.Describe(Content{Entries: []Entry{{Media: d.Media}}}, "", Constraints{Listing: tt.listing})
			d.Step, d.Entries, d.Since, d.DueAt, d.Until = StepFind, 1, at.Add(-time.Hour), at.Add(-time.Hour), at.Add(time.Hour)
			for look := range 20 {
				r := d.After(Outcome{Verdict: tt.verdicts[min(look, len(tt.verdicts)-1)]}, at, 0)
				if r.Step != StepFind || r.State != TargetPending {
					break
				}
				if r.Error == nil || r.Error.Code != CodeOutcomeUnknown || r.Attempts != d.Attempts {
					t.Fatalf("it is still open as %+v", r)
				}
				d.FindAttempts, at = r.FindAttempts, at.Add(r.NextIn)
			}
			if waited := at.Sub(first); tt.listed && waited != SettleTime || !tt.listed && (waited < tt.listing.Within || waited > 2*tt.listing.Within) {
				t.Errorf("it is called again after %v", waited)
			}
		})
	}
	reply := Delivery{Comment: &Comment{ReplyTo: &ReplyTo{}}}
	if reply.DescribeReply(Constraints{Listing: late}); reply.Listed != late.Within {
		t.Errorf("a reply is waited for for %v", reply.Listed)
	}
}

func TestAnOutcomeThatStaysUnknownSaysWhyTheAnswerWasLost(t *testing.T) {
	at := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	const cut = "the platform's answer was lost: it was cut off"
	for name, d := range map[string]Delivery{"one can look": {}, "nobody can look": {CannotFind: true}} {
		t.Run(name, func(t *testing.T) {
			d.Step, d.Entries, d.Tries, d.Since, d.DueAt, d.Until = StepPublish, 1, DefaultTries, at, at, at.Add(time.Hour)
			for _, o := range []Outcome{
				{Err: &Error{Kind: Unknown, Message: cut}}, {Err: &Error{Kind: RateLimited, Message: "calls wait"}},
			} {
				r := d.After(o, at, 0)
				d.Step, d.FindAttempts, d.Lost = r.Step, r.FindAttempts, r.Error.Lost // as it is stored
			}
			r := d.After(Outcome{}, at, 0) // nobody can tell
			if r.State != TargetFailed || !strings.HasPrefix(r.Error.Message, cut+", and ") || r.Error.Lost != "" {
				t.Errorf("it ends as %v with %+v", r.State, r.Error)
			}
			if r.Attempt == nil || r.Attempt.Message != r.Error.Message {
				t.Errorf("the timeline says %+v", r.Attempt)
			}
		})
	}
}
