package body

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata"
)

func TestParseTime(t *testing.T) {
	for name, tt := range map[string]struct {
		text, zone, want string
	}{
		"an instant":                    {"2026-03-01T09:00:00Z", "UTC", "2026-03-01T09:00:00Z"},
		"an offset beats the zone":      {"2026-03-01T09:00:00+02:00", "America/New_York", "2026-03-01T07:00:00Z"},
		"an offset without a colon":     {"2026-03-01T09:00:00-0500", "UTC", "2026-03-01T14:00:00Z"},
		"fractions of a second":         {"2026-03-01T09:00:00.25Z", "UTC", "2026-03-01T09:00:00.25Z"},
		"no seconds":                    {"2026-03-01T09:00+01:00", "UTC", "2026-03-01T08:00:00Z"},
		"wall time":                     {"2026-07-01T09:00:00", "Europe/Berlin", "2026-07-01T07:00:00Z"},
		"wall time without seconds":     {"2026-01-01T09:00", "Asia/Kolkata", "2026-01-01T03:30:00Z"},
		"the first of two":              {"2026-10-25T02:30:00", "Europe/Berlin", "2026-10-25T00:30:00Z"},
		"the first of two in the west":  {"2026-11-01T01:30:00", "America/Los_Angeles", "2026-11-01T08:30:00Z"},
		"right before the gap":          {"2026-03-29T01:59:59", "Europe/Berlin", "2026-03-29T00:59:59Z"},
		"right after the gap":           {"2026-03-29T03:00:00", "Europe/Berlin", "2026-03-29T01:00:00Z"},
		"after the hour that is twice":  {"2026-10-25T03:00:00", "Europe/Berlin", "2026-10-25T02:00:00Z"},
		"half an hour of summer time":   {"2026-04-05T01:45:00", "Australia/Lord_Howe", "2026-04-04T14:45:00Z"},
		"a zone 14 hours east":          {"2026-04-05T01:45:00", "Pacific/Kiritimati", "2026-04-04T11:45:00Z"},
		"the day after one was skipped": {"2011-12-31T00:00:00", "Pacific/Apia", "2011-12-30T10:00:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ParseTime(tt.text, mustLoad(t, tt.zone))
			if err != nil || got.Format(time.RFC3339Nano) != tt.want {
				t.Errorf("parseTime = %v, %v, want %s", got, err, tt.want)
			}
		})
	}
}

func TestParseTimeRefusesASkippedTimeAndNamesItsNeighbours(t *testing.T) {
	for name, tt := range map[string]struct {
		text, zone    string
		before, after string
	}{
		"an hour":        {"2026-03-29T02:30:00", "Europe/Berlin", "2026-03-29T01:59:59", "2026-03-29T03:00:00"},
		"its first time": {"2026-03-29T02:00:00", "Europe/Berlin", "2026-03-29T01:59:59", "2026-03-29T03:00:00"},
		"in the west":    {"2026-03-08T02:15", "America/New_York", "2026-03-08T01:59:59", "2026-03-08T03:00:00"},
		"half an hour":   {"2026-10-04T02:10:00", "Australia/Lord_Howe", "2026-10-04T01:59:59", "2026-10-04T02:30:00"},
		"a whole day":    {"2011-12-30T12:00:00", "Pacific/Apia", "2011-12-29T23:59:59", "2011-12-31T00:00:00"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ParseTime(tt.text, mustLoad(t, tt.zone))
			if err == nil {
				t.Fatalf("parseTime = %v, want an error", got)
			}
			if !strings.Contains(err.Error(), tt.before) || !strings.Contains(err.Error(), tt.after) {
				t.Errorf("parseTime says %q, want %s and %s in it", err, tt.before, tt.after)
			}
		})
	}
}

func TestParseTimeRefusesWhatIsNoTime(t *testing.T) {
	for _, text := range []string{"", "tomorrow", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-02-03", "1767225600", "2026-02-03T25:00"} {
		if got, err := ParseTime(text, time.UTC); err == nil {
			t.Errorf("parseTime(%q) = %v, want an error", text, got)
		}
	}
}

func mustLoad(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}
