package engagement_test

import (
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
	"crier/gateway/gatewaytest"
	"crier/schema"
)

// engaged is a workspace with an account that was written to.
func engaged(t *testing.T, change ...func(*gateway.Config)) (a *gatewaytest.API, account string) {
	t.Helper()
	a = gatewaytest.New(t, change...)
	return a, a.Request(http.MethodPost, "/connect/mastodon", `{"accessToken": "token"}`).Want(http.StatusCreated).At("account", "id").Text()
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
	began := a.Store.Now().Truncate(time.Millisecond)
	for n := range 5 {
		a.AddInboxItem(a.Workspace, account, schema.InboxItem{
			NativeID: fmt.Sprint("c", n), Text: fmt.Sprint("text ", n), WrittenAt: began.Add(time.Duration(n) * time.Second),
			Author: schema.Author{ID: "7", Handle: "ada@people.example", URL: "javascript:alert(1)"}, URL: "https://people.example/" + fmt.Sprint(n),
		})
	}
	mention := a.AddInboxItem(a.Workspace, account, schema.InboxItem{NativeID: "m", Kind: schema.InboxMention, Text: "you"})
	var texts, cursors []string
	for query := "?limit=2"; ; {
		page := a.Request(http.MethodGet, "/engagement/comments"+query, nil).Want(http.StatusOK)
		for i := range page.At("items").Len() {
			texts = append(texts, page.At("items", i, "text").Text())
		}
		if page.At("hasMore").Value == false {
			if page.At("nextCursor").Value != nil || page.At("unread", 0, "comments").Value != 5.0 || page.At("unread", 0, "mentions").Value != 1.0 {
				t.Errorf("the last page is %v", page.Value)
			}
			break
		}
		cursors = append(cursors, page.At("nextCursor").Text())
		query = "?limit=2&cursor=" + url.QueryEscape(page.At("nextCursor").Text())
	}
	if got := strings.Join(texts, ","); got != "text 4,text 3,text 2,text 1,text 0" || len(cursors) != 2 {
		t.Errorf("read %s by %d cursors", got, len(cursors))
	}
	first := a.Request(http.MethodGet, "/engagement/comments?limit=1", nil).Want(http.StatusOK).At("items", 0)
	if first.At("author", "url").Value != nil || first.At("author", "handle").Text() != "ada@people.example" || first.At("platform").Text() != "mastodon" || first.At("readAt").Value != nil {
		t.Errorf("item = %v", first.Value)
	}
	for i, want := range []float64{1, 0} {
		if got := a.Request(http.MethodPost, "/engagement/read", `{"itemIds": ["`+first.At("id").Text()+`"]}`).Want(http.StatusOK); got.At("changed").Value != want {
			t.Errorf("time %d: %v were marked", i, got.At("changed").Value)
		}
	}
	if got := a.Request(http.MethodGet, "/engagement/comments?unread=true", nil).Want(http.StatusOK); got.At("items").Len() != 4 {
		t.Errorf("%d are unread, want 4", got.At("items").Len())
	}
	if got := a.Request(http.MethodGet, "/engagement/mentions", nil).Want(http.StatusOK); got.At("items", 0, "id").Text() != mention.String() || got.At("items", 0, "kind").Text() != "mention" {
		t.Errorf("mentions = %v", got.Value)
	}

	stranger, strangersKey := a.CreateWorkspace("stranger", "operator", schema.Admin)
	_ = stranger
	forged := "A" + cursors[0][1:]
	if forged == cursors[0] {
		forged = "B" + cursors[0][1:]
	}
	for name, got := range map[string]*gatewaytest.Response{
		"a forged cursor":                a.Request(http.MethodGet, "/engagement/comments?cursor="+forged, nil),
		"a cursor before all times":      a.Request(http.MethodGet, "/engagement/comments?cursor="+cursorAt(a.Workspace, -300_000_000_000_000_000), nil),
		"a cursor that is cut":           a.Request(http.MethodGet, "/engagement/comments?cursor="+cursors[0][:20], nil),
		"rubbish":                        a.Request(http.MethodGet, "/engagement/comments?cursor=%F0%9F%98%80", nil),
		"the cursor of another list":     a.Request(http.MethodGet, "/engagement/mentions?cursor="+cursors[0], nil),
		"a cursor with another filter":   a.Request(http.MethodGet, "/engagement/comments?unread=true&cursor="+cursors[0], nil),
		"a cursor of another workspace":  a.RequestWith(strangersKey, http.MethodGet, "/engagement/comments?cursor="+cursors[0], nil),
		"a limit of none":                a.Request(http.MethodGet, "/engagement/comments?limit=0", nil),
		"a flag that is none":            a.Request(http.MethodGet, "/engagement/comments?unread=yes", nil),
		"an account that is no id":       a.Request(http.MethodGet, "/engagement/comments?accountId=x", nil),
		"no items to mark":               a.Request(http.MethodPost, "/engagement/read", `{"itemIds": []}`),
		"too many items to mark":         a.Request(http.MethodPost, "/engagement/read", `{"itemIds": ["x"`+strings.Repeat(`,"x"`, 100)+`]}`),
		"marking something that is none": a.Request(http.MethodPost, "/engagement/read", `{"itemIds": [7]}`),
	} {
		if got.Status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
	}
	// A cursor holds as long as its list, whatever has come and gone meanwhile.
	a.AddInboxItem(a.Workspace, account, schema.InboxItem{NativeID: "new", Text: "new", WrittenAt: began.Add(time.Hour)})
	if got := a.Request(http.MethodGet, "/engagement/comments?limit=2&cursor="+cursors[1], nil).Want(http.StatusOK); got.At("items", 0, "text").Text() != "text 0" {
		t.Errorf("the old cursor gives %v", got.At("items").Value)
	}
	if got := a.Request(http.MethodGet, "/engagement/comments?accountId="+schema.NewID[schema.AccountID](began).String(), nil); got.Status != http.StatusNotFound {
		t.Errorf("nobody's account: %d %s", got.Status, got.Body)
	}
}

func TestAReplyIsMadeOnce(t *testing.T) {
	a, account := engaged(t)
	item := a.AddInboxItem(a.Workspace, account, schema.InboxItem{NativeID: "c1", Text: "hello?"})
	body := `{"itemId": "` + item.String() + `", "text": "hello"}`
	first := a.Request(http.MethodPost, "/engagement/replies", body, "Idempotency-Key", "k")
	reply := first.Want(http.StatusCreated).At("reply")
	again := a.Request(http.MethodPost, "/engagement/replies", body, "Idempotency-Key", "k")
	if again.Want(http.StatusCreated).At("reply", "id").Text() != reply.At("id").Text() || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("first %s, then %s", first.Body, again.Body)
	}
	a.Request(http.MethodPost, "/engagement/replies", `{"itemId": "`+item.String()+`", "text": "other"}`, "Idempotency-Key", "k").WantError(http.StatusConflict, "idempotency_conflict")
	stored := a.Request(http.MethodGet, "/engagement/replies/"+reply.At("id").Text(), nil).Want(http.StatusOK).At("reply")
	if stored.At("status").Text() != "pending" || stored.At("text").Text() != "hello" || stored.At("itemId").Text() != item.String() || stored.At("accountId").Text() != account {
		t.Errorf("reply = %v", stored.Value)
	}
}

func TestRepliesThatCannotBeAreRefused(t *testing.T) {
	a, account := engaged(t)
	item, gone := a.AddInboxItem(a.Workspace, account, schema.InboxItem{NativeID: "c1", Text: "hello?"}), schema.InboxItem{NativeID: "c2", Text: "oops"}
	deleted := a.AddInboxItem(a.Workspace, account, gone)
	gone.Deleted = true
	a.AddInboxItem(a.Workspace, account, gone)
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
			a.Under(t)
			a.Request(http.MethodPost, "/engagement/replies", tt.body).WantError(tt.status, tt.code)
		})
	}
	a.Request(http.MethodDelete, "/accounts/"+account, nil)
	if got := a.Request(http.MethodPost, "/engagement/replies", reply(item.String(), "hello")); got.Status/100 != 4 {
		t.Errorf("by an account that is not connected: %d %s", got.Status, got.Body)
	}
}

func TestTranscriptsAreYouTubes(t *testing.T) {
	a, account := engaged(t)
	for name, tt := range map[string]struct {
		query  string
		status int
	}{
		"of an account without":   {"?accountId=" + account + "&videoId=abc", http.StatusBadRequest},
		"of nobody's account":     {"?accountId=" + schema.NewID[schema.AccountID](a.Store.Now()).String() + "&videoId=abc", http.StatusNotFound},
		"of no video":             {"?accountId=" + account, http.StatusBadRequest},
		"of a video that is none": {"?accountId=" + account + "&videoId=../x", http.StatusBadRequest},
		"in no language":          {"?accountId=" + account + "&videoId=abc&language=%3Cscript%3E", http.StatusBadRequest},
	} {
		if got := a.Request(http.MethodGet, "/engagement/transcript"+tt.query, nil); got.Status != tt.status {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
	}
}
