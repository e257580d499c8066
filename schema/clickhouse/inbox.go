package clickhouse

import (
	"context"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/uuid"

	"crier/schema"
)

// InboxItems returns what people wrote to a workspace's accounts, by name: what is not stored,
// yet or any more, is left out.
func (a *Analytics) InboxItems(ctx context.Context, workspace schema.WorkspaceID, names []schema.ItemName) (map[schema.ItemName]schema.InboxItem, error) {
	accounts, natives := make([]string, len(names)), make([]string, len(names))
	for i, n := range names {
		accounts[i], natives[i] = uuid.UUID(n.Account).String(), n.NativeID
	}
	rows, err := a.conn.Query(ctx, `
		select account, native_id, kind, parent_id, author_id, author_handle, author_name, author_url, text, url, post_native_id, written_at
		from inbox_items final
		where workspace = {workspace:UUID} and account in {accounts:Array(UUID)} and native_id in {natives:Array(String)}
		settings do_not_merge_across_partitions_select_final = 1`,
		id("workspace", workspace), clickhouse.Named("accounts", accounts), clickhouse.Named("natives", natives))
	items := make(map[schema.ItemName]schema.InboxItem, len(names))
	err = each(rows, err, func() error {
		var account uuid.UUID
		var i schema.InboxItem
		err := rows.Scan(&account, &i.NativeID, &i.Kind, &i.ParentID, &i.Author.ID, &i.Author.Handle, &i.Author.Name, &i.Author.URL,
			&i.Text, &i.URL, &i.PostNativeID, &i.WrittenAt)
		items[schema.ItemName{Account: schema.AccountID(account), NativeID: i.NativeID}] = i
		return err
	})
	return items, wrap(err, "reading the inbox")
}
