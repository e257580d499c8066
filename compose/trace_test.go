package compose_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"crier/compose"
)

func TestOneTraceFollowsAPostToItsWebhook(t *testing.T) {
	t.Parallel()
	const (
		id     = "0af7651916cd43dd8448eb211c80319c"
		parent = "00-" + id + "-b7ad6b7169203331-01"
		text   = "a post with a t0k3n"
	)
	exporter := &keptSpans{}
	c := startConfig(t)
	c.Traces, c.AllowPrivateWebhooks = exporter, true
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	var key string
	err := compose.Serve(ctx, c, func(context.Context, *compose.Running) error {
		defer stop()
		w := &world{T: t, workspace: "acme", client: &http.Client{Timeout: 20 * time.Second}}
		w.config = childConfig{Listen: c.Listen, Admin: c.AdminListen, Data: c.Data}
		w.key = w.createKey(true)
		key = w.key
		hook := w.receive("post.published")
		request, err := http.NewRequest(http.MethodPost, "http://"+c.Listen+"/api/v1/posts",
			strings.NewReader(`{"content": "`+text+`", "platforms": ["mastodon"], "publishNow": true}`))
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+w.key)
		request.Header.Set("traceparent", parent)
		response, err := w.client.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		var answer postAnswer
		if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || response.StatusCode != http.StatusCreated {
			t.Errorf("creating: %s, %v", response.Status, err)
			return nil
		}
		w.eventually(time.Minute, "the webhook is told", func() bool { return hook.has(answer.Post.ID, "post.published") != "" })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]int{}
	for _, span := range exporter.spans {
		if span.SpanContext.TraceID().String() == id {
			names[span.Name]++
		}
		for _, a := range span.Attributes {
			if value := a.Value.String(); strings.Contains(value, text) || strings.Contains(value, key) {
				t.Errorf("span %s shows %s = %s", span.Name, a.Key, value)
			}
		}
	}
	for _, want := range []string{"POST /api/v1/posts", "create", "publish", "call", "finish", "notify", "deliver"} {
		if names[want] == 0 {
			t.Errorf("the trace has no span %q, but %v", want, names)
		}
	}
}

// keptSpans is an exporter that keeps what it got when it was shut down.
type keptSpans struct {
	tracetest.InMemoryExporter
	spans tracetest.SpanStubs
}

// Shutdown implements trace.SpanExporter.
func (k *keptSpans) Shutdown(ctx context.Context) error {
	k.spans = k.GetSpans()
	return k.InMemoryExporter.Shutdown(ctx)
}
