package body

import (
	"errors"
	"fmt"
	"time"
)

const wallLayout = "2006-01-02T15:04:05"

// ParseTime reads an ISO 8601 date and time. With an offset it is an instant, without one
// wall time in the zone: if the clocks show it twice, the first is meant; if they skip
// it, the error names the times before and after.
func ParseTime(s string, zone *time.Location) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05Z0700"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), nil
		}
	}
	for _, layout := range []string{wallLayout, "2006-01-02T15:04"} {
		if t, err := time.Parse(layout, s); err == nil {
			return WallTime(t, zone)
		}
	}
	return time.Time{}, errors.New("must be an ISO 8601 date and time, such as 2026-03-01T09:00:00Z or 2026-03-01T09:00:00 with a timezone")
}

// WallTime returns the first instant at which the clocks of a zone show what wall shows
// in UTC. time.Date does not document which of two it returns, nor report that there is
// none.
func WallTime(wall time.Time, zone *time.Location) (time.Time, error) {
	before := offsetAt(wall.Add(-14*time.Hour), zone) // offsets lie between -12 and +14 hours,
	after := offsetAt(wall.Add(12*time.Hour), zone)   // so a change close to wall lies between these two
	earlier, later := wall.Add(-before), wall.Add(-after)
	if offsetAt(earlier, zone) == before {
		return earlier, nil
	}
	if offsetAt(later, zone) == after {
		return later, nil
	}
	_, change := later.In(zone).ZoneBounds()
	return time.Time{}, fmt.Errorf("%s does not occur in %s: the clocks go from %s to %s",
		wall.Format(wallLayout), zone,
		change.Add(-time.Second).In(zone).Format(wallLayout), change.In(zone).Format(wallLayout))
}

func offsetAt(t time.Time, zone *time.Location) time.Duration {
	_, seconds := t.In(zone).Zone()
	return time.Duration(seconds) * time.Second
}

// Time returns a time, in UTC if it has no offset.
func (f *Form) Time(name string) time.Time {
	value, ok := f.Text(name, MaxShort)
	if !ok {
		return time.Time{}
	}
	at, err := ParseTime(value, time.UTC)
	if err != nil {
		f.Fail(name, CodeInvalidValue, err.Error())
	}
	return at
}
