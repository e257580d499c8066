package client

import (
	"context"
	"time"

	"crier/client/internal/api"
)

type (
	// Queue is weekly slots that posts are placed in; to create one, leave its id and times empty.
	Queue = api.Queue
	// QueueUpdate changes a queue: what is nil stays as it is.
	QueueUpdate = api.QueueUpdate
	// WeekSlot is one slot of a queue.
	WeekSlot = api.WeekSlot
)

// QueueService makes weekly slots that posts are placed in.
type QueueService struct{ api *caller }

// Create makes a queue of a name, slots and, if need be, a time zone and a brand.
func (q *QueueService) Create(ctx context.Context, queue Queue) (*Queue, error) {
	queue.ID, queue.CreatedAt, queue.UpdatedAt = "", time.Time{}, time.Time{}
	return part(queueOf)(q.api.post(ctx, queue, "queues"))
}

// List returns all queues.
func (q *QueueService) List(ctx context.Context) ([]Queue, error) {
	return part(func(r *api.QueuesResponse) []Queue { return r.Queues })(q.api.get(ctx, nil, "queues"))
}

// Get reads a queue.
func (q *QueueService) Get(ctx context.Context, id string) (*Queue, error) {
	return part(queueOf)(q.api.get(ctx, nil, "queues", id))
}

// Update changes a queue; posts that it has placed stay where they are.
func (q *QueueService) Update(ctx context.Context, id string, change QueueUpdate) (*Queue, error) {
	return part(queueOf)(q.api.patch(ctx, change, "queues", id))
}

// Delete removes a queue.
func (q *QueueService) Delete(ctx context.Context, id string) error {
	return done(q.api.delete(ctx, "queues", id))
}

// Slots are the next free ones, at most n of them.
func (q *QueueService) Slots(ctx context.Context, id string, n int) ([]time.Time, error) {
	return part(func(r *api.SlotsResponse) []time.Time { return r.Slots })(
		q.api.get(ctx, &api.PreviewSlotsParams{Limit: optional(n)}, "queues", id, "slots"))
}

func queueOf(r *api.QueueResponse) *Queue { return &r.Queue }
