package importer

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// wallTime is the form in which times without a zone are sent: crier reads them in the time
// zone of the row, or of the import.
const wallTime = "2006-01-02T15:04:05"

var (
	dates  = []string{"2006-01-02", "2006/01/02", "02.01.2006", "2.1.2006", "2 Jan 2006", "2 January 2006", "Jan 2, 2006", "January 2, 2006"}
	clocks = []string{"15:04", "15:04:05", "15:04:05.999", "3:04PM", "3:04 PM", "3PM", "3 PM"}
	zones  = []string{"", "Z07:00", " Z07:00", " -0700", "-0700"}
	// slashed is a date in which the day may come before the month or after it.
	slashed = regexp.MustCompile(`^(\d{1,2})/(\d{1,2})/(\d{4})\b`)
	seconds = regexp.MustCompile(`^\d{10}$`)
)

// parseWhen reads the time of a row in the ways people write one, and returns it as the
// API takes it: with its offset, or as wall time.
func parseWhen(text string, days DayOrder) (string, error) {
	text = strings.Join(strings.Fields(text), " ")
	if seconds.MatchString(text) {
		unix, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return "", fmt.Errorf("%q is no time: %w", text, err)
		}
		return time.Unix(unix, 0).UTC().Format(time.RFC3339), nil
	}
	text, err := normalizeDate(text, days)
	if err != nil {
		return "", err
	}
	for _, date := range dates {
		for _, parted := range []string{" ", "T"} {
			for _, clock := range clocks {
				for _, zone := range zones {
					at, err := time.Parse(date+parted+clock+zone, text)
					if err != nil {
						continue
					}
					if zone == "" {
						return at.Format(wallTime), nil
					}
					return at.Format(time.RFC3339), nil
				}
			}
		}
		if _, err := time.Parse(date, text); err == nil {
			return "", fmt.Errorf("%q has no time of day", text)
		}
	}
	return "", fmt.Errorf("%q is no time crier knows; write it like 2026-12-01 09:00 or 2026-12-01T09:00:00+01:00", text)
}

// normalizeDate writes 13/2/2026 and 2/13/2026 as 2026-02-13, and refuses 2/3/2026 unless the
// order is known.
func normalizeDate(text string, days DayOrder) (string, error) {
	parts := slashed.FindStringSubmatch(text)
	if parts == nil {
		return upperMeridiem(text), nil
	}
	first, second, year := number(parts[1]), number(parts[2]), parts[3]
	month, day := first, second
	switch {
	case days == DayFirst || days == "" && first > 12 && second <= 12:
		month, day = second, first
	case days == MonthFirst:
	case second > 12 && first <= 12:
	case first == second:
	default:
		return "", errors.New("the day and the month of " + parts[0] + " could be either: write it like 2026-12-01, or say --days day-first or month-first")
	}
	return fmt.Sprintf("%s-%02d-%02d", year, month, day) + upperMeridiem(text[len(parts[0]):]), nil
}

func upperMeridiem(text string) string {
	return strings.NewReplacer("am", "AM", "pm", "PM", "a.m.", "AM", "p.m.", "PM").Replace(text)
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits) // at most two digits, by the pattern
	return n
}
