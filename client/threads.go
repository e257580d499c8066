package client

import (
	"context"

	"crier/client/internal/api"
)

// ThreadService makes posts of several entries and reads what became of them.
type ThreadService struct{ api *caller }

// Create stores a thread for good, as Posts.Create does a post.
func (t *ThreadService) Create(ctx context.Context, thread ThreadCreate, options ...CallOption) (*Thread, error) {
	thread.Platforms = askedTargets(thread.Platforms)
	thread.Timezone = zoneOf(thread.Timezone, thread.ScheduledFor)
	ctx = keyed(ctx, options)
	return threadOf(read[api.ThreadAnswer](t.api.post(ctx, thread, "threads")))
}

// Get reads a thread.
func (t *ThreadService) Get(ctx context.Context, id string) (*Thread, error) {
	return threadOf(read[api.ThreadAnswer](t.api.get(ctx, nil, "threads", id)))
}

// Update changes a draft or a scheduled thread.
func (t *ThreadService) Update(ctx context.Context, id string, change ThreadUpdate) (*Thread, error) {
	return threadOf(read[api.ThreadAnswer](t.api.patch(ctx, change, "threads", id)))
}

// Cancel removes a draft, and cancels a scheduled thread: it is never published.
func (t *ThreadService) Cancel(ctx context.Context, id string) error {
	return done(t.api.delete(ctx, "threads", id))
}

func threadOf(answer *api.ThreadAnswer, err error) (*Thread, error) {
	if err != nil {
		return nil, err
	}
	answer.Thread.Warnings = answer.Warnings
	return &answer.Thread, nil
}
