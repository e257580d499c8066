package compose_test

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/compose"
	"crier/schema"
)

// What a restore must not repeat, on platforms that show an account's posts and on one that does not.
var restoredOn = []schema.Platform{schema.Mastodon, schema.Twitter, schema.Telegram}

// After a backup one post is cancelled, one edited, one published earlier than it was due, an account
// disconnected and a key revoked. ClickHouse outlives the restore.
func TestARestorePublishesNothingThatWasCancelledEditedOrIsOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ids, accounts := map[string]string{}, map[schema.Platform]schema.AccountID{}
	due := time.Now().Add(time.Hour)
	for _, p := range restoredOn {
		accounts[p] = w.connect(p, 1)[0]
		for _, what := range []string{"cancelled", "edited", "moved", "untouched"} {
			text := what + " on " + p.String()
			ids[text] = w.createOn(p, accounts[p], text, due)
		}
	}
	left := w.connect(schema.Mastodon, 2)[1]
	w.createOn(schema.Mastodon, left, "of an account that left", due)
	revoked := w.createKey(false)

	file := filepath.Join(t.TempDir(), "crier.backup")
	if _, err := compose.Backup(t.Context(), w.operator(), file); err != nil {
		t.Fatal(err)
	}
	for _, p := range restoredOn {
		w.wants(http.MethodDelete, "/posts/"+ids["cancelled on "+p.String()], nil)
		w.wants(http.MethodPatch, "/posts/"+ids["edited on "+p.String()], map[string]any{"content": "the new text on " + p.String()})
		w.wants(http.MethodPatch, "/posts/"+ids["moved on "+p.String()], map[string]any{"scheduledFor": time.Now().Add(2 * time.Second).Format(time.RFC3339Nano)})
	}
	w.wants(http.MethodDelete, "/accounts/"+left.String(), nil)
	if err := compose.RevokeKey(t.Context(), w.operator(), revoked); err != nil {
		t.Fatal(err)
	}
	w.eventually(time.Minute, "what was moved is out", func() bool { return len(w.simulated()) == len(restoredOn) })
	for _, p := range restoredOn { // which is stored a moment later, with its events
		w.eventually(time.Minute, "what was moved is posted", func() bool {
			status, _ := w.outcome(ids["moved on "+p.String()])
			return status == "posted"
		})
	}
	w.eventually(time.Minute, "ClickHouse has its events", func() bool { return w.count(`select count(*) from outbox where owed & 2 <> 0`) == 0 })
	w.kill()

	before := w.config.Data
	w.config.Data = filepath.Join(openDir(t), "restored")
	restored, err := compose.Restore(t.Context(), w.operator(), file)
	if err != nil {
		t.Fatal(err)
	}
	if want := 4*len(restoredOn) + 1; restored.Held != want || restored.Overdue != 0 || restored.Undone.Keys != 2 || restored.Undone.Accounts != 4 {
		t.Errorf("the restore undid %+v, want %d posts, 2 keys and 4 accounts", restored, want)
	}
	if err := os.Rename(filepath.Join(before, "clickhouse"), filepath.Join(w.config.Data, "clickhouse")); err != nil {
		t.Fatal(err)
	}
	w.start()

	w.keysWaitToBeConfirmed(revoked)
	w.count(`with posts as (update posts set scheduled_for = now() returning id), jobs as (update jobs set due_at = now() where id in (select id from posts)) select count(*) from posts`)
	w.publishNow(accounts[schema.Mastodon], "new after the restore")
	w.eventually(time.Minute, "all that is held was fired and parked", func() bool { return w.count(`select count(*) from jobs where held`) == restored.Held })
	if got := len(w.simulated()); got != len(restoredOn)+1 {
		t.Fatalf("%d posts are on the platforms, want what was there and the new one", got)
	}

	w.eventually(2*time.Minute, "it is known what became of the posts", func() bool {
		held := w.restoreHolds()
		return held.Looks.Done == 3 && !held.EventsUntil.IsZero()
	})
	w.wantKnown(map[string]string{
		"cancelled": "cancelled", "edited": "edited", "moved on mastodon": "edited, published, on the platform",
		"moved on twitter": "edited, published, on the platform", "moved on telegram": "edited, published", "of an account that left": "account disconnected",
	})

	all := compose.HeldSelection{}
	released, err := compose.Release(t.Context(), w.operator(), all, schema.Release{})
	if err != nil || released.Posts != len(restoredOn)+2 || released.Stay[schema.HeldUncertain] != 0 {
		t.Fatalf("released %+v, %v; want what nothing is known of, and what is on its platform", released, err)
	}
	for _, p := range []schema.Platform{schema.Mastodon, schema.Twitter} { // nothing is published for them
		w.eventually(2*time.Minute, "what is on "+p.String()+" is found", func() bool {
			status, _ := w.outcome(ids["moved on "+p.String()])
			return status == "posted"
		})
	}
	w.eventually(time.Minute, "what was released is out", func() bool { return len(w.simulated()) == 2*len(restoredOn)+1 })
	if n, err := compose.CancelHeld(t.Context(), w.operator(), all); err != nil || n != 2*len(restoredOn)+2 {
		t.Errorf("cancelled %d, %v; want what was kept", n, err)
	}
	if held := w.restoreHolds(); held != nil {
		t.Errorf("%+v is held though nothing is left", held.Groups)
	}
	w.publishNow(accounts[schema.Mastodon], "at the end")
	w.wantOnPlatforms(map[string]int{"cancelled": 0, "edited": 0, "the new text": 0, "moved": len(restoredOn), "untouched": len(restoredOn), "of an account": 0})
}

// keysWaitToBeConfirmed shows that no key of the backup does anything until it is confirmed, and revokes
// one once more.
func (w *world) keysWaitToBeConfirmed(revoked string) {
	w.Helper()
	var answer postAnswer
	if status := w.call(http.MethodGet, "/accounts", nil, &answer); status != http.StatusForbidden || answer.Error.Code != "key_unconfirmed" {
		w.Errorf("a key of the backup: %d %+v", status, answer.Error)
	}
	if err := compose.RevokeKey(w.Context(), w.operator(), revoked); err != nil {
		w.Fatal(err)
	}
	if n, err := compose.ConfirmKeys(w.Context(), w.operator(), w.workspace); err != nil || n != 1 {
		w.Fatalf("confirmed %d keys, %v", n, err)
	}
	w.eventually(10*time.Second, "the key works", func() bool { return w.call(http.MethodGet, "/accounts", nil, nil) == http.StatusOK })
}

func (w *world) restoreHolds() *compose.HeldByRestore {
	w.Helper()
	held, err := compose.RestoreHolds(w.Context(), w.operator(), compose.HeldSelection{}, schema.PostID{}, 100, func(int) {})
	if err != nil {
		w.Fatal(err)
	}
	return held
}

// wantKnown compares what is known of held posts, by what their texts begin with.
func (w *world) wantKnown(want map[string]string) {
	w.Helper()
	held := w.restoreHolds()
	if held.EventsUntil.IsZero() {
		w.Error("nothing is known from ClickHouse")
	}
	for _, p := range held.Posts {
		var known []string
		for _, f := range p.Findings {
			if f.Kind != schema.LookCannotTell {
				known = append(known, f.Kind.String())
			}
		}
		if p.Disconnected > 0 {
			known = append(known, "account disconnected")
		}
		text := p.Content.Entries[0].Text
		for prefix, is := range want {
			if strings.HasPrefix(text, prefix) && strings.Join(known, ", ") != is {
				w.Errorf("of %q is known %q, want %q", text, known, is)
			}
		}
	}
}

// wantOnPlatforms counts what is on the platforms, by what texts begin with.
func (w *world) wantOnPlatforms(want map[string]int) {
	w.Helper()
	counts, posts := map[string]int{}, w.simulated()
	for _, post := range posts {
		for prefix := range want {
			if strings.HasPrefix(post.Text, prefix) {
				counts[prefix]++
			}
		}
	}
	for prefix, n := range want {
		if counts[prefix] != n {
			w.Errorf("%d posts %q are on the platforms, want %d: %+v", counts[prefix], prefix, n, posts)
		}
	}
}

func (w *world) createOn(p schema.Platform, account schema.AccountID, text string, due time.Time) (id string) {
	w.Helper()
	var answer postAnswer
	status := w.call(http.MethodPost, "/posts", map[string]any{
		"content": text, "scheduledFor": due.Format(time.RFC3339Nano),
		"platforms": []map[string]any{{"platform": p.String(), "accountId": account.String()}},
	}, &answer)
	if status != http.StatusCreated {
		w.Fatalf("creating %q: %d %+v", text, status, answer.Error)
	}
	return answer.Post.ID
}

// wants makes a request that has to be answered 2xx.
func (w *world) wants(method, path string, body any) {
	w.Helper()
	if status := w.call(method, path, body, nil); status/100 != 2 {
		w.Fatalf("%s %s: %d", method, path, status)
	}
}

// A database that went back, by a disk that was rolled back or a standby that was behind, cannot know it
// by itself: ClickHouse and the log are ahead of it.
func TestADatabaseThatWentBackIsRefusedWithWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	account := w.connect(schema.Mastodon, 1)[0]
	w.createFor(account, "mastodon", "held", time.Now().Add(time.Hour))
	w.eventually(time.Minute, "the events are stored", func() bool { return w.count(`select count(*) from outbox`) == 0 })
	w.stop()
	current, older := filepath.Join(w.config.Data, "postgres"), filepath.Join(openDir(t), "older")
	w.copyFolder(current, older)
	w.start()
	w.publishNow(account, "out after the copy")
	w.eventually(time.Minute, "the events are stored", func() bool { return w.count(`select count(*) from outbox`) == 0 })
	last := time.Now()
	w.stop()
	if err := os.RemoveAll(current); err != nil {
		t.Fatal(err)
	}
	w.copyFolder(older, current)

	serve := func(change func(*compose.Config)) error {
		c := w.operator()
		c.Registerer = prometheus.NewRegistry()
		change(&c)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		return compose.Serve(ctx, c, func(context.Context, *compose.Running) error { cancel(); return nil })
	}
	wantRefused := func(part string) {
		t.Helper()
		err := serve(func(*compose.Config) {})
		if err == nil || !strings.Contains(err.Error(), part+" has events up to") || !strings.Contains(err.Error(), "--restored-to") {
			t.Errorf("Serve = %v, want that %s is ahead", err, part)
		}
	}
	wantRefused("ClickHouse")
	if err := os.RemoveAll(filepath.Join(w.config.Data, "clickhouse")); err != nil {
		t.Fatal(err)
	}
	wantRefused("the log")
	for range 2 { // the second start has the flag still
		if err := serve(func(c *compose.Config) { c.RestoredTo = last.Add(-time.Minute) }); err != nil {
			t.Fatal(err)
		}
	}
	if err := serve(func(*compose.Config) {}); err != nil {
		t.Errorf("Serve = %v, though the database was marked", err)
	}
	if held := w.restoreHolds(); held == nil || len(held.Groups) != 1 || held.Groups[0].Posts != 1 {
		t.Errorf("held = %+v, want the post that was open", held)
	}
}

// copyFolder copies a folder as it is, with its owners.
func (w *world) copyFolder(from, to string) {
	w.Helper()
	if output, err := exec.CommandContext(w.Context(), "cp", "-a", from, to).CombinedOutput(); err != nil {
		w.Fatalf("%v: %s", err, output)
	}
}

// restoredCase is a post that goes out between a backup and its restore.
type restoredCase struct {
	platform schema.Platform
	text     string
	media    []map[string]any
	settings map[string]any
	thread   bool // of two entries
}

func (w *world) restoredCases() (cases []restoredCase) {
	for _, p := range schema.Platforms() {
		cases = append(cases, restoredCase{platform: p, text: "the least on " + p.String(), media: w.smallestMedia(p), settings: smallestSettings()})
	}
	picture := w.smallestMedia(schema.Instagram)
	for _, p := range []schema.Platform{schema.Twitter, schema.Facebook, schema.LinkedIn, schema.Threads, schema.Bluesky, schema.Mastodon} {
		cases = append(cases, restoredCase{platform: p, text: "a picture on " + p.String(), media: picture})
	}
	story := map[string]any{"instagram": map[string]string{"mediaType": "STORIES"}, "facebook": map[string]string{"mediaType": "STORIES"}}
	for _, p := range []schema.Platform{schema.Instagram, schema.Facebook} { // which are in no list of posts
		cases = append(cases, restoredCase{platform: p, text: "a story on " + p.String(), media: picture, settings: story})
	}
	for _, p := range []schema.Platform{schema.Twitter, schema.Bluesky, schema.Mastodon} {
		cases = append(cases, restoredCase{platform: p, text: "a thread on " + p.String(), thread: true})
	}
	// Two of one text, of which nobody can tell which is which.
	return append(cases, restoredCase{platform: schema.Bluesky, text: "the least on bluesky"})
}

// createCase creates the post of a case in an hour, and returns its id.
func (w *world) createCase(c restoredCase, account string) string {
	w.Helper()
	body := map[string]any{
		"content": c.text, "scheduledFor": time.Now().Add(time.Hour).Format(time.RFC3339Nano), "mediaItems": append([]map[string]any{}, c.media...),
		"platforms": []map[string]any{{"platform": c.platform.String(), "accountId": account}},
	}
	if c.settings != nil {
		body["platformSettings"] = c.settings
	}
	path := "/posts"
	if c.thread {
		delete(body, "content")
		delete(body, "mediaItems")
		path, body["posts"] = "/threads", []any{map[string]any{"content": c.text}, map[string]any{"content": "and on"}}
		body["platforms"] = []string{c.platform.String()}
	}
	var answer struct {
		Post   struct{ ID string }
		Thread struct{ PostID string }
		Error  any
	}
	if status := w.call(http.MethodPost, path, body, &answer); status != http.StatusCreated {
		w.Fatalf("creating %q: %d %+v", c.text, status, answer.Error)
	}
	return cmp.Or(answer.Post.ID, answer.Thread.PostID)
}

// What went out between a backup and its restore, on every platform and in each way that a look goes by, is
// found, or nobody can tell: a plain release publishes none of it twice.
func TestNothingThatWentOutAfterTheBackupGoesOutAgain(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, childConfig{OwnSandbox: true})
	w.key = w.createKey(true) // simulators list at once what they have
	accounts, texts := w.sandboxAccounts(), map[string]string{}
	for _, c := range w.restoredCases() {
		texts[w.createCase(c, accounts[c.platform.String()])] = c.text
	}
	file := filepath.Join(t.TempDir(), "crier.backup")
	if _, err := compose.Backup(t.Context(), w.operator(), file); err != nil {
		t.Fatal(err)
	}
	ids := slices.Collect(maps.Keys(texts))
	for _, id := range ids {
		w.wants(http.MethodPatch, "/posts/"+id, map[string]any{"scheduledFor": time.Now().Add(time.Second).Format(time.RFC3339Nano)})
	}
	w.eventually(2*time.Minute, "all is out", func() bool { return w.done(ids) })
	out := w.simulated()
	w.kill()
	w.config.Data = filepath.Join(openDir(t), "restored")
	if _, err := compose.Restore(t.Context(), w.operator(), file); err != nil {
		t.Fatal(err)
	}
	w.start()
	if _, err := compose.ConfirmKeys(t.Context(), w.operator(), ""); err != nil {
		t.Fatal(err)
	}
	w.eventually(2*time.Minute, "the accounts are looked at", func() bool {
		looks := w.restoreHolds().Looks
		return looks.Done+looks.NotListed == looks.Accounts
	})
	var found []string
	for _, p := range w.restoreHolds().Posts {
		switch {
		case p.Found > 0:
			found = append(found, p.Post.ID.String())
		case p.CannotTell == 0 || p.Waiting > 0:
			t.Errorf("of %q is known %+v, want that it is there or that nobody can tell", texts[p.Post.ID.String()], p.Evidence)
		}
	}
	released, err := compose.Release(t.Context(), w.operator(), compose.HeldSelection{}, schema.Release{})
	if err != nil || released.Posts != len(found) || released.Posts+released.Stay[schema.HeldUncertain] != len(ids) {
		t.Errorf("released %+v, %v; want the %d that were found", released, err, len(found))
	}
	w.count(`with p as (update posts set scheduled_for = now() returning id), j as (update jobs set due_at = now() where id in (select id from p)) select count(*) from p`)
	for _, id := range found {
		w.eventually(time.Minute, texts[id]+" is posted", func() bool { status, _ := w.outcome(id); return status == "posted" })
	}
	if again := w.simulated(); len(again) != len(out) {
		t.Errorf("%d posts are on the platforms, %d were: %+v", len(again), len(out), again)
	}
}
