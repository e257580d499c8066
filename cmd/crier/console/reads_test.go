package console

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"crier/client"
	"crier/client/clienttest"
	"crier/schema"
)

func testInbox(t *testing.T, server *clienttest.Server, access Access) {
	account := server.Connect(schema.Mastodon, "bob")
	written := schema.InboxItem{Kind: schema.InboxComment, NativeID: "c", Author: schema.Author{Name: "A\x1bda"}, Text: "Where \x1b[31mcan\n I\u202e get this?", WrittenAt: time.Now()}
	item := server.Written(account, written).String()
	written.Kind, written.NativeID, written.Text = schema.InboxMention, "m", "Elsewhere"
	server.Written(account, written)

	got := runs(t, &InboxList{Access: access, Limit: 5, Unread: true, Account: account.String()})
	if !strings.Contains(got, item) || !strings.Contains(got, "Ada") || !strings.Contains(got, "Where [31mcan I get this?") || strings.Contains(got, "Elsewhere") {
		t.Errorf("inbox list shows %q", got)
	}
	if got := runs(t, &InboxList{Access: access, Limit: 5, Mentions: true}); !strings.Contains(got, "Elsewhere") || strings.Contains(got, item) {
		t.Errorf("inbox list --mentions shows %q", got)
	}
	var replies [2]client.Reply
	for i := range replies { // under one name
		s, terminal := newScreen("At the shop.\n")
		if err := start(t.Context(), &InboxReply{Access: access, Shape: Shape{JSON: true}, Item: item, Text: "-", Once: "the reply"}, terminal); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(s.stdout()), &replies[i]); err != nil {
			t.Fatal(err)
		}
	}
	if replies[0].ID != replies[1].ID || replies[0].Text != "At the shop." || replies[0].Status != client.ReplyPending {
		t.Errorf("the replies are %+v", replies)
	}
	runs(t, &InboxRead{Access: access, Items: []string{item}})
	if got := runs(t, &InboxList{Access: access, Limit: 5, Unread: true}); strings.Contains(got, item) {
		t.Errorf("unread, after it was read: %q", got)
	}
	runs(t, &InboxRead{Access: access, Items: []string{item}, Unread: true})
	if got := runs(t, &InboxList{Access: access, Limit: 5, Unread: true}); !strings.Contains(got, item) {
		t.Errorf("unread again: %q", got)
	}
}

func testAnalytics(t *testing.T, server *clienttest.Server, access Access) {
	account := server.Connect(schema.Mastodon, "eve")
	day := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -3)
	post := server.Posted(account, schema.Mastodon, day.Add(time.Hour), schema.Metrics{Likes: new(int64(7))}).String()
	server.Followed(account, schema.Mastodon, day, 1234)
	of := Range{From: day.Format(time.DateOnly), To: day.AddDate(0, 0, 1).Format(time.DateOnly), Account: account.String()}
	for text, command := range map[string]any{
		of.From + " to " + of.To + ": 1 posted, 0 failed": &AnalyticsPosts{Access: access, Range: of, Best: "likes", Limit: 5},
		`"postId":"` + post + `"`:                         &AnalyticsPosts{Access: access, Range: of, Best: "likes", Limit: 5, Shape: Shape{JSON: true}},
		"  mastodon  " + of.From + "  1234":               &AnalyticsFollowers{Access: access, Range: of},
		"1 posts, confidence":                             &AnalyticsBestTimes{Access: access, Range: of, Best: "likes", Limit: 5, Timezone: "Europe/Berlin"},
	} {
		if got := runs(t, command); !strings.Contains(got, text) {
			t.Errorf("%T shows %q, want %q in it", command, got, text)
		}
	}
	if got := strings.Fields(runs(t, &AnalyticsPosts{Access: access, Range: of, Best: "likes", Limit: 5})); strings.Join(got[len(got)-8:], " ") != "- - - 7 - - - -" {
		t.Errorf("the post's line ends %q", got)
	}
}
