package body_test

import (
	"strings"
	"testing"
	"time"

	"crier/gateway/body"
	"crier/gateway/calendar"
)

// firstShowing looks for the first instant at which the clocks of a zone show what wall
// shows in UTC, with every offset the zone has around it; ok is false if there is none.
func firstShowing(wall time.Time, zone *time.Location) (first time.Time, ok bool) {
	for at := wall.Add(-48 * time.Hour); at.Before(wall.Add(48 * time.Hour)); {
		instant := wall.Add(-offsetAt(at, zone))
		if instant.Add(offsetAt(instant, zone)).Equal(wall) && (!ok || instant.Before(first)) {
			first, ok = instant, true
		}
		_, next := at.In(zone).ZoneBounds()
		if next.IsZero() {
			break
		}
		at = next
	}
	return first, ok
}

func offsetAt(at time.Time, zone *time.Location) time.Duration {
	_, seconds := at.In(zone).Zone()
	return time.Duration(seconds) * time.Second
}

// FuzzParseTime holds wall time against a search over all offsets of its zone.
func FuzzParseTime(f *testing.F) {
	zones := new(calendar.Zones)
	for text, zone := range map[string]string{
		"2026-03-29T02:30:00": "Europe/Berlin", "2026-10-25T02:30": "Europe/Berlin", "2026-11-01T01:30:00": "America/Los_Angeles",
		"2026-10-04T02:10:00": "Australia/Lord_Howe", "2011-12-30T12:00:00": "Pacific/Apia", "2026-04-05T01:45:00": "Pacific/Kiritimati",
		"2026-03-01T09:00:00-0500": "UTC", "2026-03-01T09:00:00.25Z": "Asia/Kolkata", "1883-11-18T12:03:58": "America/New_York",
		"1944-04-03T02:00:00": "Europe/Paris", "9999-12-31T23:59:59": "America/Adak", "0000-01-01T00:00": "Africa/Monrovia", "2026-02-30T09:00": "UTC",
		"2024-03-31T02:00:00": "Africa/El_Aaiun", "1969-09-30T13:00:00": "Pacific/Kwajalein", "1993-08-21T12:00:00": "Pacific/Kwajalein",
	} {
		f.Add(text, zone)
	}
	f.Fuzz(func(t *testing.T, text, name string) {
		zone, err := zones.Load(name)
		if err != nil {
			zone = time.UTC
		}
		at, err := body.ParseTime(text, zone)
		var wall time.Time
		isWall := false
		for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04"} {
			if parsed, err := time.Parse(layout, text); err == nil {
				wall, isWall = parsed, true
			}
		}
		if !isWall {
			if err == nil && at.Location() != time.UTC {
				t.Errorf("ParseTime(%q) = %v, want it in UTC", text, at)
			}
			return
		}
		want, occurs := firstShowing(wall, zone)
		switch {
		case occurs && (err != nil || !at.Equal(want)):
			t.Errorf("ParseTime(%q, %s) = %v, %v; want %v", text, zone, at, err, want)
		case !occurs && (err == nil || !strings.Contains(err.Error(), "does not occur")):
			t.Errorf("ParseTime(%q, %s) = %v, %v; that time does not occur", text, zone, at, err)
		}
	})
}
