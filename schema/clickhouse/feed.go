package clickhouse

import (
	"context"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"crier/schema"
)

// FeedItems returns what a monitor of a workspace has found, the newest first, below a place. The
// days are in the order of the table, so a page reads little more than it shows.
func (a *Analytics) FeedItems(ctx context.Context, workspace schema.WorkspaceID, q schema.FeedItemQuery) ([]schema.MatchedItem, error) {
	before := q.Before
	if before.IsZero() {
		before = time.Date(2099, 12, 31, 0, 0, 0, 0, time.UTC)
	}
	rows, err := a.conn.Query(ctx, `
		select platform, native_id, author_id, author_handle, author_name, author_url, text, url, language, written_at, keywords
		from feed_items final
		where workspace = {workspace:UUID} and monitor = {monitor:UUID}
			and toDate(written_at) <= {day:Date}
			and (written_at, native_id) < (fromUnixTimestamp64Milli({before:Int64}, 'UTC'), {id:String})
			and ({platform:String} = '' or platform = {platform:String})
		order by toDate(written_at) desc, written_at desc, native_id desc
		limit {limit:UInt32}
		settings do_not_merge_across_partitions_select_final = 1`,
		id("workspace", workspace), id("monitor", q.Monitor), day("day", before), clickhouse.Named("before", before.UnixMilli()),
		clickhouse.Named("id", q.BeforeID), clickhouse.Named("platform", platformName(q.Platform)), clickhouse.Named("limit", q.Limit))
	items, err := collect(rows, err, scanFeedItem)
	return items, wrap(err, "reading what a monitor has found")
}

func scanFeedItem(rows driver.Rows, i *schema.MatchedItem) error {
	var platform string
	err := rows.Scan(&platform, &i.NativeID, &i.Author.ID, &i.Author.Handle, &i.Author.Name, &i.Author.URL, &i.Text, &i.URL, &i.Language, &i.WrittenAt, &i.Keywords)
	if err != nil {
		return err
	}
	i.WrittenAt = i.WrittenAt.UTC()
	return i.Platform.UnmarshalText([]byte(platform))
}
