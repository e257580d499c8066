package posts_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"crier/gateway"
	"crier/gateway/gatewaytest"
	"crier/schema"
)

// A bulk whose names nobody resolves has to be made within the time of a request.
func TestSlowNamesDoNotUseUpTheTimeOfABulk(t *testing.T) {
	var mu sync.Mutex
	asked := map[string]int{}
	a := gatewaytest.New(t, func(c *gateway.Config) {
		c.Addresses.Check = func(ctx context.Context, address string) error {
			mu.Lock()
			asked[address]++
			mu.Unlock()
			<-ctx.Done()
			return ctx.Err()
		}
	})
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	entries := make([]string, 25)
	for i := range entries {
		entries[i] = fmt.Sprintf(`{"content": "%d", "platforms": ["mastodon"], "publishNow": true, "mediaItems": [
			{"type": "image", "url": "https://one.example/%[1]d.png"}, {"type": "image", "url": "https://host%[1]d.example/a.png"}]}`, i)
	}
	made := a.Request(http.MethodPost, "/posts/bulk", `{"posts": [`+strings.Join(entries, ",")+`]}`).Want(http.StatusCreated)
	if got := made.At("summary", "succeeded").Value; got != 25.0 {
		t.Errorf("%v posts were made: %v", got, made.At("results", 0, "error"))
	}
	mu.Lock()
	defer mu.Unlock()
	for host, n := range asked {
		if n != 1 {
			t.Errorf("%s was looked up %d times", host, n)
		}
	}
}
