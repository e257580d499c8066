package schema

import "time"

// Creation is one request that creates posts: all of them or none, but for those that
// Without can do without.
type Creation struct {
	Idempotency *Idempotency // nil: the request came without a key
	Posts       []Post
	// PostsPerMonth is what the plan of the workspace allows, in entries; 0: no limit.
	PostsPerMonth int
	Response      []byte // the body a repetition of the request is answered with
	// Without returns the response to a request some of whose posts were refused, for
	// want of a unit of a daily cap or of the plan, while the others are made. Nil: one
	// refusal refuses the request.
	Without func(refused map[PostID]*Error) []byte
}

// Idempotency names a request that must have its effect once.
type Idempotency struct {
	Lineage     KeyID
	Key         string
	Fingerprint [32]byte // of the route and the decoded body
}

// IdempotencyRetention is how long the answer to a request is kept.
const IdempotencyRetention = 24 * time.Hour

// Created is what a creation came to: new posts, or the answer of the request it
// repeats.
type Created struct {
	Replayed bool
	Response []byte
}

// PostFilter selects posts of a workspace, newest scheduled first.
type PostFilter struct {
	Status   PostStatus // zero: any but where the API leaves some out
	Platform Platform   // zero: any
	Brand    BrandID    // zero: any
	After    time.Time  // scheduled at or after; zero: no bound
	Before   time.Time  // scheduled at or before; zero: no bound
	// ExternalID is the caller's own id of a post; empty: any.
	ExternalID string
	// Metadata has to be among the post's. It is looked for among the newest posts that
	// the other fields select, as many as the store searches.
	Metadata map[string]string
	Limit    int
	Offset   int
}

// Announcement is what a commit asks of the log. Losing it loses nothing: jobs and
// the outbox stand behind every message, and fire again by themselves.
type Announcement struct {
	Jobs    []Job // due within AnnounceWindow
	Publish []PublishMessage
	Notify  []NotifyMessage
	Events  []EncodedEvents
}

// EncodedEvents is an EventBatch in JSON, as the outbox holds it and topic events carries
// it: it is encoded once.
type EncodedEvents struct {
	ID      BatchID
	Payload []byte
}

// AnnounceWindow is how far ahead of its time a job is announced to topic delay by
// whoever commits it. Delay reads PostgreSQL half as far ahead, so that a job which
// was not announced is not yet read past.
const AnnounceWindow = 2 * time.Minute

// IsZero tells whether there is nothing to say.
func (a Announcement) IsZero() bool {
	return len(a.Jobs)+len(a.Publish)+len(a.Notify)+len(a.Events) == 0
}
