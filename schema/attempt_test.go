package schema

import (
	"slices"
	"testing"
	"time"
)

func TestAStepTellsWhatWasNotPlainSuccess(t *testing.T) {
	at := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	fails := func(kind ErrorKind) Outcome { return Outcome{Err: &Error{Kind: kind, Message: "why"}} }
	polled := []Receipt{{Entry: 0, State: "job", Open: true}}
	for name, tt := range map[string]struct {
		delivery Delivery
		outcome  Outcome
		want     AttemptKind
		code     string
		in       time.Duration // until the next try
		tries    int
	}{
		"published":                    {Delivery{Step: StepPublish}, Outcome{Receipt: Receipt{NativeID: "1"}}, 0, "", 0, 0},
		"prepared":                     {Delivery{Step: StepPrepare}, Outcome{Progress: Progress{Ready: true}}, 0, "", 0, 0},
		"a step of preparing":          {Delivery{Step: StepPrepare}, Outcome{Progress: Progress{State: []byte(`{}`)}}, 0, "", 0, 0},
		"media are processed":          {Delivery{Step: StepPrepare}, Outcome{Progress: Progress{RetryIn: time.Minute}}, AttemptProcessing, "", time.Minute, 0},
		"the post is processed":        {Delivery{Step: StepPublish}, Outcome{Receipt: Receipt{Open: true}}, AttemptProcessing, "", pollInterval, 0},
		"processing has ended":         {Delivery{Step: StepFind, Receipts: polled}, Outcome{Verdict: Found, Receipt: Receipt{NativeID: "1"}}, 0, "", 0, 0},
		"asked to wait":                {Delivery{Step: StepPublish}, Outcome{Err: &Error{Kind: RateLimited, RetryAfter: time.Hour}}, AttemptDeferred, "platform_rate_limited", time.Hour, 0},
		"a look is asked to wait":      {Delivery{Step: StepFind}, Outcome{Err: &Error{Kind: RateLimited, RetryAfter: time.Hour}}, AttemptLookFailed, "platform_rate_limited", time.Hour, 0},
		"failed, tried again":          {Delivery{Step: StepPublish}, fails(Retryable), AttemptRetrying, "platform_unavailable", 1500 * time.Millisecond, 1},
		"failed for the last time":     {Delivery{Step: StepPublish, Attempts: 4}, fails(Retryable), AttemptFailed, "platform_unavailable", 0, 5},
		"refused":                      {Delivery{Step: StepPublish}, fails(Refused), AttemptFailed, "platform_refused", 0, 1},
		"the answer was lost":          {Delivery{Step: StepPublish}, fails(Unknown), AttemptUnknown, "outcome_unknown", SettleTime, 0},
		"the look failed":              {Delivery{Step: StepFind}, fails(Retryable), AttemptLookFailed, "platform_unavailable", soonestLook, 0},
		"the looks are over":           {Delivery{Step: StepFind, Until: at, Attempts: 2}, fails(Retryable), AttemptFailed, "outcome_unknown", 0, 2},
		"safe to repeat":               {Delivery{Step: StepFind}, Outcome{Verdict: SafeToRepeat}, AttemptRetrying, "outcome_unknown", 0, 0},
		"the repetition failed":        {Delivery{Step: StepPublish, FindAttempts: CallRepeating}, fails(Retryable), AttemptLookFailed, "platform_unavailable", soonestLook, 0},
		"found":                        {Delivery{Step: StepFind}, Outcome{Verdict: Found, Receipt: Receipt{NativeID: "1"}}, AttemptFound, "", 0, 0},
		"published, but not all of it": {Delivery{Step: StepFind, Receipts: polled}, Outcome{Verdict: Found, Receipt: Receipt{NativeID: "1"}, Err: &Error{Kind: Refused, Message: "why"}}, AttemptIncomplete, "platform_refused", 0, 0},
		"not there":                    {Delivery{Step: StepFind}, Outcome{Verdict: NotThere}, AttemptNotFound, "", SettleTime, 0},
		"not there again":              {Delivery{Step: StepFind, FindAttempts: 1}, Outcome{Verdict: NotThere}, AttemptRetrying, "platform_unavailable", 1500 * time.Millisecond, 1},
		"nobody can tell":              {Delivery{Step: StepFind}, Outcome{Verdict: CannotTell}, AttemptFailed, "outcome_unknown", 0, 0},
		"a hole, and the thread goes":  {Delivery{Step: StepPublish, Entries: 3, ContinueOnError: true}, fails(Refused), AttemptEntryFailed, "platform_refused", 0, 1},
		"an entry of a thread":         {Delivery{Step: StepPublish, Entries: 3, Pause: time.Second}, Outcome{Receipt: Receipt{NativeID: "1"}}, 0, "", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := tt.delivery
			d.Tries, d.Ref.N = DefaultTries, 3
			d.Entries = max(d.Entries, 1)
			if d.Since, d.DueAt = at, at; d.Until.IsZero() {
				d.Until = at.Add(24 * time.Hour)
			}
			got := d.After(tt.outcome, at, 0).Attempt
			if tt.want == 0 {
				if got != nil {
					t.Fatalf("attempt %+v, want none", *got)
				}
				return
			}
			if got == nil {
				t.Fatal("no attempt")
			}
			var next time.Time
			if tt.in > 0 {
				next = at.Add(tt.in)
			}
			if got.Kind != tt.want || got.Code != tt.code || !got.NextAt.Equal(next) || got.Tries != tt.tries || got.N != 3 || got.Comment != NoComment {
				t.Errorf("attempt %+v; want %v, %q, next %v, %d tries", *got, tt.want, tt.code, next, tt.tries)
			}
		})
	}
}

func TestATimelineIsMadeOfRowsAndAttempts(t *testing.T) {
	at := func(minutes int) time.Time { return time.Date(2026, 12, 1, 9, minutes, 0, 0, time.UTC) }
	failure := &TargetError{Code: "platform_refused", Message: "too rude", At: at(5)}
	p := Post{CreatedAt: at(0), Targets: []Target{
		{N: 0, State: TargetPosted, Receipts: []Receipt{{NativeID: "1", PostedAt: at(3)}}, Comments: []Comment{
			{Position: 0, State: CommentPosted, NativeID: "c", PostedAt: at(6)},
			{Position: 1, State: CommentFailed, Error: &TargetError{Code: "x", At: at(7)}},
		}},
		{N: 1, State: TargetFailed, Error: failure, Receipts: []Receipt{{Open: true, PostedAt: at(4)}}},
	}}
	deferred := Attempt{At: at(2), Kind: AttemptDeferred, N: 0, Comment: NoComment}
	for name, stored := range map[string][]Attempt{
		"the reason was forgotten": {deferred},
		"the reason is stored":     {deferred, {At: at(5), Kind: AttemptFailed, N: 1, Comment: NoComment, Code: "platform_refused"}},
	} {
		t.Run(name, func(t *testing.T) {
			want := []AttemptKind{AttemptCreated, AttemptDeferred, AttemptPublished, AttemptFailed, AttemptPublished, AttemptFailed}
			got := Timeline(p, stored)
			if len(got) != len(want) {
				t.Fatalf("timeline %+v, want %v", got, want)
			}
			for i, a := range got {
				if a.Kind != want[i] {
					t.Errorf("line %d is %v, want %v", i, a.Kind, want[i])
				}
			}
			if got[3].Code != "platform_refused" || got[5].Comment != 1 {
				t.Errorf("failures %+v, %+v", got[3], got[5])
			}
		})
	}
}

func TestAFailureAfterARetryIsToldBesideTheOneBefore(t *testing.T) {
	at := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	stored := []Attempt{{At: at, Kind: AttemptFailed, Comment: NoComment, Code: "platform_refused"}, {At: at.Add(time.Second), Kind: AttemptRetried, N: WholePost}}
	for code, after := range map[string]time.Duration{"platform_refused": 0, CodeMissedDeadline: 2 * time.Second} {
		failed := Target{State: TargetFailed, Error: &TargetError{Code: code, At: at.Add(after)}}
		var told []string
		for _, a := range Timeline(Post{CreatedAt: at, Targets: []Target{failed}}, stored) {
			if a.Kind == AttemptFailed {
				told = append(told, a.Code)
			}
		}
		if want := slices.Compact([]string{"platform_refused", code}); !slices.Equal(told, want) {
			t.Errorf("%v is told, want %v", told, want)
		}
	}
}

func TestAnEntryThatEndsWithItsAccountIsTold(t *testing.T) {
	d := Delivery{Step: StepFind, Entries: 2, ContinueOnError: true, Account: Account{Disconnected: true}}
	r, ok := d.Blocked(time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC))
	if !ok || r.State != TargetPending || r.Attempt == nil || r.Attempt.Kind != AttemptEntryFailed || r.Attempt.Code != CodeOutcomeUnknown {
		t.Errorf("%+v is told of %+v, want that nobody knows what became of its first entry", r.Attempt, r)
	}
	d.Step, d.Account = StepPublish, Account{Renewing: true}
	if r, ok = d.Blocked(time.Time{}); !ok || r.Attempt != nil {
		t.Errorf("%+v is told of an account that is renewed, want nothing yet", r.Attempt)
	}
}

func TestAPublicationComesAfterTheTriesThatFoundIt(t *testing.T) {
	at := func(seconds int) time.Time { return time.Date(2026, 12, 1, 9, 0, seconds, 0, time.UTC) }
	p := Post{CreatedAt: at(0), Targets: []Target{{
		State: TargetPosted, Receipts: []Receipt{{Entry: 0, PostedAt: at(2)}, {Entry: 1, PostedAt: at(40)}},
		Comments: []Comment{{State: CommentPosted, PostedAt: at(41)}},
	}}}
	lost := func(seconds, entry int, comment int16) Attempt {
		return Attempt{At: at(seconds), Kind: AttemptUnknown, Entry: entry, Comment: comment}
	}
	stored := []Attempt{lost(7, 0, NoComment), {At: at(12), Kind: AttemptFound, Comment: NoComment}, lost(45, 0, 0)}
	want := []AttemptKind{
		AttemptCreated, AttemptUnknown, AttemptFound, AttemptPublished, // at the platform's second 2
		AttemptPublished, AttemptUnknown, AttemptPublished,
	}
	got := Timeline(p, stored)
	for i, a := range got {
		if a.Kind != want[i] {
			t.Errorf("line %d is %v, want %v", i, a.Kind, want[i])
		}
	}
	if len(got) != len(want) || !got[3].At.Equal(at(2)) {
		t.Errorf("timeline %+v, want %v", got, want)
	}
}
