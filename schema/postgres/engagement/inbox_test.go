package engagement_test

import (
	"fmt"
	"testing"
	"time"

	"crier/schema"
)

func TestWhatIsReceivedIsToldOnce(t *testing.T) {
	f := newFixture(t)
	account := schema.Account{ID: f.Accounts[0], Workspace: f.Workspace, Platform: schema.Mastodon}
	now := f.Store.Now()
	item := func(nativeID, text string, at time.Time) schema.Received {
		return schema.Received{Item: schema.InboxItem{Kind: schema.InboxComment, NativeID: nativeID, Text: text, WrittenAt: at}}
	}
	mention := item("m", "you", now)
	mention.Item.Kind = schema.InboxMention
	for i, tt := range []struct {
		page                      []schema.Received
		changed                   int
		facts, comments, mentions int
	}{
		{[]schema.Received{item("a", "one", now), item("a", "one", now), item("old", "of long ago", now.Add(-48*time.Hour)), mention}, 3, 3, 1, 1},
		{[]schema.Received{item("a", "one", now), mention}, 0, 0, 0, 0},
		{[]schema.Received{item("a", "edited", now)}, 1, 1, 0, 0},
	} {
		f.ForgetAnnouncements()
		changed, err := f.Gateway.Receive(t.Context(), account, tt.page)
		f.Must(err)
		counts := map[schema.EventType]int{}
		for _, batch := range f.Events() {
			for _, e := range batch.Events {
				counts[e.Type]++
			}
		}
		if changed != tt.changed || counts[schema.FactInboxItem] != tt.facts || counts[schema.CommentReceived] != tt.comments || counts[schema.MentionReceived] != tt.mentions {
			t.Errorf("page %d: %d changed, events %v", i, changed, counts)
		}
	}
	if n := f.Count(`select count(*) from outbox where owed <> 2 and convert_from(payload, 'UTF8') like '%fact.%'`); n != 0 {
		t.Errorf("%d batches of facts are owed to others than analytics", n)
	}
	if n := f.Count(`select revision from inbox where native_id = 'a'`); n != 2 {
		t.Errorf("revision %d, want 2", n)
	}
	account.Workspace = schema.WorkspaceID{1}
	if changed, err := f.Gateway.Receive(t.Context(), account, []schema.Received{item("b", "x", now)}); err != nil || changed != 0 {
		t.Errorf("%d of an account of another workspace, %v", changed, err)
	}
}

func TestTheInboxIsListedByPages(t *testing.T) {
	f := newFixture(t)
	now, post := f.Store.Now().Truncate(time.Millisecond), schema.NewID[schema.PostID](f.Store.Now())
	for i, id := range f.Accounts[:2] {
		account := schema.Account{ID: id, Workspace: f.Workspace, Platform: schema.Mastodon}
		var page []schema.Received
		for n := range 5 {
			r := schema.Received{Item: schema.InboxItem{Kind: schema.InboxComment, NativeID: fmt.Sprint(n), WrittenAt: now.Add(-time.Duration(n) * time.Minute)}}
			if n == 3 {
				r.Post = post
			}
			page = append(page, r)
		}
		page = append(page, schema.Received{Item: schema.InboxItem{Kind: schema.InboxMention, NativeID: "m", WrittenAt: now.Add(time.Duration(i) * time.Second)}})
		_, err := f.Gateway.Receive(t.Context(), account, page)
		f.Must(err)
	}
	list := func(filter schema.InboxFilter) (all []schema.InboxEntry) {
		filter.Limit = 3
		for {
			page, err := f.Gateway.Inbox(t.Context(), f.Workspace, filter)
			f.Must(err)
			if all = append(all, page...); len(page) < filter.Limit {
				return all
			}
			filter.After = page[len(page)-1].Place()
		}
	}
	if marked, err := f.Gateway.Mark(t.Context(), f.Workspace, []schema.ItemID{schema.ItemIDOf(f.Accounts[0], "2"), schema.ItemIDOf(f.Accounts[0], "2")}, true); err != nil || marked != 1 {
		t.Errorf("marked %d, %v", marked, err)
	}
	for name, tt := range map[string]struct {
		filter schema.InboxFilter
		want   int
	}{
		"all comments":         {schema.InboxFilter{}, 10},
		"of an account":        {schema.InboxFilter{Account: f.Accounts[1]}, 5},
		"of a post":            {schema.InboxFilter{Post: post}, 2},
		"unread":               {schema.InboxFilter{Unread: true}, 9},
		"unread of an account": {schema.InboxFilter{Unread: true, Account: f.Accounts[0]}, 4},
		"mentions":             {schema.InboxFilter{Mentions: true}, 2},
		"of nobody's account":  {schema.InboxFilter{Account: schema.AccountID{1}}, 0},
	} {
		got, seen := list(tt.filter), map[schema.ItemID]bool{}
		for i, e := range got {
			seen[e.ID] = true
			if i > 0 && e.WrittenAt.After(got[i-1].WrittenAt) {
				t.Errorf("%s: not the newest first", name)
			}
		}
		if len(got) != tt.want || len(seen) != tt.want {
			t.Errorf("%s: %d entries, %d of them different, want %d", name, len(got), len(seen), tt.want)
		}
	}
	counts, err := f.Gateway.Unread(t.Context(), f.Workspace)
	if err != nil || len(counts) != 2 || counts[0] != (schema.UnreadCount{Account: f.Accounts[0], Comments: 4, Mentions: 1}) {
		t.Errorf("unread = %+v, %v", counts, err)
	}
	if _, err := f.Gateway.Mark(t.Context(), schema.WorkspaceID{1}, []schema.ItemID{schema.ItemIDOf(f.Accounts[0], "2")}, false); schema.KindOf(err) != schema.NotFound {
		t.Errorf("another's item was marked: %v", err)
	}
	if others, err := f.Gateway.Inbox(t.Context(), schema.WorkspaceID{1}, schema.InboxFilter{Limit: 10, Account: f.Accounts[0]}); err != nil || len(others) != 0 {
		t.Errorf("another workspace sees %+v, %v", others, err)
	}
}
