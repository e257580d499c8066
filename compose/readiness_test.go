package compose_test

import (
	"net/http"
	"syscall"
	"testing"
	"time"

	"crier/schema"
)

// TestReadinessBlamesWhatHangs stops a part where it stands, connections open: /readyz says in time
// which it is, and what is read of ClickHouse is refused without a wait after the first read.
func TestReadinessBlamesWhatHangs(t *testing.T) {
	t.Parallel()
	const limit = 5 * time.Second // of what takes less than 2 s; waiting for the part takes 10 s
	w := newWorld(t, nil)
	w.publishNow(w.connect(schema.Mastodon, 1)[0], "before")
	w.eventually(time.Minute, "it is ready", func() bool { return w.readiness() == readyAnswer{true, "ready", "ready", "ready"} })
	w.eventually(time.Minute, "the post is counted", func() bool { return w.counted() == 1 })
	asksWithin := func(want readyAnswer) {
		t.Helper()
		begun := time.Now()
		if got := w.readiness(); got != want || time.Since(begun) > limit {
			t.Errorf("/readyz answers %+v after %v, want %+v", got, time.Since(begun), want)
		}
	}

	t.Cleanup(func() { w.signalCluster(syscall.SIGCONT) })
	w.signalCluster(syscall.SIGSTOP)
	asksWithin(readyAnswer{false, "does not answer", "ready", "ready"})
	w.eventually(time.Minute, "the figures are old", func() bool { return w.figure("crier_overdue_age_seconds") > 10 })
	asksWithin(readyAnswer{false, "does not answer", "ready", "ready"}) // again, while earlier questions may hang
	w.signalCluster(syscall.SIGCONT)
	w.eventually(time.Minute, "the figures are of now", func() bool { return w.figure("crier_overdue_age_seconds") < 5 })
	w.eventually(time.Minute, "it is ready again", func() bool { return w.readiness().Ready })

	engine := w.clickHouseEngine()
	t.Cleanup(func() { _ = syscall.Kill(engine, syscall.SIGCONT) })
	if err := syscall.Kill(engine, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	asksWithin(readyAnswer{true, "ready", "does not answer", "ready"})
	if status := w.call(http.MethodGet, "/analytics/posts", nil, nil); status != http.StatusServiceUnavailable {
		t.Errorf("a read of ClickHouse that hangs is answered %d", status)
	}
	for range 5 {
		begun := time.Now()
		if status := w.call(http.MethodGet, "/analytics/posts", nil, nil); status != http.StatusServiceUnavailable || time.Since(begun) > limit {
			t.Errorf("a read that follows is answered %d after %v", status, time.Since(begun))
		}
	}
	if err := syscall.Kill(engine, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	w.eventually(time.Minute, "reads are answered again", func() bool { return w.counted() == 1 })
}
