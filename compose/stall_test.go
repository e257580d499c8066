package compose_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"crier/schema"
)

// TestPostgresStallsUnderLoad stops PostgreSQL where it stands, connections open: what a
// disk that hangs or a frozen machine looks like from here.
func TestPostgresStallsUnderLoad(t *testing.T) {
	const (
		perSecond = 200
		before    = 2 * perSecond
		after     = 3 * perSecond
		room      = 200 << 20 // what the stall may cost in memory, in bytes
		patience  = 10 * time.Second
	)
	lasts := bySize(8, 30) // seconds; connections that are silent for 35 s would be given up
	w := newWorld(t, nil)
	account := w.connect(schema.Mastodon, 1)[0].String()
	t.Cleanup(func() { w.signalCluster(syscall.SIGCONT) })
	w.client.Transport = &http.Transport{MaxIdleConnsPerHost: perSecond}

	var asking sync.WaitGroup
	var quiet, maximum int
	load := w.createEvenly(account, perSecond, before+lasts*perSecond+after, func(sent int) {
		switch {
		case sent == before:
			quiet = w.residentBytes()
			w.signalCluster(syscall.SIGSTOP)
		case sent == before+lasts*perSecond:
			maximum = w.residentBytes()
			w.signalCluster(syscall.SIGCONT)
		case sent > before+2*perSecond && sent < before+lasts*perSecond && sent%perSecond == 0: // no key is remembered any more
			asking.Go(func() { w.checkRefusedSoon(patience) })
		}
	})
	asking.Wait()
	back := time.Now()
	w.publishNow(w.connect(schema.Mastodon, 2)[1], "after the stall")
	created, refused, lost, gap := w.tally(load)
	w.Logf("%d created, %d refused with 503, %d connections lost over a stall of %d s; %v without a 201; memory %d MiB, %d MiB at its end; a new post flowed after %v",
		created, refused, lost, lasts, gap.Round(time.Millisecond), quiet>>20, maximum>>20, time.Since(back).Round(time.Millisecond))
	if maximum > quiet+room {
		w.Errorf("memory grew from %d to %d MiB", quiet>>20, maximum>>20)
	}
	if created < (before+after)/2 {
		w.Errorf("only %d requests succeeded", created)
	}
	w.checkAcknowledged(load)
	w.checkSentAgain(account, load)
}

// checkRefusedSoon sends a request during a stall: it is answered 503, with the time to
// come again, or 200 where the stall has ended meanwhile.
func (w *world) checkRefusedSoon(patience time.Duration) {
	w.Helper()
	request, err := http.NewRequest(http.MethodGet, "http://"+w.config.Listen+"/api/v1/accounts", nil)
	if err != nil {
		w.Error(err)
		return
	}
	request.Header.Set("Authorization", "Bearer "+w.key)
	begun := time.Now()
	response, err := w.client.Do(request)
	if err != nil {
		w.Errorf("no answer during the stall: %v", err)
		return
	}
	response.Body.Close()
	took := time.Since(begun)
	refused := response.StatusCode == http.StatusServiceUnavailable && response.Header.Get("Retry-After") != ""
	if (!refused && response.StatusCode != http.StatusOK) || took > patience {
		w.Errorf("answered %s, Retry-After %q, after %v", response.Status, response.Header.Get("Retry-After"), took)
	}
}

// signalCluster signals every process of the embedded PostgreSQL.
func (w *world) signalCluster(signal syscall.Signal) {
	w.Helper()
	pids := processesIn(w.cluster())
	if len(pids) == 0 {
		w.Error("PostgreSQL has no process")
	}
	for _, pid := range pids {
		_ = syscall.Kill(pid, signal) // it may be gone
	}
}

// residentBytes is the memory of crier's process.
func (w *world) residentBytes() int {
	w.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.crier.Process.Pid))
	if err != nil {
		w.Error(err)
		return 0
	}
	for line := range bytes.Lines(status) {
		if value, ok := bytes.CutPrefix(line, []byte("VmRSS:")); ok {
			kilobytes, err := strconv.Atoi(string(bytes.Fields(value)[0]))
			if err != nil {
				w.Error(err)
			}
			return kilobytes << 10
		}
	}
	w.Error("the process has no VmRSS")
	return 0
}
