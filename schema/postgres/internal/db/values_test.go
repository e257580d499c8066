package db

import (
	"testing"
	"time"

	"crier/schema"
)

func TestEncodingLeavesOutTimesThatJSONCannotHold(t *testing.T) {
	far := time.Date(40000, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		value any
		want  string
	}{
		"in a slice":       {[]schema.Receipt{{NativeID: "1", PostedAt: far}}, `[{"entry":0,"id":"1"}]`},
		"behind a pointer": {&schema.Receipt{NativeID: "1", PostedAt: far}, `{"entry":0,"id":"1"}`},
		"in an interface":  {[]any{&far}, `["0001-01-01T00:00:00Z"]`},
		"by itself":        {far, `"0001-01-01T00:00:00Z"`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := string(Encode(tt.value)); got != tt.want {
				t.Errorf("Encode = %s, want %s", got, tt.want)
			}
		})
	}
}
