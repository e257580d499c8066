package clickhouse

import (
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/uuid"

	"crier/schema"
)

var postMetricsTable = table{
	name: "post_metrics",
	insert: `
		insert into post_metrics (workspace, account, platform, post, target, native_id, posted_at, slot, at, gone,
			impressions, reach, views, likes, comments, shares, saves, clicks, watch_seconds)`,
	append: func(block driver.Batch, e *schema.Event) error {
		f, err := factOf(e, func(f *schema.PostMetrics) time.Time { return f.PostedAt })
		if err != nil {
			return err
		}
		m := f.Metrics
		return block.Append(uuid.UUID(e.Workspace), uuid.UUID(e.Account), platformName(e.Platform), uuid.UUID(e.Post),
			f.Target, f.NativeID, f.PostedAt, f.Slot, e.At, f.Gone,
			m.Impressions, m.Reach, m.Views, m.Likes, m.Comments, m.Shares, m.Saves, m.Clicks, m.WatchSeconds)
	},
}

var followersTable = table{
	name:   "followers",
	insert: `insert into followers (workspace, account, platform, day, at, followers, following, posts)`,
	append: func(block driver.Batch, e *schema.Event) error {
		var day time.Time
		f, err := factOf(e, func(f *schema.Followers) time.Time {
			day, _ = time.Parse(time.DateOnly, f.Day) // the zero time is refused
			return day
		})
		if err != nil {
			return err
		}
		return block.Append(uuid.UUID(e.Workspace), uuid.UUID(e.Account), platformName(e.Platform), day, e.At,
			f.Followers, f.Following, f.Posts)
	},
}
