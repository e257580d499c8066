package gateway

import (
	"context"
	"io"
	"time"

	"crier/schema"
)

// PostReader reads posts.
type PostReader interface {
	// Post returns a post of a workspace, or NotFound.
	Post(ctx context.Context, workspace schema.WorkspaceID, id schema.PostID) (schema.Post, error)
	// Posts returns a page, newest scheduled first, and how many posts there are in all.
	Posts(ctx context.Context, workspace schema.WorkspaceID, filter schema.PostFilter) ([]schema.Post, int, error)
}

// PostWriter creates and changes posts. Each call is one transaction, and durable once
// it has returned.
type PostWriter interface {
	// Create makes the posts of a request, or returns the answer of the request it
	// repeats; the error is IdempotencyConflict when that one had another body.
	Create(ctx context.Context, creation schema.Creation) (schema.Created, error)
	// Update runs change on a copy of the locked post and stores what it made of it.
	// Posts other than drafts and scheduled ones are InvalidState.
	Update(ctx context.Context, workspace schema.WorkspaceID, id schema.PostID, change func(*schema.Post) error) (schema.Post, error)
	// Delete removes a draft and cancels a scheduled post; all others are InvalidState.
	Delete(ctx context.Context, workspace schema.WorkspaceID, id schema.PostID) (cancelled bool, err error)
}

// PostRetrier sets failed posts going again.
type PostRetrier interface {
	// Retry sets the failed targets of a post going again and tells which, and which were
	// left out. It is InvalidState where nothing failed that could go on.
	Retry(ctx context.Context, workspace schema.WorkspaceID, id schema.PostID, asked schema.Retry) (schema.Retried, error)
}

// AttemptReader reads what happened to posts.
type AttemptReader interface {
	// Attempts returns a post of a workspace and what was stored of its attempts, oldest
	// first, or NotFound.
	Attempts(ctx context.Context, workspace schema.WorkspaceID, id schema.PostID) (schema.Post, []schema.Attempt, error)
}

// QueueReader reads queues.
type QueueReader interface {
	Queues(ctx context.Context, workspace schema.WorkspaceID) ([]schema.Queue, error)
	Queue(ctx context.Context, workspace schema.WorkspaceID, id schema.QueueID) (schema.Queue, error)
	// TakenSlots returns the coming slots of a queue that are not free, in order.
	TakenSlots(ctx context.Context, queue schema.QueueID) ([]time.Time, error)
}

// QueueWriter creates and changes queues. What it changes of the default of a brand or a
// workspace, it changes for the others too.
type QueueWriter interface {
	CreateQueue(ctx context.Context, queue schema.Queue) (schema.Queue, error)
	// UpdateQueue runs change on the locked queue and stores what it made of it.
	UpdateQueue(ctx context.Context, workspace schema.WorkspaceID, id schema.QueueID, change func(*schema.Queue) error) (schema.Queue, error)
	DeleteQueue(ctx context.Context, workspace schema.WorkspaceID, id schema.QueueID) error
}

// SlotTaker gives out the slots of queues, each once.
type SlotTaker interface {
	// TakeSlots takes a slot for each post, in their order, among those that pick chooses;
	// fewer where it chooses fewer. It is NotFound where there is no such queue.
	TakeSlots(ctx context.Context, workspace schema.WorkspaceID, choice schema.QueueChoice, posts []schema.PostID,
		pick func(queue schema.Queue, taken []time.Time) ([]time.Time, error)) (schema.QueueID, []time.Time, error)
	// ReleaseSlots frees the slots of posts that were not made.
	ReleaseSlots(ctx context.Context, posts []schema.PostID) error
}

// AnswerReader reads the answers that are kept for idempotency.
type AnswerReader interface {
	// Answer returns what the first request of that name was answered, if it is known:
	// the error is IdempotencyConflict when it had another body.
	Answer(ctx context.Context, request schema.Idempotency) (response []byte, known bool, err error)
}

// MediaReader reads what is known of uploads.
type MediaReader interface {
	// Media returns those of the uploads that a workspace has; they stay for as long as a
	// request may take.
	Media(ctx context.Context, workspace schema.WorkspaceID, ids []schema.MediaID) ([]schema.Upload, error)
	// ListMedia returns a page, newest first, and how many there are in all.
	ListMedia(ctx context.Context, workspace schema.WorkspaceID, limit, offset int) ([]schema.Upload, int, error)
	// PublicMedia returns the upload of an address that somebody was given, or NotFound.
	PublicMedia(ctx context.Context, id schema.MediaID, secret string) (schema.Upload, error)
}

// MediaWriter stores what is known of uploads.
type MediaWriter interface {
	CreateMedia(ctx context.Context, upload schema.Upload) error
	// CompleteMedia notes what came for an awaited upload; InvalidState where something
	// came before.
	CompleteMedia(ctx context.Context, id schema.MediaID, facts schema.MediaFacts) (schema.Upload, error)
	// DeleteMedia is InvalidState while a post that uses it is still to be published.
	DeleteMedia(ctx context.Context, workspace schema.WorkspaceID, id schema.MediaID) error
}

// MediaKeeper keeps the content of uploads.
type MediaKeeper interface {
	// Keep stores content of the given kinds, found by probing. Errors of content pass;
	// Refused is what it says of the content, with its facts where it is media of another
	// kind, Unavailable that there is no room.
	Keep(ctx context.Context, id schema.MediaID, content io.Reader, kinds []schema.MediaKind) (schema.MediaFacts, error)
	// KeepURL stores what is at a public address. It is Retryable where its server failed.
	KeepURL(ctx context.Context, id schema.MediaID, address string, kinds []schema.MediaKind) (schema.MediaFacts, error)
	Open(ctx context.Context, id schema.MediaID) (io.ReadSeekCloser, error)
}

// MediaInbox takes uploads without the gateway.
type MediaInbox interface {
	// UploadURL returns an address that takes the content of an upload by PUT; empty: there
	// is none but the gateway's own.
	UploadURL(ctx context.Context, id schema.MediaID, life time.Duration) (string, error)
	// Accept takes over what came to that address; NotFound until then.
	Accept(ctx context.Context, id schema.MediaID) (schema.MediaFacts, error)
}

// WebhookReader reads webhooks.
type WebhookReader interface {
	Webhooks(ctx context.Context, workspace schema.WorkspaceID) ([]schema.Webhook, error)
	Webhook(ctx context.Context, workspace schema.WorkspaceID, id schema.WebhookID) (schema.Webhook, error)
	// Deliveries returns a webhook and deliveries to it, newest first, as they stand at one
	// moment.
	Deliveries(ctx context.Context, workspace schema.WorkspaceID, id schema.WebhookID, filter schema.DeliveryFilter) (schema.Webhook, []schema.DeliveryRecord, error)
	// Delivery returns one, with its body.
	Delivery(ctx context.Context, workspace schema.WorkspaceID, webhook schema.WebhookID, id schema.DeliveryID) (schema.DeliveryRecord, error)
}

// WebhookWriter creates and changes webhooks.
type WebhookWriter interface {
	CreateWebhook(ctx context.Context, webhook schema.Webhook) error
	// UpdateWebhook runs change on the locked webhook and stores what it made of it.
	UpdateWebhook(ctx context.Context, workspace schema.WorkspaceID, id schema.WebhookID, change func(*schema.Webhook) error) (schema.Webhook, error)
	// RotateSecret replaces the secret; the one before signs too for the overlap.
	RotateSecret(ctx context.Context, workspace schema.WorkspaceID, id schema.WebhookID, secret string, overlap time.Duration) (schema.Webhook, error)
	// DeleteWebhook removes a webhook with its pending deliveries.
	DeleteWebhook(ctx context.Context, workspace schema.WorkspaceID, id schema.WebhookID) error
}

// Redeliverer sends events to a webhook again. Both are InvalidState while the webhook is
// paused or disabled.
type Redeliverer interface {
	// Redeliver makes a new delivery of what another one sent, or returns the one that is
	// under way.
	Redeliver(ctx context.Context, workspace schema.WorkspaceID, webhook schema.WebhookID, id schema.DeliveryID) (schema.DeliveryRecord, error)
	// RedeliverFailed does so for the events whose last delivery failed, of those queued
	// within a time; it returns how many, and whether there are more.
	RedeliverFailed(ctx context.Context, workspace schema.WorkspaceID, webhook schema.WebhookID, since, until time.Time) (n int, more bool, err error)
}

// TestSender sends one signed request to a webhook, at once and without a retry.
type TestSender interface {
	// TestDelivery returns the status code of the answer and how long it took. An error
	// means that there was no answer; one of *schema.Error is safe to show.
	TestDelivery(ctx context.Context, webhook schema.Webhook, payload schema.WebhookPayload) (code int, took time.Duration, err error)
}

// PostCounter counts what became of posts.
type PostCounter interface {
	// PostCounts returns how many targets ended in each status, by day and platform.
	PostCounts(ctx context.Context, workspace schema.WorkspaceID, filter schema.PostCountsFilter) ([]schema.PostCount, error)
}

// EventReader reads what happened.
type EventReader interface {
	// Events returns a page of a workspace's events. Whoever goes on after the last of each
	// page gets every event once.
	Events(ctx context.Context, workspace schema.WorkspaceID, query schema.EventQuery) (schema.EventPage, error)
}
