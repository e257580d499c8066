package calendar

import (
	"slices"
	"testing"
	"time"

	"crier/schema"
)

func TestFreeSlots(t *testing.T) {
	sundays := []schema.WeekSlot{{Day: "sunday", Time: "12:00"}, {Day: "sunday", Time: "02:30"}}
	for name, tt := range map[string]struct {
		slots           []schema.WeekSlot
		taken           []string
		earliest, until string
		want            []string
	}{
		"in order of the day":     {sundays, nil, "2026-06-01T00:00:00Z", "2026-06-09T00:00:00Z", []string{"2026-06-07T00:30:00Z", "2026-06-07T10:00:00Z"}},
		"what is taken is not":    {sundays, []string{"2026-06-07T00:30:00Z"}, "2026-06-01T00:00:00Z", "2026-06-09T00:00:00Z", []string{"2026-06-07T10:00:00Z"}},
		"a time that is skipped":  {sundays, nil, "2026-03-28T00:00:00Z", "2026-03-30T00:00:00Z", []string{"2026-03-29T10:00:00Z"}},
		"the first of two":        {sundays, nil, "2026-10-24T00:00:00Z", "2026-10-26T00:00:00Z", []string{"2026-10-25T00:30:00Z", "2026-10-25T11:00:00Z"}},
		"bounds are included":     {sundays, nil, "2026-06-07T10:00:00Z", "2026-06-14T00:30:00Z", []string{"2026-06-07T10:00:00Z", "2026-06-14T00:30:00Z"}},
		"the day of the zone":     {[]schema.WeekSlot{{Day: "monday", Time: "00:30"}}, nil, "2026-06-07T22:00:00Z", "2026-06-08T00:00:00Z", []string{"2026-06-07T22:30:00Z"}},
		"no more than are wanted": {sundays, nil, "2026-06-01T00:00:00Z", "2026-07-01T00:00:00Z", []string{"2026-06-07T00:30:00Z", "2026-06-07T10:00:00Z", "2026-06-14T00:30:00Z"}},
		"none":                    {sundays, nil, "2026-06-01T00:00:00Z", "2026-06-06T00:00:00Z", nil},
	} {
		t.Run(name, func(t *testing.T) {
			zone, err := time.LoadLocation("Europe/Berlin")
			if err != nil {
				t.Fatal(err)
			}
			at := func(s string) time.Time {
				parsed, err := time.Parse(time.RFC3339, s)
				if err != nil {
					t.Fatal(err)
				}
				return parsed
			}
			var taken []time.Time
			for _, s := range tt.taken {
				taken = append(taken, at(s))
			}
			var got []string
			for _, free := range FreeSlots(schema.Queue{Slots: tt.slots}, zone, taken, Period{at(tt.earliest), at(tt.until)}, 3) {
				got = append(got, free.UTC().Format(time.RFC3339))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("free = %v, want %v", got, tt.want)
			}
		})
	}
}
