package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"crier/schema"
)

// releaseTimeout bounds the release of slots, whatever becomes of the request.
const releaseTimeout = 5 * time.Second

const slotLayout = "15:04"

// weekday returns the day of a name such as monday.
func weekday(name string) (time.Weekday, bool) {
	for day := time.Sunday; day <= time.Saturday; day++ {
		if strings.ToLower(day.String()) == name {
			return day, true
		}
	}
	return 0, false
}

// freeSlots returns the next times of a queue that are not taken, at most n, from
// earliest to latest. A time that the clocks skip does not occur in that week; of one
// that occurs twice the first is meant.
func freeSlots(queue schema.Queue, zone *time.Location, taken []time.Time, earliest, latest time.Time, n int) []time.Time {
	slots := slices.Clone(queue.Slots)
	slices.SortFunc(slots, func(a, b schema.WeekSlot) int { return cmp.Compare(a.Time, b.Time) })
	var free []time.Time
	year, month, first := earliest.In(zone).Date()
	for day := first; ; day++ {
		date := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
		if date.After(latest.AddDate(0, 0, 1)) {
			return free
		}
		for _, slot := range slots {
			at, ok := occurrence(slot, date, zone)
			if !ok || at.Before(earliest) || at.After(latest) {
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
	clock, err := time.Parse(slotLayout, slot.Time)
	day, known := weekday(slot.Day)
	if err != nil || !known || date.Weekday() != day {
		return time.Time{}, false
	}
	at, err := wallTime(date.Add(time.Duration(clock.Hour())*time.Hour+time.Duration(clock.Minute())*time.Minute), zone)
	return at, err == nil
}

// place gives posts the next free slots of a queue, in their order. Those for which
// there is none keep no time.
func (p *posts) place(ctx context.Context, b batch, choice schema.QueueChoice, queued []*schema.Post) error {
	ids := make([]schema.PostID, len(queued))
	for i, post := range queued {
		ids[i] = post.ID
	}
	queue, slots, err := p.slots.TakeSlots(ctx, b.key.Workspace, choice, ids, func(queue schema.Queue, taken []time.Time) ([]time.Time, error) {
		zone, err := p.zones.load(queue.Timezone)
		if err != nil {
			return nil, err
		}
		return freeSlots(queue, zone, taken, b.now.Add(p.lead), b.now.Add(maxAhead), len(ids)), nil
	})
	if e, ok := errors.AsType[*schema.Error](err); ok && e.Kind == schema.NotFound {
		return queueMissing(choice)
	}
	if err != nil {
		return fmt.Errorf("taking slots: %w", err)
	}
	for i, at := range slots {
		queued[i].ScheduledFor, queued[i].Content.Queue = at, queue
	}
	return nil
}

func queueMissing(choice schema.QueueChoice) error {
	if choice.ID.IsZero() {
		return schema.InvalidField("queue", "queue_missing", "there is no default queue to schedule into")
	}
	return schema.InvalidField("queueId", "queue_unknown", "there is no queue of this id")
}

func queueFull() *schema.Error {
	return schema.InvalidField("queue", "queue_full", "the queue has no free slot in the next 90 days")
}

// release frees the slots of posts that were not made. Where that fails, they are free
// after a while.
func (p *posts) release(ctx context.Context, queued []schema.PostID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	if err := p.slots.ReleaseSlots(ctx, queued); err != nil {
		p.logger.WarnContext(ctx, "slots of a queue were not released", slog.Any("err", err))
	}
}
