package compose_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"crier/schema"
)

// visibleCalls are the operations that make a post visible.
var visibleCalls = map[schema.Platform]string{
	schema.Mastodon: "POST /api/v1/statuses", schema.Bluesky: "com.atproto.repo.putRecord", schema.Telegram: "sendMessage",
}

func TestALostAnswerIsLookedForNotRepeated(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ids := map[schema.Platform]string{}
	began := time.Now()
	for _, p := range platformsInTests {
		account := w.connect(p, 1)[0]
		w.inject(map[string]any{"platform": p.String(), "operation": visibleCalls[p], "lose": true})
		var answer postAnswer
		w.call(http.MethodPost, "/posts", map[string]any{
			"content": "lost on " + p.String(), "publishNow": true,
			"platforms": []map[string]any{{"platform": p.String(), "accountId": account.String()}},
		}, &answer)
		ids[p] = answer.Post.ID
	}
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
	if there := w.simulated(); len(there) != len(platformsInTests) {
		t.Errorf("%d posts are there, want one on each platform: %+v", len(there), there)
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
