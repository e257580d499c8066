package client_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"crier/client"
	"crier/client/clienttest"
	"crier/schema"
)

func TestWhatIsRead(t *testing.T) {
	server := clienttest.Serve(t, clienttest.WithClickHouse)
	account := server.Connect(schema.Mastodon, "bob")
	c := newClient(server)
	t.Run("the inbox is read, marked and answered", func(t *testing.T) { testInbox(t, server, c, account) })
	t.Run("monitors are made, changed and read", func(t *testing.T) { testMonitors(t, server, c) })
	t.Run("public posts and profiles are found", func(t *testing.T) { testFeeds(t, server, c) })
	t.Run("figures are read", func(t *testing.T) { testAnalytics(t, server, c, account) })
}

func testInbox(t *testing.T, server *clienttest.Server, c *client.Client, account schema.AccountID) {
	at := time.Now().UTC().Truncate(time.Second).Add(-time.Minute)
	ada := schema.Author{ID: "7", Handle: "ada@people.example", Name: "Ada"}
	for n := range 3 {
		server.Written(account, schema.InboxItem{
			Kind: schema.InboxComment, NativeID: fmt.Sprint("c", n), Author: ada, Text: fmt.Sprint("text ", n), WrittenAt: at.Add(time.Duration(n) * time.Second),
		})
	}
	mention := server.Written(account, schema.InboxItem{Kind: schema.InboxMention, NativeID: "m", Text: "you", WrittenAt: at})

	var items []*client.InboxItem
	for item, err := range c.Engagement.Comments(t.Context(), client.CommentFilter{AccountID: account.String(), PageSize: 2}) {
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, item)
	}
	if len(items) != 3 || items[0].Text != "text 2" || items[2].Text != "text 0" || items[0].Author.Name != "Ada" || items[0].Kind != client.InboxComment ||
		!items[2].WrittenAt.Equal(at) || !items[0].ReadAt.IsZero() {
		t.Fatalf("the inbox is %+v", items)
	}
	for i, want := range []int{2, 0} {
		if changed, err := c.Engagement.MarkRead(t.Context(), items[0].ID, items[1].ID); err != nil || changed != want {
			t.Errorf("time %d: %d were marked, %v", i, changed, err)
		}
	}
	if changed, err := c.Engagement.MarkUnread(t.Context(), items[0].ID); err != nil || changed != 1 {
		t.Errorf("%d were marked as unread, %v", changed, err)
	}
	unread := 0
	for item, err := range c.Engagement.Comments(t.Context(), client.CommentFilter{Unread: true}) {
		if err != nil || item.ID == items[1].ID {
			t.Errorf("unread are %+v, %v", item, err)
		}
		unread++
	}
	counts, err := c.Engagement.Unread(t.Context())
	if err != nil || unread != 2 || len(counts) != 1 || counts[0] != (client.UnreadCount{AccountID: account.String(), Comments: 2, Mentions: 1}) {
		t.Errorf("%d are unread, counted as %+v, %v", unread, counts, err)
	}
	for item, err := range c.Engagement.Mentions(t.Context(), client.MentionFilter{}) {
		if err != nil || item.ID != mention.String() || item.Kind != client.InboxMention || item.Author != (client.Author{}) {
			t.Errorf("mentions are %+v, %v", item, err)
		}
	}

	server.LoseAnswers(1)
	reply, err := c.Engagement.Reply(t.Context(), items[0].ID, "At the shop.")
	if err != nil || reply.Status != client.ReplyPending || reply.ItemID != items[0].ID || reply.Error != nil {
		t.Fatalf("the reply is %+v, %v", reply, err)
	}
	if read, err := c.Engagement.GetReply(t.Context(), reply.ID); err != nil || *read != *reply {
		t.Errorf("the reply reads %+v, %v", read, err)
	}
	if _, err := c.Engagement.Transcript(t.Context(), client.Captions{AccountID: account.String(), VideoID: "v"}); !refused(err, http.StatusBadRequest) {
		t.Errorf("the captions of a video that is none: %v", err)
	}
}

func refused(err error, status int) bool {
	e, ok := errors.AsType[*client.Error](err)
	return ok && e.Status == status
}

func testMonitors(t *testing.T, server *clienttest.Server, c *client.Client) {
	monitor, err := c.Monitors.Create(t.Context(), client.Monitor{Name: "Coffee", Include: []string{"coffee"}, Exclude: []string{"decaf"}, Language: "en"})
	if err != nil || monitor.IsPaused || monitor.Platforms[0] != client.Bluesky {
		t.Fatalf("made = %+v, %v", monitor, err)
	}
	changed, err := c.Monitors.Update(t.Context(), monitor.ID, client.MonitorUpdate{IsPaused: new(true)})
	if err != nil || !changed.IsPaused || changed.Language != "en" || len(changed.Exclude) != 1 {
		t.Errorf("what was left out is gone: %+v, %v", changed, err)
	}
	changed, err = c.Monitors.Update(t.Context(), monitor.ID, client.MonitorUpdate{IsPaused: new(false), Language: new(""), Exclude: []string{}})
	if err != nil || changed.IsPaused || changed.Language != "" || len(changed.Exclude) != 0 || changed.Name != "Coffee" {
		t.Errorf("what was emptied is there: %+v, %v", changed, err)
	}
	again, err := c.Monitors.Create(t.Context(), *changed) // what was read can be asked for
	if err != nil || again.ID == monitor.ID {
		t.Fatalf("made again: %+v, %v", again, err)
	}
	listed := 0
	for monitor, err := range c.Monitors.List(t.Context()) {
		if err != nil || monitor.Name != "Coffee" {
			t.Errorf("monitors are %+v, %v", monitor, err)
		}
		listed++
	}
	id, err := schema.ParseID[schema.MonitorID](monitor.ID)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now().UTC().Truncate(time.Second)
	server.Found(id, schema.FeedItem{NativeID: "at://a", Author: schema.Author{ID: "did:plc:a"}, Text: "Flat white", Language: "en", WrittenAt: at, Keywords: []string{"coffee"}})
	for item, err := range c.Monitors.Items(t.Context(), monitor.ID) {
		if err != nil || item.NativeID != "at://a" || item.Author.ID != "did:plc:a" || item.URL != "" || !item.WrittenAt.Equal(at) {
			t.Errorf("found = %+v, %v", item, err)
		}
		listed++
	}
	if listed != 3 {
		t.Errorf("%d monitors and items, want 2 and 1", listed)
	}
	if err := c.Monitors.Delete(t.Context(), monitor.ID); err != nil {
		t.Error(err)
	}
	if _, err := c.Monitors.Get(t.Context(), monitor.ID); !refused(err, http.StatusNotFound) {
		t.Errorf("deleted: %v", err)
	}
}

func testFeeds(t *testing.T, server *clienttest.Server, c *client.Client) {
	key, err := c.Keys.Create(t.Context(), client.NewKey{Name: "test", Permission: client.Admin, Test: true})
	if err != nil {
		t.Fatal(err)
	}
	c = client.New(key.Secret, client.WithServer(server.URL))
	if _, err := c.Accounts.Connect(t.Context(), client.Bluesky, client.Credentials{Identifier: "ann.sandbox.test", Password: "abcd-efgh-ijkl-mnop"}); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for item, err := range c.Feeds.Search(t.Context(), client.Search{Platform: client.Bluesky, Text: "coffee", PageSize: 2}) {
		if err != nil || item.Text == "" || item.Author.Handle == "" {
			t.Fatalf("found %+v, %v", item, err)
		}
		if found[item.NativeID] = true; len(found) == 3 {
			break
		}
	}
	if len(found) != 3 {
		t.Errorf("found %d", len(found))
	}
	profile, err := c.Feeds.Profile(t.Context(), client.Bluesky, "author1.stream.test")
	if err != nil || profile.Handle != "author1.stream.test" || profile.Followers == nil {
		t.Errorf("the profile is %+v, %v", profile, err)
	}
}

func testAnalytics(t *testing.T, server *clienttest.Server, c *client.Client, account schema.AccountID) {
	day := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -2)
	tube := server.Connect(schema.YouTube, "tube")
	best := server.Posted(account, schema.Mastodon, day.Add(9*time.Hour), schema.Metrics{Likes: new(int64(7))})
	server.Posted(account, schema.Mastodon, day.Add(8*time.Hour), schema.Metrics{Likes: new(int64(2))})
	video := server.Posted(tube, schema.YouTube, day, schema.Metrics{Views: new(int64(10)), WatchSeconds: new(int64(455))})
	server.Followed(account, schema.Mastodon, day, 1000)
	server.Followed(account, schema.Mastodon, day.AddDate(0, 0, 1), 1010)

	posts, err := c.Analytics.Posts(t.Context(), client.PostReportFilter{From: day, To: day.AddDate(0, 0, 1), Best: client.MetricLikes, Top: 1})
	if err != nil || posts.Totals["posted"] != 3 || *posts.Metrics.Totals.Metrics.Likes != 9 || posts.Metrics.Totals.Metrics.Saves != nil ||
		len(posts.Metrics.Top) != 1 || posts.Metrics.Top[0].PostID != best.String() || !posts.From.Equal(day) {
		t.Errorf("posts = %+v, %v", posts, err)
	}
	if report, err := c.Analytics.Posts(t.Context(), client.PostReportFilter{PostID: best.String(), AccountID: account.String()}); err != nil || report.Metrics.Totals.Posts != 1 {
		t.Errorf("one post = %+v, %v", report, err)
	}
	followers, err := c.Analytics.Followers(t.Context(), client.FollowersFilter{Platform: client.Mastodon})
	if err != nil || *followers.Totals.Followers != 1010 || *followers.Totals.Change != 10 || followers.Accounts[0].Following != nil {
		t.Errorf("followers = %+v, %v", followers, err)
	}
	retention, err := c.Analytics.Retention(t.Context(), client.RetentionFilter{AccountID: tube.String(), Top: 5})
	if err != nil || len(retention.Videos) != 1 || retention.Videos[0].PostID != video.String() || *retention.Videos[0].AverageViewSeconds != 45.5 || retention.Videos[0].Curve != nil {
		t.Errorf("retention = %+v, %v", retention, err)
	}
	times, err := c.Analytics.BestTimes(t.Context(), client.BestTimesFilter{Timezone: "Europe/Berlin", Best: client.MetricLikes, Top: 2})
	if err != nil || times.Timezone != "Europe/Berlin" || times.Metric != "likes" || times.Posts != 2 || len(times.Times) > 2 {
		t.Errorf("best times = %+v, %v", times, err)
	}
}
