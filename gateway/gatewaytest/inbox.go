package gatewaytest

import (
	"context"
	"time"

	"crier/schema"
	"crier/schema/postgres/engagement"
)

// InboxContents are what ClickHouse would have of what people wrote.
type InboxContents map[schema.ItemName]schema.InboxItem

// AddInboxItem stores something that was written to an account, as a collection would.
func (a *API) AddInboxItem(workspace schema.WorkspaceID, account string, item schema.InboxItem) schema.ItemID {
	a.Helper()
	id, err := schema.ParseID[schema.AccountID](account)
	if err != nil {
		a.Fatal(err)
	}
	if item.Kind == "" {
		item.Kind = schema.InboxComment
	}
	if item.WrittenAt.IsZero() {
		item.WrittenAt = a.Store.Now().Truncate(time.Millisecond)
	}
	received := []schema.Received{{Item: item, State: `{"visibility":"public"}`}}
	if _, err := engagement.New(a.Store.DB).Receive(context.Background(), schema.Account{ID: id, Workspace: workspace, Platform: schema.Mastodon}, received); err != nil {
		a.Fatal(err)
	}
	a.Inbox[schema.ItemName{Account: id, NativeID: item.NativeID}] = item
	return schema.ItemIDOf(id, item.NativeID)
}

// InboxItems returns those of the names that are there.
func (c InboxContents) InboxItems(_ context.Context, _ schema.WorkspaceID, names []schema.ItemName) (map[schema.ItemName]schema.InboxItem, error) {
	found := map[schema.ItemName]schema.InboxItem{}
	for _, name := range names {
		if item, ok := c[name]; ok {
			found[name] = item
		}
	}
	return found, nil
}
