package client

import (
	"context"

	"crier/client/internal/api"
)

// ThreadService makes posts of several entries and reads what became of them.
type ThreadService struct{ api *api.Client }

// Create stores a thread for good, as Posts.Create does a post.
func (t *ThreadService) Create(ctx context.Context, thread ThreadCreate, options ...CallOption) (*Thread, error) {
	thread.Platforms = askedTargets(thread.Platforms)
	thread.Timezone = zoneOf(thread.Timezone, thread.ScheduledFor)
	ctx, key := keyed(ctx, options)
	return threadOf(read[api.ThreadAnswer](t.api.CreateThread(ctx, &api.CreateThreadParams{IdempotencyKey: key}, thread)))
}

// Get reads a thread.
func (t *ThreadService) Get(ctx context.Context, id string) (*Thread, error) {
	return threadOf(read[api.ThreadAnswer](t.api.GetThread(ctx, id)))
}

// Update changes a draft or a scheduled thread.
func (t *ThreadService) Update(ctx context.Context, id string, change ThreadUpdate) (*Thread, error) {
	return threadOf(read[api.ThreadAnswer](t.api.UpdateThread(ctx, id, change)))
}

// Cancel removes a draft, and cancels a scheduled thread: it is never published.
func (t *ThreadService) Cancel(ctx context.Context, id string) error {
	return done(t.api.DeleteThread(ctx, id))
}

func threadOf(answer *api.ThreadAnswer, err error) (*Thread, error) {
	if err != nil {
		return nil, err
	}
	answer.Thread.Warnings = answer.Warnings
	return &answer.Thread, nil
}
