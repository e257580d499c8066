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

// Subscriptions keeps what workspaces pay for.
type Subscriptions interface {
	Subscribed(ctx context.Context, workspace schema.WorkspaceID) (bool, error)
	// PutSubscription changes the plan of the workspace, once for each beginning, change
	// and end, and not by a change older than one that is known.
	// It is NotFound where there is no such live workspace or plan.
	PutSubscription(ctx context.Context, subscription schema.Subscription) error
}

// Seller sells plans.
type Seller interface {
	// Sells tells whether a plan is sold.
	Sells(plan string) bool
	// Checkout returns the page where a purchase is paid; the same one for the same
	// purchase. It is Unavailable where there is none at the moment.
	Checkout(ctx context.Context, purchase schema.Purchase) (page string, err error)
	// Notice reads a signed notice of what became of a purchase; nil: of nothing that
	// matters here. It is Invalid where the signature is not the seller's.
	Notice(signature string, body []byte) (*schema.Subscription, error)
}
