package mcp

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// How much of a text is shown, in characters.
const (
	briefly = 200   // in lists
	fully   = 5_000 // of one thing
)

// visible is a text without what hides from people what models read: strangers write some of them.
// One that is longer than most ends with a mark that says so.
func visible(text string, maximum int) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r >= 0xE0000 && r <= 0xE007F) {
			return -1
		}
		return r
	}, text))
	if len(runes) <= maximum {
		return string(runes)
	}
	return fmt.Sprintf("%s… (cut: %d characters in all)", string(runes[:maximum]), len(runes))
}

// when is a time in words, in the zone that it was given in and in UTC.
func when(at time.Time, zone string) string {
	const layout = "Monday 2 January 2006 15:04"
	utc := at.UTC().Format(layout) + " UTC"
	where, err := time.LoadLocation(zone)
	if err != nil || zone == "" || where == time.UTC {
		return utc
	}
	return at.In(where).Format(layout) + " in " + zone + " (" + utc + ")"
}

// readTime reads a time with an offset, or a time of day in a zone.
func readTime(field, text, zone string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	where, err := time.LoadLocation(zone)
	if err != nil {
		return time.Time{}, fmt.Errorf("timezone: %q is no IANA name such as Europe/Berlin", zone)
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"} {
		if at, err := time.ParseInLocation(layout, text, where); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("%s: %q is no time: write it like 2026-12-24T18:00:00+01:00, or 2026-12-24T18:00 with a timezone", field, text)
}

func readDay(field, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%s: %q is no day: write it like 2026-12-24", field, text)
	}
	return day, nil
}
