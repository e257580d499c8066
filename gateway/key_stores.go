package gateway

import (
	"context"
	"time"

	"crier/schema"
)

// KeyStore knows API keys.
type KeyStore interface {
	// Authenticate returns the key of a hash; the error is Unauthorized when it is
	// unknown, revoked or expired.
	Authenticate(ctx context.Context, hash [32]byte) (schema.Key, error)
}

// RequestCounter counts what all gateways count together.
type RequestCounter interface {
	// LeaseRequests takes up to n of the requests that a key has left in the window of a
	// minute that began at a time, or in the next one where that has begun.
	LeaseRequests(ctx context.Context, key schema.KeyID, window time.Time, n, limit int) (schema.RequestLease, error)
	// CountRefusals adds requests that a key sent in spite of 429. Where it is suspended
	// for them now, until says how long.
	CountRefusals(ctx context.Context, key schema.Key, n int) (until time.Time, err error)
}

// Registrar makes workspaces for those who have none.
type Registrar interface {
	// Register is one transaction; RateLimitExceeded where too many came from the network.
	Register(ctx context.Context, registration schema.Registration) error
}

// KeyReader reads keys as they are managed: those of a workspace, and of its sandbox twin
// where it is a live one.
type KeyReader interface {
	// Keys returns a page, newest first, and how many there are in all.
	Keys(ctx context.Context, workspace schema.WorkspaceID, limit, offset int) ([]schema.KeyRecord, int, error)
	// Key returns one, or NotFound.
	Key(ctx context.Context, workspace schema.WorkspaceID, id schema.KeyID) (schema.KeyRecord, error)
}

// KeyWriter makes and ends keys. Each call is one transaction.
type KeyWriter interface {
	// CreateKey is InvalidState where the workspace has as many keys as it may.
	CreateKey(ctx context.Context, key schema.KeyRecord, hash [32]byte) error
	// RotateKey puts a successor in place of a key, which works on for the overlap. Of the
	// successor ID, Prefix and CreatedAt are given. It is InvalidState where the key ended.
	RotateKey(ctx context.Context, workspace schema.WorkspaceID, id schema.KeyID, successor schema.KeyRecord, hash [32]byte, overlap time.Duration) (schema.KeyRecord, error)
	// EndKey revokes a key; InvalidState for the last that could manage keys.
	EndKey(ctx context.Context, workspace schema.WorkspaceID, id schema.KeyID) error
}

// Sandboxes makes what test keys belong to.
type Sandboxes interface {
	// Twin returns the sandbox twin of a live workspace, and makes it if need be.
	Twin(ctx context.Context, live schema.WorkspaceID) (schema.WorkspaceID, error)
}

// UsageReader reads what a workspace uses of its plan.
type UsageReader interface {
	Usage(ctx context.Context, workspace schema.WorkspaceID) (schema.Usage, error)
	// Plans returns the plans there are, by name.
	Plans(ctx context.Context) ([]schema.Plan, error)
}
