package calendar

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"crier/gateway/body"
	"crier/schema"
)

// SlotLayout is how a slot's time of day is written.
const SlotLayout = "15:04"

// Weekday returns the day of a name such as monday.
func Weekday(name string) (time.Weekday, bool) {
	for day := time.Sunday; day <= time.Saturday; day++ {
		if strings.ToLower(day.String()) == name {
			return day, true
		}
	}
	return 0, false
}

// Period is from one time to another, both included.
type Period struct{ From, To time.Time }

// FreeSlots returns at most n times of a queue within a period that are not taken, in order. A slot whose time the clocks skip does not occur in that week; if they
// show it twice, the first counts.
func FreeSlots(queue schema.Queue, zone *time.Location, taken []time.Time, within Period, n int) []time.Time {
	slots := slices.Clone(queue.Slots)
	slices.SortFunc(slots, func(a, b schema.WeekSlot) int { return cmp.Compare(a.Time, b.Time) })
	var free []time.Time
	year, month, first := within.From.In(zone).Date()
	for day := first; ; day++ {
		date := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
		if date.After(within.To.AddDate(0, 0, 1)) {
			return free
		}
		for _, slot := range slots {
			at, ok := occurrence(slot, date, zone)
			if !ok || at.Before(within.From) || at.After(within.To) {
				continue
			}
			if _, found := slices.BinarySearchFunc(taken, at, time.Time.Compare); found {
				continue
			}
			if free = append(free, at); len(free) == n {
				return free
			}
		}
	}
}

// occurrence returns when a slot is on a date, if it is.
func occurrence(slot schema.WeekSlot, date time.Time, zone *time.Location) (time.Time, bool) {
	clock, err := time.Parse(SlotLayout, slot.Time)
	day, known := Weekday(slot.Day)
	if err != nil || !known || date.Weekday() != day {
		return time.Time{}, false
	}
	at, err := body.WallTime(date.Add(time.Duration(clock.Hour())*time.Hour+time.Duration(clock.Minute())*time.Minute), zone)
	return at, err == nil
}
