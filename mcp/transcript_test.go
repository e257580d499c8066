package mcp_test

import (
	"slices"
	"strings"
	"time"

	"crier/client"
	"crier/client/clienttest"
	"crier/schema"
)

// content is a post for both accounts, one with a text of its own.
func content(text string) map[string]any {
	return map[string]any{
		"content":   text,
		"platforms": []map[string]any{{"platform": "mastodon"}, {"platform": "bluesky", "content": text + ", in short"}},
	}
}

func (a *assistant) schedulesADraft(name string) {
	draft := a.call("draft_post", content("The harbour by "+name))
	if draft.refused || !draft.Done || draft.Status != "draft" {
		a.Fatalf("draft_post answers %s", draft.text)
	}
	if checked := a.call("validate_post", map[string]any{"draftId": draft.PostID}); !checked.Valid {
		a.Errorf("validate_post answers %s", checked.text)
	}
	at := time.Now().Add(48 * time.Hour).UTC().Truncate(time.Minute)
	schedule := map[string]any{"draftId": draft.PostID, "scheduledFor": at.Format(time.RFC3339), "timezone": "Europe/Berlin"}
	plan := a.call("schedule_post", schedule)
	a.wants(plan.Message, "Nothing is done yet", "mastodon ann (acc_", "“The harbour by "+name+"”", "bluesky ann.bsky.test (acc_", "“The harbour by "+name+", in short”",
		"in Europe/Berlin", at.Format("Monday 2 January 2006 15:04")+" UTC")
	if got := a.call("get_post", map[string]any{"postId": draft.PostID}); plan.Done || got.Status != "draft" {
		a.Errorf("without confirm: %s; the post is %s", plan.text, got.text)
	}
	for range 2 {
		done := a.call("schedule_post", with(schedule, "confirm", plan.Plan))
		if !done.Done || done.Status != "scheduled" || done.PostID != draft.PostID {
			a.Fatalf("confirmed: %s", done.text)
		}
	}
	got := a.call("get_post", map[string]any{"postId": draft.PostID})
	if got.Status != "scheduled" || len(got.Story) < 2 {
		a.Fatalf("get_post answers %s", got.text)
	}
	a.wants(strings.Join(got.Story, "\n"), "the post was made", "the post was changed by a user")
}

// confirm calls a tool without confirm, and then with the plan that it answered.
func (a *assistant) confirm(tool string, arguments map[string]any) response {
	a.Helper()
	plan := a.call(tool, arguments)
	if plan.refused || plan.Done || plan.Plan == "" {
		a.Fatalf("%s has no plan: %s", tool, plan.text)
	}
	return a.call(tool, with(arguments, "confirm", plan.Plan))
}

// holdsToPlans has what was agreed to become another thing before it is confirmed.
func (a *assistant) holdsToPlans(api *client.Client) {
	draft := a.call("draft_post", content("As agreed"))
	schedule := map[string]any{"draftId": draft.PostID, "scheduledFor": time.Now().Add(48 * time.Hour).Format(time.RFC3339)}
	plan := a.call("schedule_post", schedule)
	confirmed := with(schedule, "confirm", plan.Plan)
	otherTime := with(confirmed, "scheduledFor", time.Now().Add(72*time.Hour).Format(time.RFC3339))
	for name, arguments := range map[string]map[string]any{"another time": otherTime, "no plan": with(schedule, "confirm", "true")} {
		if got := a.call("schedule_post", arguments); !got.refused || !strings.Contains(got.text, "confirm: this is not the plan") {
			a.Errorf("%s: %s", name, got.text)
		}
	}
	if _, err := api.Posts.Update(a.Context(), draft.PostID, client.PostUpdate{Content: new("Not as agreed")}); err != nil {
		a.Fatal(err)
	}
	if got := a.call("schedule_post", confirmed); !got.refused || !strings.Contains(got.text, "the post was changed since") {
		a.Errorf("after a change: %s", got.text)
	}
	if got := a.call("get_post", map[string]any{"postId": draft.PostID}); got.Status != "draft" {
		a.Errorf("the draft is %s", got.text)
	}
	if got := a.confirm("schedule_post", schedule); got.Status != "scheduled" {
		a.Errorf("agreed to anew: %s", got.text)
	}
	for tool, arguments := range map[string]map[string]any{
		"publish_post": content("x"), "reply": {"itemId": "item_00000000000000000000000000", "text": "x"},
	} {
		if got := a.call(tool, with(arguments, "confirm", plan.Plan)); !got.refused || !strings.Contains(got.text, "confirm: this is not the plan") {
			a.Errorf("%s by the plan of another call: %s", tool, got.text)
		}
	}
}

func (a *assistant) publishesOnce(api *client.Client, name string) {
	post := with(content("At once by "+name), "platformSettings", map[string]any{"mastodon": map[string]any{"visibility": "unlisted"}})
	post["firstComment"] = "More tomorrow"
	plan := a.call("publish_post", post)
	a.wants(plan.Message, "published at once", `"visibility":"unlisted"`, "the first comment “More tomorrow”")
	var ids []string
	for _, id := range []string{"", "", "again"} {
		arguments := post
		if id != "" {
			arguments = with(post, "requestId", id)
		}
		got := a.confirm("publish_post", arguments)
		if !got.Done || strings.Contains(got.Message, "Nothing new was made") != (len(ids) == 1) {
			a.Fatalf("confirmed: %s", got.text)
		}
		ids = append(ids, got.PostID)
	}
	if ids[0] != ids[1] || ids[1] == ids[2] {
		a.Errorf("posts %v, want one, and another with another requestId", ids)
	}
	made := 0
	for post, err := range api.Posts.List(a.Context(), client.PostFilter{}) {
		if err != nil {
			a.Fatal(err)
		}
		if post.Content == "At once by "+name {
			made++
		}
	}
	if made != 2 {
		a.Errorf("%d posts were made, want 2", made)
	}
}

func (a *assistant) replies(server *clienttest.Server, name string) {
	account := server.Connect(schema.Mastodon, "ann")
	item := server.Written(account, schema.InboxItem{
		Kind: schema.InboxComment, NativeID: "asked by " + name, Author: schema.Author{Handle: "ada"}, Text: "Where\u202e is\u200b it\U000e0142?", WrittenAt: time.Now(),
	}).String()
	inbox := a.call("inbox", map[string]any{"accountId": account.String()})
	at := slices.IndexFunc(inbox.Items, func(i struct{ ItemID, Text, Author string }) bool { return i.ItemID == item })
	if at < 0 || inbox.Items[at].Text != "Where is it?" || inbox.Items[at].Author != "ada" {
		a.Fatalf("inbox answers %s", inbox.text)
	}
	reply := map[string]any{"itemId": item, "text": "By the harbour."}
	plan := a.call("reply", reply)
	a.wants(plan.Message, "Nothing is done yet", "mastodon ann (acc_", "“By the harbour.”", "ada wrote: “Where is it?”")
	first, again := a.confirm("reply", reply), a.confirm("reply", reply)
	if plan.Done || !first.Done || first.ReplyID == "" || again.ReplyID != first.ReplyID || !strings.Contains(again.Message, "Nothing new was made") {
		a.Errorf("planned %s, confirmed %s, again %s", plan.text, first.text, again.text)
	}
}

func (a *assistant) cancels(name string) {
	draft := a.call("draft_post", content("Not this, "+name))
	if got := a.call("cancel_post", map[string]any{"postId": draft.PostID}); !got.Done || !strings.Contains(got.Message, "Not this, "+name) {
		a.Errorf("of a draft: %s", got.text)
	}
	post := with(content("Not this either, "+name), "scheduledFor", time.Now().Add(time.Hour).Format(time.RFC3339))
	made := a.confirm("schedule_post", post)
	if got := a.call("cancel_post", map[string]any{"postId": made.PostID}); got.Status != "cancelled" {
		a.Errorf("of a scheduled post: %s", got.text)
	}
	if got := a.call("retry_post", map[string]any{"postId": made.PostID}); got.Done || !strings.Contains(got.Message, "nothing to retry") {
		a.Errorf("retry_post answers %s", got.text)
	}
	if got := a.call("retry_post", map[string]any{"postId": made.PostID, "confirm": "plan_0"}); !got.refused || !strings.Contains(got.text, "nothing to retry") {
		a.Errorf("a retry of a cancelled post: %s", got.text)
	}
}

func (a *assistant) leavesThreads(api *client.Client) {
	thread, err := api.Threads.Create(a.Context(), client.ThreadCreate{
		Posts: []client.ThreadEntryInput{{Content: "One"}, {Content: "Two"}}, Platforms: client.To(client.Mastodon), Status: "draft",
	})
	if err != nil {
		a.Fatal(err)
	}
	got := a.call("schedule_post", map[string]any{"draftId": thread.PostID, "scheduledFor": time.Now().Add(time.Hour).Format(time.RFC3339), "confirm": "plan_0"})
	if !got.refused || !strings.Contains(got.text, "a person schedules it") {
		a.Errorf("schedule_post answers %s", got.text)
	}
}

// showsAll has a draft by another client, with what no tool here sets.
func (a *assistant) showsAll(api *client.Client) {
	draft, err := api.Posts.Create(a.Context(), client.Post{
		Content: "Whole", Platforms: client.To(client.Mastodon), Status: client.PostDraft, FirstComments: []client.FirstComment{{Text: "One more"}, {Text: "And another"}},
		MediaItems: []client.MediaItem{{URL: "https://media.example/a.jpg", Type: client.Image, KeepMetadata: true}},
	})
	if err != nil {
		a.Fatal(err)
	}
	plan := a.call("schedule_post", map[string]any{"draftId": draft.ID, "scheduledFor": time.Now().Add(time.Hour).Format(time.RFC3339)})
	a.wants(plan.Message, "“One more”", "“And another”", "a.jpg, with what it says of where and when it was made")
}

func (a *assistant) queues(api *client.Client) {
	queue, err := api.Queues.Create(a.Context(), client.Queue{Name: "Mornings", Slots: []client.WeekSlot{{Day: "monday", Time: "09:00"}}})
	if err != nil {
		a.Fatal(err)
	}
	draft := a.call("draft_post", content("In turn"))
	schedule := map[string]any{"draftId": draft.PostID, "queueId": queue.ID}
	if got := a.call("schedule_post", with(schedule, "scheduledFor", time.Now().Add(time.Hour).Format(time.RFC3339))); !got.refused || !strings.Contains(got.text, "one of both") {
		a.Errorf("at a time and in a queue: %s", got.text)
	}
	if got := a.confirm("schedule_post", schedule); got.Status != "scheduled" {
		a.Errorf("schedule_post answers %s", got.text)
	}
	post, err := api.Posts.Get(a.Context(), draft.PostID)
	if at := post.ScheduledFor; err != nil || at.Weekday() != time.Monday || at.Minute() != 0 {
		a.Errorf("the draft is at %s, %v", at, err)
	}
	if err := api.Queues.Delete(a.Context(), queue.ID); err != nil { // others want none
		a.Error(err)
	}
}

func (a *assistant) pages() {
	for _, n := range []string{"one", "two", "three"} {
		text := "Paged " + n + strings.Repeat(" and on", 40)
		a.call("draft_post", map[string]any{"content": text, "platforms": []map[string]any{{"platform": "mastodon"}}})
	}
	seen := map[string]bool{}
	for cursor, pages := "", 0; pages == 0 || cursor != ""; pages++ {
		arguments := map[string]any{"limit": 2, "search": "Paged"}
		if cursor != "" {
			arguments["cursor"] = cursor
		}
		page := a.call("list_posts", arguments)
		if page.refused || len(page.Posts) > 2 || pages > 2 {
			a.Fatalf("list_posts answers %s", page.text)
		}
		for _, post := range page.Posts {
			seen[post.ID] = true
			a.wants(post.Text, "… (cut: ")
		}
		cursor = page.NextCursor
	}
	if len(seen) != 3 {
		a.Errorf("%d posts are on the pages, want 3", len(seen))
	}
}

func (a *assistant) figures(server *clienttest.Server) {
	account, at := server.Connect(schema.Mastodon, "ann"), time.Now().Add(-72*time.Hour)
	likes := int64(17)
	post := server.Posted(account, schema.Mastodon, at, schema.Metrics{Likes: &likes})
	server.Followed(account, schema.Mastodon, at, 230)
	text, _ := a.ask("analytics", map[string]any{"report": "posts"})
	a.wants(text, post.String(), `"likes":17`)
	text, _ = a.ask("analytics", map[string]any{"report": "followers"})
	a.wants(text, account.String(), `"followers":230`)
	text, _ = a.ask("best_times", map[string]any{"timezone": "Europe/Berlin"})
	a.wants(text, `"timezone":"Europe/Berlin"`, `"confidence":"low"`)
}
