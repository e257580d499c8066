package clickhouse_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/clickhouse"
)

// hanging is a server that takes requests and answers only those that do not hang.
type hanging struct {
	forward  http.Handler
	hangs    atomic.Pointer[func(query string) bool]
	requests atomic.Int32
}

func (h *hanging) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.requests.Add(1)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	if hangs := h.hangs.Load(); hangs != nil && (*hangs)(string(body)) {
		<-r.Context().Done()
		return
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	h.forward.ServeHTTP(w, r)
}

func (h *hanging) hang(these func(query string) bool) { h.hangs.Store(&these) }

func openHanging(t *testing.T) (*clickhouse.Analytics, *hanging) {
	t.Helper()
	target, err := url.Parse(migrated(t))
	if err != nil {
		t.Fatal(err)
	}
	h := &hanging{forward: httputil.NewSingleHostReverseProxy(&url.URL{Scheme: target.Scheme, Host: target.Host})}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	target.Host = strings.TrimPrefix(server.URL, "http://")
	return openURL(t, target.String()).Analytics(), h
}

// count reads something within a time.
func count(t *testing.T, a *clickhouse.Analytics, within time.Duration) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	_, err := a.PostCounts(ctx, schema.NewID[schema.WorkspaceID](noon), schema.AnalyticsFilter{From: noon, To: noon})
	return err
}

func TestReadsAreRefusedAtOnceWhileClickHouseHangs(t *testing.T) {
	analytics, server := openHanging(t)
	if err := count(t, analytics, time.Minute); err != nil {
		t.Fatal(err)
	}
	server.hang(func(string) bool { return true })
	if err := count(t, analytics, 100*time.Millisecond); schema.KindOf(err) != schema.Unavailable {
		t.Errorf("the first read of a server that hangs fails with %v", err)
	}
	before := server.requests.Load()
	for range 100 {
		if err := count(t, analytics, time.Minute); schema.KindOf(err) != schema.Unavailable {
			t.Fatalf("a read after it fails with %v", err)
		}
	}
	if requests := server.requests.Load() - before; requests > 2 { // a probe every few seconds
		t.Errorf("the server was asked %d times for 100 reads that follow", requests)
	}
	server.hang(func(string) bool { return false })
	for end := time.Now().Add(time.Minute); count(t, analytics, time.Minute) != nil; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("reads are refused, though the server answers again")
		}
	}
}

func TestASlowReadStopsNoOther(t *testing.T) {
	analytics, server := openHanging(t)
	server.hang(func(query string) bool { return strings.Contains(query, "outcomes") })
	if err := count(t, analytics, 100*time.Millisecond); err == nil {
		t.Fatal("the read is not slow")
	}
	if _, _, err := analytics.Position(t.Context(), schema.NewID[schema.WorkspaceID](noon), schema.EventID{1}); err != nil {
		t.Errorf("another read fails with %v", err)
	}
}
