package clickhouse

import (
	"time"

	"github.com/google/uuid"

	"crier/schema"
)

var inboxTable = table{
	name: "inbox_items",
	insert: `
		insert into inbox_items (workspace, account, platform, post, kind, native_id, parent_id,
			author_id, author_handle, author_name, author_url, text, url, post_native_id, written_at, deleted, read_at, revision, at)`,
	append: appendFact(func(e *schema.Event, f *schema.InboxItem) (time.Time, []any) {
		return f.WrittenAt, []any{
			uuid.UUID(e.Workspace), uuid.UUID(e.Account), platformName(e.Platform), uuid.UUID(e.Post), f.Kind, f.NativeID, f.ParentID,
			f.Author.ID, f.Author.Handle, f.Author.Name, f.Author.URL, f.Text, f.URL, f.PostNativeID, f.WrittenAt, f.Deleted, f.ReadAt, f.Revision, e.At,
		}
	}),
}

var feedTable = table{
	name: "feed_items",
	insert: `
		insert into feed_items (workspace, monitor, platform, native_id,
			author_id, author_handle, author_name, author_url, text, url, language, written_at, keywords, at)`,
	append: appendFact(func(e *schema.Event, f *schema.FeedItem) (time.Time, []any) {
		return f.WrittenAt, []any{
			uuid.UUID(e.Workspace), uuid.UUID(f.Monitor), platformName(e.Platform), f.NativeID,
			f.Author.ID, f.Author.Handle, f.Author.Name, f.Author.URL, f.Text, f.URL, f.Language, f.WrittenAt, f.Keywords, e.At,
		}
	}),
}
