package posts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"crier/gateway/calendar"
	"crier/schema"
)

// slotStore gives out the slots of queues, each once.
type slotStore interface {
	// TakeSlots takes a slot for each post, in order, from those that pick returns; if
	// pick returns fewer, the last posts get none. It is NotFound if there is no such
	// queue.
	TakeSlots(ctx context.Context, workspace schema.WorkspaceID, choice schema.QueueChoice, posts []schema.PostID,
		pick func(queue schema.Queue, taken []time.Time) ([]time.Time, error)) (schema.QueueID, []time.Time, error)
	// ReleaseSlots frees the slots of posts that were not stored.
	ReleaseSlots(ctx context.Context, posts []schema.PostID) error
}

// releaseTimeout bounds the release of slots, which goes on if the request is given up.
const releaseTimeout = 5 * time.Second

// slotTries is how often a post of a queue is given a slot: again where the day of the one before
// is full for one of its accounts.
const slotTries = 4

// slotsOf are the slots of a queue from a time on; zero: from now on.
type slotsOf struct {
	choice schema.QueueChoice
	from   time.Time
}

// place gives posts the next free slots of a queue, in order, and its timezone where they have none.
// Posts for which there is none have no time afterwards. A dry run leaves the slots free.
func (p *posts) place(ctx context.Context, b batch, of slotsOf, queued []*schema.Post) error {
	var taking []schema.PostID
	for _, post := range queued {
		post.ScheduledFor = time.Time{}
		if !b.dryRun {
			taking = append(taking, post.ID)
		}
	}
	timezone := ""
	var slots []time.Time
	queue, _, err := p.Store.TakeSlots(ctx, b.key.Workspace, of.choice, taking, func(queue schema.Queue, taken []time.Time) (_ []time.Time, err error) {
		timezone = queue.Timezone
		slots, err = p.freeSlots(b, of.from, queue, taken, len(queued))
		return slots, err
	})
	if schema.KindOf(err) == schema.NotFound {
		return queueMissing(of.choice)
	}
	if err != nil {
		return fmt.Errorf("taking slots: %w", err)
	}
	for i, at := range slots {
		queued[i].ScheduledFor, queued[i].Content.Queue = at, queue
		queued[i].Timezone = cmp.Or(queued[i].Timezone, timezone)
	}
	return nil
}

// freeSlots returns at most n slots of a queue from a time on that are not taken.
func (p *posts) freeSlots(b batch, from time.Time, queue schema.Queue, taken []time.Time, n int) ([]time.Time, error) {
	zone, err := p.Zones.Load(queue.Timezone)
	if err != nil {
		return nil, err
	}
	if earliest := b.now.Add(p.Lead); earliest.After(from) {
		from = earliest
	}
	return calendar.FreeSlots(queue, zone, taken, calendar.Period{From: from, To: b.now.Add(calendar.MaxAhead)}, n), nil
}

// moveToQueue gives a locked post the next free slot of a queue: its own, if none before that is free.
func (p *posts) moveToQueue(post *schema.Post, b batch, of slotsOf, read schema.QueueReader) error {
	queue, taken, err := read(of.choice)
	if schema.KindOf(err) == schema.NotFound {
		return queueMissing(of.choice)
	}
	if err != nil {
		return err
	}
	slots, err := p.freeSlots(b, of.from, queue, taken, 1)
	if err != nil {
		return err
	}
	if len(slots) == 0 {
		return queueFull()
	}
	post.ScheduledFor, post.Content.Queue = slots[0], queue.ID
	return nil
}

// nextFreeDay returns the next day on which all accounts of a post have room, of an error that
// says that a day is full; ok is false for any other.
func nextFreeDay(err error) (day time.Time, ok bool) {
	e, isError := errors.AsType[*schema.Error](err)
	if !isError || e.Kind != schema.DailyLimitReached {
		return day, false
	}
	for _, d := range e.Details {
		next, err := time.Parse(time.DateOnly, d.NextFreeDay)
		if err == nil && next.After(day) {
			day = next
		}
	}
	return day, !day.IsZero()
}

func queueMissing(choice schema.QueueChoice) error {
	if choice.ID.IsZero() {
		return schema.InvalidField("queue", "queue_missing", "there is no default queue to schedule into: POST /queues makes one")
	}
	return schema.InvalidField("queueId", "queue_unknown", "there is no queue of this id")
}

func queueFull() *schema.Error {
	return schema.InvalidField("queue", "queue_full", "the queue has no free slot in the next 90 days, or none on a day with room for the post")
}

// release frees the slots of posts that were not stored. If that fails, they are freed
// after a while.
func (p *posts) release(ctx context.Context, queued []schema.PostID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	if err := p.Store.ReleaseSlots(ctx, queued); err != nil {
		p.Logger.WarnContext(ctx, "slots of a queue were not released", slog.Any("err", err))
	}
}
