package gateway_test

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
	"crier/schema"
)

// BenchmarkCreate makes posts of three targets through the handler, without a network:
// parsing, validation and the answer (in memory), and the commit too (stored).
func BenchmarkCreate(b *testing.B) {
	for name, change := range map[string]func(*gateway.Config){
		"stored":    func(*gateway.Config) {},
		"in memory": func(c *gateway.Config) { c.PostWriter = discard{c.PostWriter} },
	} {
		b.Run(name, func(b *testing.B) {
			a := newAPI(b, change)
			var platforms []string
			for i := range 3 {
				id := a.connect(a.workspace, schema.Mastodon, fmt.Sprint("@", i))
				platforms = append(platforms, fmt.Sprintf(`{"platform": "mastodon", "accountId": %q}`, id))
			}
			body := fmt.Sprintf(`{"content": "Hello, world. This is a post of a common length.", "platforms": [%s], "scheduledFor": %q}`,
				strings.Join(platforms, ", "), a.in(72*time.Hour))
			handler := a.engine.Handler()
			var n atomic.Int64
			b.SetParallelism(128)
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					request := httptest.NewRequest(http.MethodPost, "/api/v1/posts", strings.NewReader(body))
					request.Header.Set("Authorization", "Bearer "+a.key)
					request.Header.Set("Idempotency-Key", fmt.Sprint("key-", n.Add(1)))
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

// discard leaves out the commit, to see the cost of all else.
type discard struct{ gateway.PostWriter }

func (discard) Create(_ context.Context, creation schema.Creation) (schema.Created, error) {
	return schema.Created{Response: creation.Response}, nil
}
