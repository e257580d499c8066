package compose_test

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"crier/compose"
	"crier/compose/embedded"
)

// serve runs a crier beside the test until the test ends; it returns once it is ready.
func serve(t *testing.T, c compose.Config) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- compose.Serve(ctx, c, func(context.Context, *compose.Running) error { close(ready); return nil })
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	select {
	case <-ready:
	case err := <-ended:
		ended <- err
		t.Fatal(err)
	}
}

func TestTheSandboxIsReachedFromAnotherProcess(t *testing.T) {
	t.Parallel()
	front := startConfig(t)
	sandbox := freeAddress(t)
	front.Roles, front.SandboxURL = []string{"gateway"}, "http://"+sandbox
	serve(t, front)
	key, err := compose.CreateKey(t.Context(), front, "acme", "", true)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := embedded.Neighbour(front.Data)
	if err != nil {
		t.Fatal(err)
	}
	beside := func(roles ...string) compose.Config {
		c := startConfig(t)
		c.Roles, c.SandboxURL = roles, front.SandboxURL
		c.Postgres, c.Kafka, c.ClickHouse = parts.Postgres, []string{parts.Log}, parts.ClickHouse
		c.Keyset = filepath.Join(front.Data, "keyset.json")
		return c
	}
	alone := beside("sandbox") // the one role that no stage is of
	alone.SandboxListen = sandbox
	serve(t, alone)
	serve(t, beside("delay", "publish", "comment", "notify", "analytics"))

	call := func(method, path, body string) string {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, "http://"+front.Listen+"/api/v1/posts"+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+key)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		answer, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(answer)
	}
	call(http.MethodPost, "", `{"content": "Hello", "platforms": ["mastodon"], "publishNow": true}`)
	for deadline := time.Now().Add(3 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		answer := call(http.MethodGet, "", "")
		if strings.Contains(answer, `"status":"posted"`) {
			return
		}
		if strings.Contains(answer, `"status":"failed"`) || time.Now().After(deadline) {
			t.Fatalf("the post was not published: %s", answer)
		}
	}
}
