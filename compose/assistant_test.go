package compose_test

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"crier/schema"
)

// assisted is what a tool says of a post, or of the inbox.
type assisted struct {
	Done                    bool
	Plan                    string
	Message, PostID, Status string
	ReplyID                 string
	Story                   []string
	Items                   []struct{ ItemID, Text, AccountID string }
}

// isAssisted has an assistant go the way of a post, from a draft to the reply to what people write under
// it: answersAComment has had somebody write that. docs/mcp.md shows the conversation.
func (w *world) isAssisted() {
	w.Helper()
	var transcript strings.Builder
	a := w.converse(w.key, &transcript)
	account := w.connectOne("/connect/mastodon", map[string]any{"accessToken": "token-of-whom-an-assistant-helps"})
	const sentence = "The new harbour walk is open."
	platforms := []map[string]any{{"platform": "mastodon", "accountId": account.String()}}
	draft := a.call("draft_post", map[string]any{"content": sentence, "platforms": platforms})
	a.call("validate_post", map[string]any{"draftId": draft.PostID})
	at := time.Now().Add(2 * time.Second).UTC().Format(time.RFC3339Nano)
	plan := a.confirm("schedule_post", map[string]any{"draftId": draft.PostID, "scheduledFor": at, "timezone": "Europe/Berlin"})
	if !strings.Contains(plan.Message, sentence) {
		w.Errorf("schedule_post without confirm: %+v", plan)
	}
	w.eventually(time.Minute, "the post is done", func() bool { return w.done([]string{draft.PostID}) })
	post := a.call("get_post", map[string]any{"postId": draft.PostID})
	if post.Status != "posted" || !slices.ContainsFunc(post.Story, func(line string) bool { return strings.Contains(line, "was published") }) {
		w.Errorf("get_post answers %+v", post)
	}
	a.replies()
	w.isRefused(a, draft.PostID, platforms)
	if there := slices.DeleteFunc(w.simulated(), func(s simulated) bool { return s.Text != sentence }); len(there) != 1 || there[0].Platform != schema.Mastodon.String() {
		w.Errorf("the platform has %+v, want it once", there)
	}
	w.isInTheDocument(transcript.String())
}

func (a assistant) replies() {
	a.Helper()
	const text = "Come by on Sunday."
	inbox := a.call("inbox", map[string]any{"limit": 1})
	if len(inbox.Items) == 0 {
		a.Fatal("the inbox is empty")
	}
	reply := map[string]any{"itemId": inbox.Items[0].ItemID, "text": text}
	if plan := a.confirm("reply", reply); !strings.Contains(plan.Message, text) {
		a.Errorf("reply without confirm: %+v", plan)
	}
	again := a.call("reply", reply)
	var answer struct{ Reply struct{ Status string } }
	a.eventually(time.Minute, "the reply is there", func() bool {
		a.world.call(http.MethodGet, "/engagement/replies/"+again.ReplyID, nil, &answer)
		return answer.Reply.Status == "posted"
	})
	there := 0
	for _, s := range a.simulated() {
		if s.Text == text {
			there++
		}
	}
	if there != 1 {
		a.Errorf("the reply is there %d times", there)
	}
}

// isRefused has an assistant want what it may not have.
func (w *world) isRefused(a assistant, postID string, platforms []map[string]any) {
	w.Helper()
	a.refused("publish_post", map[string]any{"content": "Closed today.", "platforms": platforms, "confirm": "yes"}, "confirm: this is not the plan")
	a.refused("draft_post", map[string]any{"content": "x", "platforms": []map[string]any{{"platform": "myspace"}}}, `is wanted, not "myspace"`)
	var created struct{ Key struct{ Secret string } }
	if status := w.call(http.MethodPost, "/keys", map[string]any{"name": "reader", "permissions": []string{"read"}}, &created); status != http.StatusCreated {
		w.Fatalf("a key that reads: %d", status)
	}
	a.note("With a key that only reads:")
	w.converse(created.Key.Secret, a.transcript).refused("draft_post", map[string]any{"content": "Closed today.", "platforms": platforms}, "forbidden (403)")
	a.note("With a key of another workspace:")
	w.converse(w.createKey(true), a.transcript).refused("get_post", map[string]any{"postId": postID}, "not_found (404)")
}
