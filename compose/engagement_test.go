package compose_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"crier/schema"
)

// inboxPage is what a list of the inbox answers with.
type inboxPage struct {
	Items []struct {
		ID, Text, Platform string
		PostID, AccountID  string
		Author             *struct{ Handle string }
	}
}

// answersAComment goes all the way of a comment: somebody writes it under a post, it is in the inbox
// and with the webhook, and its reply is on the platform, once.
func (w *world) answersAComment() {
	w.Helper()
	account := w.connectOne("/connect/mastodon", map[string]any{"accessToken": "token-of-whom-people-answer"})
	hook := w.receive("comment.received")
	const text, question, reply = "what do you think?", "Where can I get this?", "At the shop & online."
	id := w.publishTo(schema.Mastodon, account, text)
	w.eventually(time.Minute, "the post is done", func() bool { return w.done([]string{id}) })
	there := func(text string) (found []simulated) {
		return slices.DeleteFunc(w.simulated(), func(s simulated) bool { return s.Text != text })
	}
	comment := w.say(there(text)[0], question)

	// It is looked for when the post is some minutes old.
	w.eventually(time.Minute, "the post is followed", func() bool {
		return w.count(`with older as (
			update snapshots s set posted_at = s.posted_at - interval '6 minutes' from collections c
			where s.account_id = '`+uuidOf(account)+`' and c.account_id = s.account_id and c.what = 3 and c.lease_until is null
			  and c.due_at > now() + interval '1 minute' returning c.id
		), anew as (
			update collections c set cursor = '{"since":"2000-01-01T00:00:00Z"}', due_at = now() from older where c.id = older.id returning c.id
		), due as (
			update jobs j set due_at = now(), fires = 0 from anew where j.id = anew.id returning 1
		)
		select count(*) from due`) == 1
	})
	var page inboxPage
	w.eventually(time.Minute, "the comment is in the inbox", func() bool {
		w.call(http.MethodGet, "/engagement/comments?postId="+id, nil, &page)
		return len(page.Items) > 0 && strings.HasSuffix(page.Items[len(page.Items)-1].Text, question) // behind whom it answers
	})
	item := page.Items[len(page.Items)-1]
	if item.PostID != id || item.AccountID != account.String() || item.Platform != "mastodon" || item.Author == nil || item.Author.Handle == "" {
		w.Errorf("item = %+v", item)
	}
	w.eventually(time.Minute, "the webhook is told", func() bool { return hook.has("", "comment.received") != "" })

	var answer struct {
		Reply struct{ ID, Status, NativeID string }
	}
	for range 2 { // it is sent again, as by a client without an answer
		status, err := w.tryRequest(http.MethodPost, "/engagement/replies", "reply", map[string]any{"itemId": item.ID, "text": reply}, &answer)
		if err != nil || status != http.StatusCreated {
			w.Fatalf("replying: %d, %v", status, err)
		}
	}
	w.eventually(time.Minute, "the reply is there", func() bool {
		w.call(http.MethodGet, "/engagement/replies/"+answer.Reply.ID, nil, &answer)
		return answer.Reply.Status == "posted"
	})
	if found := there(reply); len(found) != 1 || found[0].ReplyTo != comment || found[0].ID != answer.Reply.NativeID {
		w.Errorf("the platform has %+v, want it once, as an answer to %s and as %s", found, comment, answer.Reply.NativeID)
	}
}

// say has a person write something under a post.
func (w *world) say(under simulated, text string) (id string) {
	w.Helper()
	document, err := json.Marshal(map[string]any{"platform": under.Platform, "account": under.Account, "under": under.ID, "text": text})
	if err != nil {
		w.Fatal(err)
	}
	response, err := w.client.Post(w.simulators+"/_control/said", "application/json", bytes.NewReader(document))
	if err != nil {
		w.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct{ ID, Error string }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || answer.ID == "" {
		w.Fatalf("saying %s: %v, %s", document, err, answer.Error)
	}
	return answer.ID
}
