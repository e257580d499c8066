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
	lookups := map[string]int{}
	a := gatewaytest.New(t, func(c *gateway.Config) {
		c.Addresses.Check = func(ctx context.Context, address string) error {
			mu.Lock()
			lookups[address]++
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
	created := a.Request(http.MethodPost, "/posts/bulk", `{"posts": [`+strings.Join(entries, ",")+`]}`).Want(http.StatusCreated)
	if got := created.At("summary", "succeeded").Value; got != 25.0 {
		t.Errorf("%v posts were made: %v", got, created.At("results", 0, "error"))
	}
	mu.Lock()
	defer mu.Unlock()
	for host, n := range lookups {
		if n != 1 {
			t.Errorf("%s was looked up %d times", host, n)
		}
	}
}
