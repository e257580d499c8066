package client

import (
	"context"

	"crier/client/internal/api"
)

type (
	// Thread is a post of several entries, and what became of it.
	Thread = api.Thread
	// ThreadCreate is a thread that is asked for.
	ThreadCreate = api.ThreadCreate
	// ThreadEntryInput is one entry of a thread that is asked for.
	ThreadEntryInput = api.ThreadEntryInput
	// ThreadEntry is one entry of a thread, and what became of it.
	ThreadEntry = api.ThreadEntry
	// ThreadUpdate changes a thread that is not published: what is nil stays as it is.
	ThreadUpdate = api.ThreadUpdate
	// ThreadConfig says how a thread goes on after a failure.
	ThreadConfig = api.ThreadConfig
)

// ThreadService makes posts of several entries and reads what became of them.
type ThreadService struct{ api *caller }

// Create stores a thread for good, as Posts.Create does a post.
func (t *ThreadService) Create(ctx context.Context, thread ThreadCreate, options ...CallOption) (*Thread, error) {
	thread.Platforms = bareTargets(thread.Platforms)
	thread.Timezone = zoneOf(thread.Timezone, thread.ScheduledFor)
	ctx = keyed(ctx, options)
	return part(threadOf)(t.api.post(ctx, thread, "threads"))
}

// Get reads a thread.
func (t *ThreadService) Get(ctx context.Context, id string) (*Thread, error) {
	return part(threadOf)(t.api.get(ctx, nil, "threads", id))
}

// Update changes a draft or a scheduled thread.
func (t *ThreadService) Update(ctx context.Context, id string, change ThreadUpdate) (*Thread, error) {
	return part(threadOf)(t.api.patch(ctx, change, "threads", id))
}

// Cancel removes a draft, and cancels a scheduled thread: it is never published.
func (t *ThreadService) Cancel(ctx context.Context, id string) error {
	return done(t.api.delete(ctx, "threads", id))
}

func threadOf(r *api.ThreadResponse) *Thread {
	r.Thread.Warnings = r.Warnings
	return &r.Thread
}
