package schema_test

import (
	"testing"
	"time"

	"crier/schema"
)

func TestClauses(t *testing.T) {
	for name, tt := range map[string]struct {
		messages []string
		want     string
	}{
		"none":       {nil, ""},
		"one":        {[]string{"It is over."}, "It is over."},
		"a sentence": {[]string{"The token ended.", "connect it again"}, "The token ended; connect it again"},
		"a question": {[]string{"did you mean a?", "b is missing", "c too"}, "did you mean a? b is missing; c too"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := schema.Clauses(tt.messages...); got != tt.want {
				t.Errorf("Clauses = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAPostThatRepeatsAnotherFailsAsADuplicate(t *testing.T) {
	d := schema.Delivery{Step: schema.StepPublish, Entries: 1, Tries: schema.DefaultTries}
	refusal := &schema.Error{Kind: schema.Refused, Repeats: true, Message: "duplicate content"}
	r := d.After(schema.Outcome{Err: refusal}, time.Now(), 0)
	if r.State != schema.TargetFailed || r.Error == nil || r.Error.Code != "platform_duplicate" {
		t.Errorf("the target is %v with %+v, want failed with platform_duplicate", r.State, r.Error)
	}
}
