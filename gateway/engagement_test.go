package gateway_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/gateway"
	"crier/schema"
	"crier/schema/postgres"
)

// contents are what ClickHouse would have of what people wrote.
type contents map[schema.ItemName]schema.InboxItem

func (c contents) InboxItems(_ context.Context, _ schema.WorkspaceID, names []schema.ItemName) (map[schema.ItemName]schema.InboxItem, error) {
	found := map[schema.ItemName]schema.InboxItem{}
	for _, name := range names {
		if item, ok := c[name]; ok {
			found[name] = item
		}
	}
	return found, nil
}

// heard stores something that was written to an account, as a collection would.
func (a *api) heard(workspace schema.WorkspaceID, account string, item schema.InboxItem) schema.ItemID {
	a.Helper()
	id, err := schema.ParseAccountID(account)
	if err != nil {
		a.Fatal(err)
	}
	if item.Kind == "" {
		item.Kind = schema.InboxComment
	}
	if item.WrittenAt.IsZero() {
		item.WrittenAt = a.store.Now().Truncate(time.Millisecond)
	}
	received := []schema.Received{{Item: item, State: `{"visibility":"public"}`}}
	if _, err := postgres.NewEngagement(a.store).Receive(context.Background(), schema.Account{ID: id, Workspace: workspace, Platform: schema.Mastodon}, received); err != nil {
		a.Fatal(err)
	}
	a.inbox[schema.ItemName{Account: id, NativeID: item.NativeID}] = item
	return schema.ItemIDOf(id, item.NativeID)
}

// engaged is a workspace with an account that was written to.
func engaged(t *testing.T, change ...func(*gateway.Config)) (a *api, account string) {
	t.Helper()
	a = newAPI(t, change...)
	return a, a.call(http.MethodPost, "/connect/mastodon", `{"accessToken": "token"}`).want(http.StatusCreated).at("account", "id").text()
}

// cursorAt forges a cursor of all comments of a workspace, at a time in microseconds, as who has
// read the code can.
func cursorAt(workspace schema.WorkspaceID, micros int64) string {
	place := binary.BigEndian.AppendUint64(nil, uint64(micros))
	place = append(place, make([]byte, 16)...)
	mark := sha256.Sum256(slices.Concat(workspace[:], make([]byte, 16+16+2), place))
	return base64.RawURLEncoding.EncodeToString(append(place, mark[:8]...))
}

func TestTheInboxIsReadByPagesAndMarked(t *testing.T) {
	a, account := engaged(t)
	began := a.store.Now().Truncate(time.Millisecond)
	for n := range 5 {
		a.heard(a.workspace, account, schema.InboxItem{
			NativeID: fmt.Sprint("c", n), Text: fmt.Sprint("text ", n), WrittenAt: began.Add(time.Duration(n) * time.Second),
			Author: schema.Author{ID: "7", Handle: "ada@people.example", URL: "javascript:alert(1)"}, URL: "https://people.example/" + fmt.Sprint(n),
		})
	}
	mention := a.heard(a.workspace, account, schema.InboxItem{NativeID: "m", Kind: schema.InboxMention, Text: "you"})
	var texts, cursors []string
	for query := "?limit=2"; ; {
		page := a.call(http.MethodGet, "/engagement/comments"+query, nil).want(http.StatusOK)
		for i := range page.at("items").size() {
			texts = append(texts, page.at("items", i, "text").text())
		}
		if page.at("hasMore").value == false {
			if page.at("nextCursor").value != nil || page.at("unread", 0, "comments").value != 5.0 || page.at("unread", 0, "mentions").value != 1.0 {
				t.Errorf("the last page is %v", page.value)
			}
			break
		}
		cursors = append(cursors, page.at("nextCursor").text())
		query = "?limit=2&cursor=" + url.QueryEscape(page.at("nextCursor").text())
	}
	if got := strings.Join(texts, ","); got != "text 4,text 3,text 2,text 1,text 0" || len(cursors) != 2 {
		t.Errorf("read %s by %d cursors", got, len(cursors))
	}
	first := a.call(http.MethodGet, "/engagement/comments?limit=1", nil).want(http.StatusOK).at("items", 0)
	if first.at("author", "url").value != nil || first.at("author", "handle").text() != "ada@people.example" || first.at("platform").text() != "mastodon" || first.at("readAt").value != nil {
		t.Errorf("item = %v", first.value)
	}
	for i, want := range []float64{1, 0} {
		if got := a.call(http.MethodPost, "/engagement/read", `{"itemIds": ["`+first.at("id").text()+`"]}`).want(http.StatusOK); got.at("changed").value != want {
			t.Errorf("time %d: %v were marked", i, got.at("changed").value)
		}
	}
	if got := a.call(http.MethodGet, "/engagement/comments?unread=true", nil).want(http.StatusOK); got.at("items").size() != 4 {
		t.Errorf("%d are unread, want 4", got.at("items").size())
	}
	if got := a.call(http.MethodGet, "/engagement/mentions", nil).want(http.StatusOK); got.at("items", 0, "id").text() != mention.String() || got.at("items", 0, "kind").text() != "mention" {
		t.Errorf("mentions = %v", got.value)
	}

	stranger, strangersKey := a.tenant("stranger", "operator", schema.Admin)
	_ = stranger
	forged := "A" + cursors[0][1:]
	if forged == cursors[0] {
		forged = "B" + cursors[0][1:]
	}
	for name, got := range map[string]*answer{
		"a forged cursor":                a.call(http.MethodGet, "/engagement/comments?cursor="+forged, nil),
		"a cursor before all times":      a.call(http.MethodGet, "/engagement/comments?cursor="+cursorAt(a.workspace, -300_000_000_000_000_000), nil),
		"a cursor that is cut":           a.call(http.MethodGet, "/engagement/comments?cursor="+cursors[0][:20], nil),
		"rubbish":                        a.call(http.MethodGet, "/engagement/comments?cursor=%F0%9F%98%80", nil),
		"the cursor of another list":     a.call(http.MethodGet, "/engagement/mentions?cursor="+cursors[0], nil),
		"a cursor with another filter":   a.call(http.MethodGet, "/engagement/comments?unread=true&cursor="+cursors[0], nil),
		"a cursor of another workspace":  a.callWith(strangersKey, http.MethodGet, "/engagement/comments?cursor="+cursors[0], nil),
		"a limit of none":                a.call(http.MethodGet, "/engagement/comments?limit=0", nil),
		"a flag that is none":            a.call(http.MethodGet, "/engagement/comments?unread=yes", nil),
		"an account that is no id":       a.call(http.MethodGet, "/engagement/comments?accountId=x", nil),
		"no items to mark":               a.call(http.MethodPost, "/engagement/read", `{"itemIds": []}`),
		"too many items to mark":         a.call(http.MethodPost, "/engagement/read", `{"itemIds": ["x"`+strings.Repeat(`,"x"`, 100)+`]}`),
		"marking something that is none": a.call(http.MethodPost, "/engagement/read", `{"itemIds": [7]}`),
	} {
		if got.status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	// A cursor holds as long as its list, whatever has come and gone meanwhile.
	a.heard(a.workspace, account, schema.InboxItem{NativeID: "new", Text: "new", WrittenAt: began.Add(time.Hour)})
	if got := a.call(http.MethodGet, "/engagement/comments?limit=2&cursor="+cursors[1], nil).want(http.StatusOK); got.at("items", 0, "text").text() != "text 0" {
		t.Errorf("the old cursor gives %v", got.at("items").value)
	}
	if got := a.call(http.MethodGet, "/engagement/comments?accountId="+schema.NewAccountID(began).String(), nil); got.status != http.StatusNotFound {
		t.Errorf("nobody's account: %d %s", got.status, got.body)
	}
}

func TestAReplyIsMadeOnce(t *testing.T) {
	a, account := engaged(t)
	item := a.heard(a.workspace, account, schema.InboxItem{NativeID: "c1", Text: "hello?"})
	body := `{"itemId": "` + item.String() + `", "text": "hello"}`
	first := a.call(http.MethodPost, "/engagement/replies", body, "Idempotency-Key", "k")
	made := first.want(http.StatusCreated).at("reply")
	again := a.call(http.MethodPost, "/engagement/replies", body, "Idempotency-Key", "k")
	if again.want(http.StatusCreated).at("reply", "id").text() != made.at("id").text() || again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("first %s, then %s", first.body, again.body)
	}
	a.call(http.MethodPost, "/engagement/replies", `{"itemId": "`+item.String()+`", "text": "other"}`, "Idempotency-Key", "k").fails(http.StatusConflict, "idempotency_conflict")
	shown := a.call(http.MethodGet, "/engagement/replies/"+made.at("id").text(), nil).want(http.StatusOK).at("reply")
	if shown.at("status").text() != "pending" || shown.at("text").text() != "hello" || shown.at("itemId").text() != item.String() || shown.at("accountId").text() != account {
		t.Errorf("reply = %v", shown.value)
	}
}

func TestRepliesThatCannotBeAreRefused(t *testing.T) {
	a, account := engaged(t)
	item, gone := a.heard(a.workspace, account, schema.InboxItem{NativeID: "c1", Text: "hello?"}), schema.InboxItem{NativeID: "c2", Text: "oops"}
	deleted := a.heard(a.workspace, account, gone)
	gone.Deleted = true
	a.heard(a.workspace, account, gone)
	reply := func(item, text string) string { return fmt.Sprintf(`{"itemId": %q, "text": %q}`, item, text) }
	for name, tt := range map[string]struct {
		body   string
		status int
		code   string
	}{
		"to what is not in the inbox": {reply(schema.ItemIDOf(schema.AccountID{1}, "x").String(), "hello"), http.StatusNotFound, "not_found"},
		"to what was deleted":         {reply(deleted.String(), "hello"), http.StatusBadRequest, "invalid_state"},
		"to no id":                    {reply("c1", "hello"), http.StatusBadRequest, "validation_error"},
		"to nothing":                  {`{"text": "hello"}`, http.StatusBadRequest, "validation_error"},
		"without a text":              {reply(item.String(), " \n"), http.StatusBadRequest, "validation_error"},
		"longer than anybody takes":   {reply(item.String(), strings.Repeat("x", 40_001)), http.StatusBadRequest, "validation_error"},
		"with a text that is no text": {`{"itemId": "` + item.String() + `", "text": 7}`, http.StatusBadRequest, "validation_error"},
	} {
		t.Run(name, func(t *testing.T) {
			a.under(t)
			a.call(http.MethodPost, "/engagement/replies", tt.body).fails(tt.status, tt.code)
		})
	}
	a.call(http.MethodDelete, "/accounts/"+account, nil)
	if got := a.call(http.MethodPost, "/engagement/replies", reply(item.String(), "hello")); got.status/100 != 4 {
		t.Errorf("by an account that is not connected: %d %s", got.status, got.body)
	}
}

func TestTranscriptsAreYouTubes(t *testing.T) {
	a, account := engaged(t)
	for name, tt := range map[string]struct {
		query  string
		status int
	}{
		"of an account without":   {"?accountId=" + account + "&videoId=abc", http.StatusBadRequest},
		"of nobody's account":     {"?accountId=" + schema.NewAccountID(a.store.Now()).String() + "&videoId=abc", http.StatusNotFound},
		"of no video":             {"?accountId=" + account, http.StatusBadRequest},
		"of a video that is none": {"?accountId=" + account + "&videoId=../x", http.StatusBadRequest},
		"in no language":          {"?accountId=" + account + "&videoId=abc&language=%3Cscript%3E", http.StatusBadRequest},
	} {
		if got := a.call(http.MethodGet, "/engagement/transcript"+tt.query, nil); got.status != tt.status {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
}
