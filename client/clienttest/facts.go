package clienttest

import (
	"context"
	"encoding/json"
	"time"

	"crier/compose/embedded/embeddedtest"
	"crier/schema"
	"crier/schema/clickhouse"
)

// WithClickHouse puts ClickHouse behind the gateway, for what is read from there: analytics,
// the words of the inbox, what monitors found, and events.
func WithClickHouse(s *Server) {
	s.Helper()
	url := embeddedtest.ClickHouse(s.TB)
	if err := clickhouse.Migrate(context.Background(), clickhouse.Config{URL: url}); err != nil {
		s.Fatal(err)
	}
	store, err := clickhouse.Open(context.Background(), clickhouse.Config{URL: url})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = store.Close() })
	s.figures = store
}

// Posted has a post go out, which does so well a day later.
func (s *Server) Posted(account schema.AccountID, platform schema.Platform, at time.Time, metrics schema.Metrics) schema.PostID {
	s.Helper()
	post := schema.NewID[schema.PostID](at)
	about := schema.Event{Workspace: s.workspace, Account: account, Platform: platform, Post: post, At: at}
	s.tell(about, schema.TargetWasPosted, struct{}{})
	about.At = at.Add(24 * time.Hour)
	s.tell(about, schema.FactPostMetrics, schema.PostMetrics{NativeID: post.String(), PostedAt: at, Slot: 3, Metrics: metrics})
	return post
}

// Followed has an account be followed by so many on a day.
func (s *Server) Followed(account schema.AccountID, platform schema.Platform, day time.Time, followers int64) {
	s.Helper()
	about := schema.Event{Workspace: s.workspace, Account: account, Platform: platform, At: day}
	s.tell(about, schema.FactFollowers, schema.Followers{Day: day.Format(time.DateOnly), Followers: &followers})
}

// Found has a monitor find something.
func (s *Server) Found(monitor schema.MonitorID, item schema.FeedItem) {
	s.Helper()
	item.Monitor = monitor
	s.tell(schema.Event{Workspace: s.workspace, Platform: schema.Bluesky, At: item.WrittenAt}, schema.FactFeedItem, item)
}

// Written has somebody write to an account on mastodon, as the stage that collects finds it.
func (s *Server) Written(account schema.AccountID, item schema.InboxItem) schema.ItemID {
	s.Helper()
	to := schema.Account{ID: account, Workspace: s.workspace, Platform: schema.Mastodon}
	if _, err := s.written.Receive(context.Background(), to, []schema.Received{{Item: item, State: `{"visibility":"public"}`}}); err != nil {
		s.Fatal(err)
	}
	item.Revision = 1
	s.tell(schema.Event{Workspace: s.workspace, Account: account, Platform: to.Platform, At: item.WrittenAt}, schema.FactInboxItem, item)
	return schema.ItemIDOf(account, item.NativeID)
}

// tell stores a fact as the stage of analytics does.
func (s *Server) tell(about schema.Event, t schema.EventType, fact any) {
	s.Helper()
	encoded, err := json.Marshal(fact)
	if err != nil {
		s.Fatal(err)
	}
	about.ID, about.Type, about.Data = schema.NewID[schema.EventID](about.At), t, encoded
	if err := s.figures.Sink().Insert(context.Background(), []schema.Event{about}); err != nil {
		s.Fatal(err)
	}
}
