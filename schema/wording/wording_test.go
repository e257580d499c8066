package wording_test

import (
	"testing"
	"time"

	"crier/schema/wording"
)

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                                 "0 seconds",
		time.Second:                       "1 second",
		1500 * time.Millisecond:           "1.5 seconds",
		140 * time.Second:                 "2 minutes 20 seconds",
		time.Hour:                         "1 hour",
		48 * time.Hour:                    "48 hours",
		90 * 24 * time.Hour:               "90 days",
		73*time.Hour + 59*time.Minute:     "3 days 1 hour 59 minutes",
		-time.Minute:                      "minus 1 minute",
		time.Minute - 3*time.Microsecond:  "1 minute",
		75*time.Second + time.Millisecond: "1 minute 15.001 seconds",
	} {
		if got := wording.Duration(d); got != want {
			t.Errorf("Duration(%v) = %q, want %q", d, got, want)
		}
	}
}
