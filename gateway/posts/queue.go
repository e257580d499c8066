package posts

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"crier/gateway/calendar"
	"crier/schema"
)

// slotTaker gives out the slots of queues, each once.
type slotTaker interface {
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

// place gives posts the next free slots of a queue, in order. Posts for which there is
// none have no time afterwards.
func (p *posts) place(ctx context.Context, b batch, choice schema.QueueChoice, queued []*schema.Post) error {
	ids := make([]schema.PostID, len(queued))
	for i, post := range queued {
		ids[i] = post.ID
	}
	queue, slots, err := p.Store.TakeSlots(ctx, b.key.Workspace, choice, ids, func(queue schema.Queue, taken []time.Time) ([]time.Time, error) {
		zone, err := p.Zones.Load(queue.Timezone)
		if err != nil {
			return nil, err
		}
		return calendar.FreeSlots(queue, zone, taken, calendar.Period{From: b.now.Add(p.Lead), To: b.now.Add(calendar.MaxAhead)}, len(ids)), nil
	})
	if schema.KindOf(err) == schema.NotFound {
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

// release frees the slots of posts that were not stored. If that fails, they are freed
// after a while.
func (p *posts) release(ctx context.Context, queued []schema.PostID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	if err := p.Store.ReleaseSlots(ctx, queued); err != nil {
		p.Logger.WarnContext(ctx, "slots of a queue were not released", slog.Any("err", err))
	}
}
