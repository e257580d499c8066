package admission

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"crier/gateway/answer"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
)

func TestTooManyRequestsAtATimeAreRefused(t *testing.T) {
	f := answer.Failures{Logger: slog.New(slog.DiscardHandler), About: About}
	registry := prometheus.NewRegistry()
	standing := func(*gin.Context) Quota { return Quota{Limit: 60, used: 20} }
	b := newBound(f, 1, standing, registry)
	ids, err := newRequestIDs(bytes.NewReader(make([]byte, 6)))
	if err != nil {
		t.Fatal(err)
	}
	o := newObserver(f, nil, ids, nil, registry)
	entered, leave := make(chan struct{}), make(chan struct{})
	engine := gin.New()
	engine.Use(o.observe, b.enter)
	engine.GET("/slow", func(c *gin.Context) {
		entered <- struct{}{}
		<-leave
		c.Status(http.StatusOK)
	})
	call := func() *httptest.ResponseRecorder {
		answer := httptest.NewRecorder()
		engine.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/slow", nil))
		return answer
	}
	first := make(chan *httptest.ResponseRecorder)
	go func() { first <- call() }()
	<-entered
	refused := call()
	if refused.Code != http.StatusServiceUnavailable || refused.Header().Get("Retry-After") != "1" {
		t.Errorf("the second request is answered %d, Retry-After %q", refused.Code, refused.Header().Get("Retry-After"))
	}
	if limit, left := refused.Header().Get("X-RateLimit-Limit"), refused.Header().Get("X-RateLimit-Remaining"); limit != "60" || left != "40" {
		t.Errorf("the refusal shows a limit of %q and %q left, want 60 and 40", limit, left)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if n := family.GetMetric()[0].GetCounter().GetValue(); family.GetName() == "crier_http_refused_total" && n != 1 {
			t.Errorf("%v requests are counted as refused", n)
		}
	}
	leave <- struct{}{}
	if answer := <-first; answer.Code != http.StatusOK {
		t.Errorf("the first request is answered %d", answer.Code)
	}
	go func() { first <- call() }()
	<-entered
	leave <- struct{}{}
	if answer := <-first; answer.Code != http.StatusOK {
		t.Errorf("a request after the first is answered %d: its place was not given back", answer.Code)
	}
}
