package posts_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"crier/gateway"
	"crier/gateway/gatewaytest"
	"crier/gateway/posts"
	"crier/schema"
)

// A benchmark's workspace has so many accounts of a platform and plans for so many days:
// room for 50 posts on each of them, which is what an account takes.
const (
	benchmarkAccounts = 100
	benchmarkDays     = 60
)

// BenchmarkCreate makes posts for three of a workspace's many accounts through the
// handler, without a network: parsing, validation and the answer (in memory), and the
// commit too (stored).
func BenchmarkCreate(b *testing.B) {
	for name, change := range map[string]func(*gateway.Config){
		"stored":    func(*gateway.Config) {},
		"in memory": func(c *gateway.Config) { c.Stores.Posts = discard{c.Stores.Posts} },
	} {
		b.Run(name, func(b *testing.B) {
			a := gatewaytest.New(b, change)
			bodies := creations(a)
			handler := a.Gateway.Handler()
			var n atomic.Int64
			b.SetParallelism(128)
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					i := n.Add(1)
					body := bodies[i%int64(len(bodies))]
					request := httptest.NewRequest(http.MethodPost, "/api/v1/posts", strings.NewReader(body))
					request.Header.Set("Authorization", "Bearer "+a.Key)
					request.Header.Set("Idempotency-Key", fmt.Sprint("key-", i))
					answer := httptest.NewRecorder()
					handler.ServeHTTP(answer, request)
					if answer.Code != http.StatusCreated {
						b.Errorf("%d %s", answer.Code, answer.Body)
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "posts/s")
		})
	}
}

// creations connects the accounts of a benchmark and returns a request for each three of
// them on each day.
func creations(a *gatewaytest.API) []string {
	bodies := make([]string, 0, benchmarkAccounts*benchmarkDays)
	for i := range benchmarkAccounts {
		var targets []string
		for _, p := range []schema.Platform{schema.Mastodon, schema.Bluesky, schema.Telegram} {
			id := a.AddAccount(a.Workspace, p, fmt.Sprint("@", i))
			targets = append(targets, fmt.Sprintf(`{"platform": %q, "accountId": %q}`, p, id))
		}
		for day := range benchmarkDays {
			bodies = append(bodies, fmt.Sprintf(`{"content": "Post %d announces something, with a link https://example.com/news and #two #tags", "platforms": [%s], "scheduledFor": %q}`,
				i, strings.Join(targets, ", "), a.In(time.Duration(2+day)*24*time.Hour)))
		}
	}
	return bodies
}

// discard leaves out the commit, to see the cost of all else.
type discard struct{ posts.Store }

func (discard) Create(_ context.Context, creation schema.Creation) (schema.Created, error) {
	return schema.Created{Response: creation.Response}, nil
}
