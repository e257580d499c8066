package clickhouse

import (
	"time"

	"github.com/google/uuid"

	"crier/schema"
)

var postMetricsTable = table{
	name: "post_metrics",
	insert: `
		insert into post_metrics (workspace, account, platform, post, target, native_id, posted_at, slot, at, gone,
			impressions, reach, views, likes, comments, shares, saves, clicks, watch_seconds)`,
	append: appendFact(func(e *schema.Event, f *schema.PostMetrics) (time.Time, []any) {
		m := f.Metrics
		return f.PostedAt, []any{
			uuid.UUID(e.Workspace), uuid.UUID(e.Account), platformName(e.Platform), uuid.UUID(e.Post),
			f.Target, f.NativeID, f.PostedAt, f.Slot, e.At, f.Gone,
			m.Impressions, m.Reach, m.Views, m.Likes, m.Comments, m.Shares, m.Saves, m.Clicks, m.WatchSeconds,
		}
	}),
}

var followersTable = table{
	name:   "followers",
	insert: `insert into followers (workspace, account, platform, day, at, followers, following, posts)`,
	append: appendFact(func(e *schema.Event, f *schema.Followers) (time.Time, []any) {
		day, _ := time.Parse(time.DateOnly, f.Day) // the zero time is refused
		return day, []any{
			uuid.UUID(e.Workspace), uuid.UUID(e.Account), platformName(e.Platform), day, e.At,
			f.Followers, f.Following, f.Posts,
		}
	}),
}
