package compose_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"crier/schema"
)

// keyed sends a key with each request.
type keyed string

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(k))
	return http.DefaultTransport.RoundTrip(r)
}

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
// it: answersAComment has had somebody write that.
func (w *world) isAssisted() {
	w.Helper()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(w.Context(), &sdk.StreamableClientTransport{
		Endpoint: "http://" + w.config.Listen + "/mcp", HTTPClient: &http.Client{Transport: keyed(w.key)},
	}, nil)
	if err != nil {
		w.Fatal(err)
	}
	defer session.Close()
	call := func(tool string, arguments map[string]any) (answer assisted) {
		w.Helper()
		result, err := session.CallTool(w.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil {
			w.Fatal(err)
		}
		text := result.Content[0].(*sdk.TextContent).Text
		w.Logf("%s %v\n%s", tool, arguments, text)
		if err := json.Unmarshal([]byte(text), &answer); err != nil || result.IsError {
			w.Fatalf("%s: %v", tool, err)
		}
		return answer
	}
	account := w.connectOne("/connect/mastodon", map[string]any{"accessToken": "token-of-whom-an-assistant-helps"})
	const sentence = "The new harbour walk is open."
	draft := call("draft_post", map[string]any{"content": sentence, "platforms": []map[string]any{{"platform": "mastodon", "accountId": account.String()}}})
	call("validate_post", map[string]any{"draftId": draft.PostID})
	schedule := map[string]any{"draftId": draft.PostID, "scheduledFor": time.Now().Add(2 * time.Second).UTC().Format(time.RFC3339Nano), "timezone": "Europe/Berlin"}
	plan := call("schedule_post", schedule)
	if plan.Done || !strings.Contains(plan.Message, sentence) {
		w.Errorf("schedule_post without confirm: %+v", plan)
	}
	schedule["confirm"] = plan.Plan
	call("schedule_post", schedule)
	w.eventually(time.Minute, "the post is done", func() bool { return w.done([]string{draft.PostID}) })
	post := call("get_post", map[string]any{"postId": draft.PostID})
	if post.Status != "posted" || !slices.ContainsFunc(post.Story, func(line string) bool { return strings.Contains(line, "was published") }) {
		w.Errorf("get_post answers %+v", post)
	}
	w.assistedReply(call)
	if there := slices.DeleteFunc(w.simulated(), func(s simulated) bool { return s.Text != sentence }); len(there) != 1 || there[0].Platform != schema.Mastodon.String() {
		w.Errorf("the platform has %+v, want it once", there)
	}
}

func (w *world) assistedReply(call func(tool string, arguments map[string]any) assisted) {
	w.Helper()
	const text = "Come by on Sunday."
	inbox := call("inbox", map[string]any{"limit": 1})
	if len(inbox.Items) == 0 {
		w.Fatal("the inbox is empty")
	}
	reply := map[string]any{"itemId": inbox.Items[0].ItemID, "text": text}
	plan := call("reply", reply)
	if plan.Done || !strings.Contains(plan.Message, text) {
		w.Errorf("reply without confirm: %+v", plan)
	}
	reply["confirm"] = plan.Plan
	sent := call("reply", reply)
	if again := call("reply", reply); again.ReplyID != sent.ReplyID {
		w.Errorf("a reply again: %+v, want %s", again, sent.ReplyID)
	}
	var answer struct{ Reply struct{ Status string } }
	w.eventually(time.Minute, "the reply is there", func() bool {
		w.call(http.MethodGet, "/engagement/replies/"+sent.ReplyID, nil, &answer)
		return answer.Reply.Status == "posted"
	})
	there := 0
	for _, s := range w.simulated() {
		if s.Text == text {
			there++
		}
	}
	if there != 1 {
		w.Errorf("the reply is there %d times", there)
	}
}
