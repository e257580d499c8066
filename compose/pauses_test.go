package compose_test

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"crier/compose"
	"crier/schema"
)

// membersPause has posts wait for the pause of an account, live and in the sandbox.
func (w *world) membersPause(account schema.AccountID) {
	there := len(w.simulated())
	w.pausesAnAccount(account)
	if n := len(w.simulated()) - there; n != 1 {
		w.Errorf("%d posts went out, want the one that was in time", n)
	}
	sandbox := *w
	sandbox.key = w.createKey(true)
	sandbox.pausesAnAccount(parsedAccount(&sandbox, sandbox.sandboxAccounts()["mastodon"]))
	sandbox.goesOnWithTheResume()
	w.checkNoStrays()
}

// goesOnWithTheResume has a post to two accounts, one of them paused, go out there once that is resumed, and not when
// its job would fire by itself.
func (w *world) goesOnWithTheResume() {
	w.Helper()
	accounts := w.sandboxAccounts()
	path := "/accounts/" + accounts["mastodon"]
	w.wants(http.MethodPost, path+"/pause", nil)
	var made postAnswer
	if status := w.call(http.MethodPost, "/posts", map[string]any{"content": "to two accounts", "publishNow": true, "platforms": []map[string]any{
		{"platform": "mastodon", "accountId": accounts["mastodon"]}, {"platform": "bluesky", "accountId": accounts["bluesky"]},
	}}, &made); status != http.StatusCreated {
		w.Fatalf("creating a post to two accounts: %d", status)
	}
	id := made.Post.ID
	w.eventually(time.Minute, "it is out on one and waits for the other", func() bool {
		var events []string
		for _, a := range w.timeline(id).Attempts {
			events = append(events, a.Event)
		}
		return slices.Contains(events, "published") && slices.Contains(events, "deferred")
	})
	w.wants(http.MethodPost, path+"/resume", nil)
	w.eventually(schema.VisibilityTimeout*2/3, "it goes out with the resume", func() bool { return w.done([]string{id}) })
}

// pausesAnAccount has a post go out once after a pause, and one end that was too late by then.
func (w *world) pausesAnAccount(account schema.AccountID) {
	w.Helper()
	path := "/accounts/" + account.String()
	w.wants(http.MethodPost, path+"/pause", map[string]any{"reason": "the brand says nothing"})
	ids := map[string]string{}
	for _, name := range []string{"in time", "too late"} {
		ids[name] = w.publishTo(schema.Mastodon, account, fmt.Sprintf("%s, to %s", name, account))
		w.eventually(time.Minute, "the post "+name+" is parked", func() bool { return w.isHeld(ids[name], "member") && w.isParked(ids[name]) })
	}
	on := compose.PauseTarget{Account: account.String()}
	if err := compose.Pause(w.Context(), w.operator(), on, "invoice"); err != nil {
		w.Fatal(err)
	}
	if !w.isHeld(ids["in time"], "operator") {
		w.Error("the operator's pause does not show")
	}
	if status := w.call(http.MethodPost, path+"/resume", nil, nil); status != http.StatusConflict {
		w.Errorf("a member lifts the operator's pause: %d", status)
	}
	if stays, err := compose.Resume(w.Context(), w.operator(), on); err != nil || !stays {
		w.Errorf("the operator's resume leaves the member's: %t, %v", stays, err)
	}

	late, err := schema.ParseID[schema.PostID](ids["too late"])
	if err != nil {
		w.Fatal(err)
	}
	w.count(fmt.Sprintf(`
		with late as (update posts set scheduled_for = scheduled_for - interval '25 hours' where id = '%[1]s' returning id),
			due as (update jobs set due_at = now() where id = '%[1]s' returning id)
		select (select count(*) from late) + (select count(*) from due)`, uuidOf(late)))
	w.eventually(time.Minute, "what is too late ends", func() bool {
		_, code := w.outcome(ids["too late"])
		return code == schema.CodeMissedDeadline
	})
	if !w.isHeld(ids["in time"], "member") {
		w.Error("what is in time does not wait any more")
	}

	w.wants(http.MethodPost, path+"/resume", nil)
	w.eventually(time.Minute, "the post goes out", func() bool { return w.done([]string{ids["in time"]}) })
	w.posted(ids["in time"])
	w.tellsOfAPause(ids["in time"], "published")
	w.tellsOfAPause(ids["too late"], "failed")
}

// tellsOfAPause checks the timeline of a post that waited for the member's pause, and then ended.
func (w *world) tellsOfAPause(id, end string) {
	w.Helper()
	var events []string
	for _, a := range w.timeline(id).Attempts {
		if events = append(events, a.Event); a.Event == "deferred" && (a.Code != "account_paused" || a.Message != "a member has paused the account: the brand says nothing") {
			w.Errorf("it waits for %s: %s", a.Code, a.Message)
		}
	}
	if want := []string{"created", "deferred", end}; !slices.Equal(events, want) {
		w.Errorf("the timeline says %q, want %q", events, want)
	}
}

// isHeld tells whether a post shows that its account is paused, by whom.
func (w *world) isHeld(id, by string) bool {
	w.Helper()
	var answer struct {
		Post struct {
			Status    string
			Platforms []struct{ Held struct{ Reason, By string } }
		}
	}
	w.call(http.MethodGet, "/posts/"+id, nil, &answer)
	held := answer.Post.Platforms[0].Held
	return answer.Post.Status == "scheduled" && held.Reason == "account_paused" && held.By == by
}

func (w *world) isParked(id string) bool {
	post, err := schema.ParseID[schema.PostID](id)
	if err != nil {
		w.Fatal(err)
	}
	return w.count(`select count(*) from jobs where held and id = '`+uuidOf(post)+`'`) == 1
}
