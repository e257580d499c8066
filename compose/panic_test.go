package compose_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/connectors"
	"crier/pipeline"
	"crier/schema"
	"crier/schema/sleep/sleeptest"
)

// What a text may ask for.
const (
	panicsBefore = "panics before the call"
	panicsAfter  = "panics after the call"
	panicsAtLook = "panics at the look"
)

// panicking gives connectors the faults of ours that a text asks for.
func panicking(platforms pipeline.Platforms) pipeline.Platforms { return faulty{platforms} }

type faulty struct{ pipeline.Platforms }

func (f faulty) Connector(a schema.Account) (connectors.Connector, error) {
	c, err := f.Platforms.Connector(a)
	return faultyConnector{c}, err
}

type faultyConnector struct{ connectors.Connector }

func (c faultyConnector) Publish(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	panicWhere(d.Text, panicsBefore)
	receipt, err := c.Connector.Publish(ctx, d)
	panicWhere(d.Text, panicsAfter)
	return receipt, err
}

func (c faultyConnector) Comment(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	receipt, err := c.Connector.Comment(ctx, d)
	panicWhere(d.Comment.Text, panicsAfter)
	return receipt, err
}

func (c faultyConnector) Find(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	panicWhere(d.Text, panicsAtLook)
	return c.Connector.Find(ctx, d)
}

func panicWhere(text, trigger string) {
	if strings.Contains(text, trigger) {
		panic("asked for by the text")
	}
}

// TestAPanicInAConnectorEndsItsPostAlone has connectors panic around their visible call:
// what became of it is looked for, and never repeated blindly.
func TestAPanicInAConnectorEndsItsPostAlone(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, childConfig{Panics: true})
	cases := []struct {
		text    string
		on      schema.Platform
		comment string
		ends    string // status and code
		there   int    // posts with the text, and comments
	}{
		{panicsAfter, schema.Mastodon, "", "posted ", 1},
		{panicsAfter, schema.Telegram, "", "failed outcome_unknown", 1},
		{panicsAfter + ", " + panicsAtLook, schema.Mastodon, "", "failed outcome_unknown", 1},
		{panicsBefore, schema.Mastodon, "", "failed platform_unavailable", 0},
		{panicsBefore, schema.Telegram, "", "failed outcome_unknown", 0},
		{"with a comment", schema.Mastodon, "which " + panicsAfter, "posted ", 2},
	}
	ids := make([]string, len(cases))
	for i, c := range cases {
		var answer postAnswer
		body := map[string]any{
			"content": c.text, "publishNow": true,
			"platforms": []map[string]any{{"platform": c.on.String(), "accountId": w.connect(c.on, i+1)[i].String()}},
		}
		if c.comment != "" {
			body["firstComment"] = c.comment
		}
		if status := w.call(http.MethodPost, "/posts", body, &answer); status != http.StatusCreated {
			t.Fatalf("creating %q: %d", c.text, status)
		}
		ids[i] = answer.Post.ID
	}
	other := w.connect(schema.Mastodon, len(cases)+1)[len(cases)]
	for n := 0; n == 0 || !w.done(ids); n++ {
		if n == 40 {
			t.Fatal("some have no end")
		}
		ran := sleeptest.Stopwatch(t)
		w.publishNow(other, fmt.Sprintf("another post %d", n))
		if took := ran(); took > 10*time.Second {
			t.Errorf("another post took %v", took)
		}
		time.Sleep(5 * time.Second)
	}
	for i, c := range cases {
		var answer postAnswer
		w.call(http.MethodGet, "/posts/"+ids[i], nil, &answer)
		if got := answer.Post.Platforms[0].Status + " " + answer.Post.Platforms[0].Error.Code; got != c.ends {
			t.Errorf("%q on %s ended as %s, want %s", c.text, c.on, got, c.ends)
		}
		w.eventually(60*time.Second, fmt.Sprintf("%q is on %s %d times", c.text, c.on, c.there), func() bool { return w.thereOf(c.on, c.text, c.comment) == c.there })
	}
	if !w.alive() {
		t.Error("crier died of it")
	}
	time.Sleep(schema.SettleTime)
	for _, c := range cases {
		if n := w.thereOf(c.on, c.text, c.comment); n != c.there {
			t.Errorf("%q is on %s %d times in the end", c.text, c.on, n)
		}
	}
}

// thereOf counts what a platform has with one of some texts.
func (w *world) thereOf(p schema.Platform, texts ...string) (n int) {
	w.Helper()
	for _, there := range w.simulated() {
		for _, text := range texts {
			if text != "" && there.Platform == p.String() && there.Text == text {
				n++
			}
		}
	}
	return n
}
