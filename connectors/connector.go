package connectors

import (
	"context"

	"crier/schema"
)

// Connector publishes to one platform. Its errors are *schema.Error of the kinds from
// Refused on; any other error is our fault. What only some platforms can do has an
// interface of its own, such as Checker: see Able.
type Connector interface {
	// Prepare makes the calls without a visible effect (uploads, containers) and may be
	// repeated. It returns the state to keep and, while the platform is busy, when to
	// call it again.
	Prepare(ctx context.Context, d schema.Delivery) (schema.Progress, error)
	// Publish makes the one call that makes the entry visible. Where the platform
	// goes on by itself (tiktok, youtube) the receipt is open and Find closes it.
	Publish(ctx context.Context, d schema.Delivery) (schema.Receipt, error)
	// Find looks for what an earlier Publish or Comment of this delivery may have
	// made, and says how far its answer can be trusted.
	Find(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error)
	// Comment posts d.Comment on its published entry; also one visible call.
	Comment(ctx context.Context, d schema.Delivery) (schema.Receipt, error)
}

// Resolver tells which connector serves an account.
type Resolver interface {
	// Connector returns the connector of the account's platform and world. Where there is
	// none the error is a *schema.Error of kind Refused.
	Connector(a schema.Account) (Connector, error)
}
