package wall

import (
	"context"
	"net/url"

	"crier/connectors"
	"crier/schema"
)

// Through returns a connector of sandbox accounts whose posts are on a workspace's wall, and
// whose receipts lead there. base is where browsers reach the walls.
func Through(c connectors.Connector, a Addresses, base string, account schema.Account) connectors.Connector {
	address := a.Of(account.Workspace)
	wrapped := through{c, caller{address, account.Name}, base + Path + address + "/" + account.Platform.String()}
	if replier, ok := connectors.Able[connectors.Replier](c); ok {
		return throughReplies{wrapped, replier}
	}
	return wrapped
}

type through struct {
	connector connectors.Connector
	from      caller
	page      string
}

// Unwrap implements connectors.Wrapper.
func (t through) Unwrap() connectors.Connector { return t.connector }

// Prepare implements connectors.Connector.
func (t through) Prepare(ctx context.Context, d schema.Delivery) (schema.Progress, error) {
	return t.connector.Prepare(with(ctx, t.from), d)
}

// Publish implements connectors.Connector.
func (t through) Publish(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	receipt, err := t.connector.Publish(with(ctx, t.from), d)
	return t.lead(receipt), err
}

// Find implements connectors.Connector.
func (t through) Find(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	receipt, verdict, err := t.connector.Find(with(ctx, t.from), d)
	return t.lead(receipt), verdict, err
}

// Comment implements connectors.Connector.
func (t through) Comment(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	receipt, err := t.connector.Comment(with(ctx, t.from), d)
	return t.lead(receipt), err
}

// throughReplies is through where the platform takes replies.
type throughReplies struct {
	through
	replier connectors.Replier
}

// Reply implements connectors.Replier.
func (t throughReplies) Reply(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	receipt, err := t.replier.Reply(with(ctx, t.from), d)
	return t.lead(receipt), err
}

// FindReply implements connectors.Replier.
func (t throughReplies) FindReply(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	receipt, verdict, err := t.replier.FindReply(with(ctx, t.from), d)
	return t.lead(receipt), verdict, err
}

func (t through) lead(r schema.Receipt) schema.Receipt {
	if r.NativeID != "" {
		r.URL = t.page + "?post=" + url.QueryEscape(r.NativeID)
	}
	return r
}
