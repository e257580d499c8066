package compose_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"crier/schema"
)

// TestAnEmbeddedPartThatDiesAgainAndAgainComesBack kills a part five times, each time as
// soon as it was started again, ready or not.
func TestAnEmbeddedPartThatDiesAgainAndAgainComesBack(t *testing.T) {
	t.Parallel()
	for name, part := range map[string]struct {
		pid     func(*world) int // 0: there is none
		missing func(readyAnswer) bool
		ready   bool // whether the process stays so without it
	}{
		"PostgreSQL": {(*world).postmaster, func(a readyAnswer) bool { return a.Postgres == "does not answer" }, false},
		"ClickHouse": {(*world).clickHouseEngine, func(a readyAnswer) bool { return a.ClickHouse == "does not answer" }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			account := w.connect(schema.Mastodon, 1)[0]
			w.publishNow(account, "before")
			readiness := w.watchReadiness()
			for range 5 {
				killed := part.pid(w)
				if err := syscall.Kill(killed, syscall.SIGKILL); err != nil {
					t.Fatalf("killing process %d: %v", killed, err)
				}
				w.eventually(time.Minute, "it is started again", func() bool { pid := part.pid(w); return pid != 0 && pid != killed })
			}
			w.publishNow(account, "after")
			w.eventually(time.Minute, "both posts are counted", func() bool { return w.counted() == 2 })
			w.checkNoStrays()
			isMissing := false
			for _, a := range readiness() {
				isMissing = isMissing || part.missing(a)
				if part.missing(a) && a.Ready != part.ready {
					t.Errorf("ready = %t without it", a.Ready)
				}
			}
			if !isMissing {
				t.Error("/readyz never told that it was missing")
			}
			w.eventually(time.Minute, "/readyz misses nothing", func() bool { a := w.readiness(); return a.Ready && !part.missing(a) })
		})
	}
}

// readyAnswer is what /readyz answers.
type readyAnswer struct {
	Ready                      bool
	Postgres, ClickHouse, Disk string
}

func (w *world) readiness() (answer readyAnswer) {
	response, err := w.client.Get("http://" + w.config.Admin + "/readyz")
	if err != nil {
		return answer
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		w.Errorf("/readyz: %v", err)
	}
	return answer
}

// watchReadiness asks /readyz again and again, until the function it returns is called,
// which tells the answers.
func (w *world) watchReadiness() (end func() []readyAnswer) {
	var answers []readyAnswer
	var asking sync.WaitGroup
	stop := make(chan struct{})
	asking.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
				answers = append(answers, w.readiness())
			}
		}
	})
	end = sync.OnceValue(func() []readyAnswer { close(stop); asking.Wait(); return answers })
	w.Cleanup(func() { end() })
	return end
}

// clickHouseEngine is the child of crier that has ClickHouse's library in memory.
func (w *world) clickHouseEngine() int {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it is gone
		}
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) < 2 || fields[1] != strconv.Itoa(w.crier.Process.Pid) {
			continue
		}
		maps, err := os.ReadFile(filepath.Join(filepath.Dir(path), "maps"))
		if err == nil && strings.Contains(string(maps), "libchdb") {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			return pid
		}
	}
	return 0
}
