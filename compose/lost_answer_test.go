package compose_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/compose/embedded"
	"crier/schema"
)

// visibleCalls are the operations that make a post visible.
var visibleCalls = map[schema.Platform]string{
	schema.Mastodon: "POST /api/v1/statuses", schema.Bluesky: "com.atproto.repo.putRecord", schema.Telegram: "sendMessage",
	schema.Instagram: "POST /{user}/media_publish", schema.Threads: "POST /{user}/threads_publish",
	schema.Pinterest: "POST /v5/pins",
	schema.TikTok:    "PUT /video/{$}",
}

func TestALostAnswerIsLookedForNotRepeated(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ids := map[schema.Platform]string{}
	began := time.Now()
	for p, call := range visibleCalls {
		account := w.connect(p, 1)[0]
		w.inject(map[string]any{"platform": p.String(), "operation": call, "lose": true})
		var answer postAnswer
		w.call(http.MethodPost, "/posts", map[string]any{
			"content": "lost on " + p.String(), "publishNow": true, "mediaItems": w.smallestMedia(p), "platformSettings": smallestSettings(),
			"platforms": []map[string]any{{"platform": p.String(), "accountId": account.String()}},
		}, &answer)
		ids[p] = answer.Post.ID
	}
	w.lookAtAnothers(schema.Mastodon, ids[schema.Mastodon])
	for p, id := range ids {
		w.eventually(60*time.Second, p.String()+" is done", func() bool { return w.done([]string{id}) })
		var answer postAnswer
		w.call(http.MethodGet, "/posts/"+id, nil, &answer)
		target := answer.Post.Platforms[0]
		got, want := target.Status+" "+target.Error.Code, "posted "
		if took := time.Since(began); took < schema.SettleTime {
			t.Errorf("%s was done after %v: no answer was lost", p, took)
		}
		if p == schema.Telegram {
			want = "failed outcome_unknown"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", p, got, want)
		}
	}
	w.checkNoStrays()
	if there := w.simulated(); len(there) != len(visibleCalls) {
		t.Errorf("%d posts are there, want one on each platform: %+v", len(there), there)
	}
}

// lookAtAnothers has the first look for a post find what another is said to have made,
// which nobody knew before the look.
func (w *world) lookAtAnothers(p schema.Platform, id string) {
	w.Helper()
	var there []simulated
	w.eventually(time.Minute, "the post is there", func() bool {
		there = slices.DeleteFunc(w.simulated(), func(s simulated) bool { return s.Platform != p.String() })
		return len(there) == 1
	})
	running, err := embedded.Neighbour(w.config.Data)
	if err != nil {
		w.Fatal(err)
	}
	conn, err := pgx.Connect(w.Context(), running.Postgres)
	if err != nil {
		w.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(w.Context()))
	_, err = conn.Exec(w.Context(), `
		insert into receipts (profile, native_id, owner, n, entry, seen_at)
		select substr(sha256(convert_to(platform || ' ' || server || ' ' || native_id, 'UTF8')), 1, 16), $1, id, 0, 0, now() - interval '1 day'
		from accounts where platform = $2`, there[0].ID, int16(p))
	if err != nil {
		w.Fatal(err)
	}
	w.eventually(time.Minute, "a look has found another's", func() bool {
		var got timeline
		w.call(http.MethodGet, "/posts/"+id+"/attempts", nil, &got)
		return slices.Contains(got.events(p.String()), "not_found")
	})
	if _, err := conn.Exec(w.Context(), `delete from receipts where native_id = $1`, there[0].ID); err != nil {
		w.Fatal(err)
	}
}

// inject forces a fault on the simulators.
func (w *world) inject(fault map[string]any) {
	w.Helper()
	document, err := json.Marshal(fault)
	if err != nil {
		w.Fatal(err)
	}
	response, err := w.client.Post(w.simulators+"/_control/faults", "application/json", bytes.NewReader(document))
	if err != nil {
		w.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusNoContent {
		w.Fatalf("injecting %s: %s", document, response.Status)
	}
}
