package compose_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	blueskysim "crier/connectors/simulators/bluesky"
	"crier/listening/listeningtest"
	"crier/schema"
)

// What is listened to, and what happens meanwhile.
var (
	streamRate     = bySize(100, 5000) // events a second
	streamMonitors = bySize(60, 5000)
	streamWords    = bySize(300, 60_000)
	streamCuts     = bySize(3, 20)
	streamKills    = bySize(1, 5)
	streamQuiet    = bySize(time.Second, 20*time.Second) // before the first cut, in which the lag is held
	betweenCuts    = bySize(500*time.Millisecond, 2*time.Second)
	maxLag         = 2 * time.Second
	maxLagInCrowds = 10 * time.Second // beside other tests
	lagSampled     = 100 * time.Millisecond
)

// hosts are two of a stream that meet events at different times. A connection breaks where it is
// told to; every fifth time the host is away for one more call, so that the other one goes on.
type hosts struct {
	stream *blueskysim.Stream
	urls   []string
	cut    atomic.Bool
	away   atomic.Int64
	cuts   int
}

func newHosts(t *testing.T, words []string) *hosts {
	h := &hosts{}
	config := blueskysim.StreamConfig{Rate: streamRate, Seed: 42, Words: words, Now: time.Now, Cut: func() bool { return h.cut.CompareAndSwap(true, false) }}
	h.stream = blueskysim.NewStream(config)
	config.Skew = 300 * time.Millisecond
	for _, stream := range []http.Handler{h.stream, blueskysim.NewStream(config)} {
		server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if h.away.Add(-1) == 0 {
				http.Error(rw, "away", http.StatusBadGateway)
				return
			}
			stream.ServeHTTP(rw, r)
		}))
		t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
		h.urls = append(h.urls, server.URL)
	}
	return h
}

func (h *hosts) breakConnection() {
	if h.cuts++; h.cuts%5 == 0 {
		h.away.Store(1)
	}
	h.cut.Store(true)
}

// TestListeningMissesNothing reads a stream whose connections break, by a crier that is killed:
// every monitor has found what a plain matcher says, and nothing else.
func TestListeningMissesNothing(t *testing.T) {
	besideOthers(t)
	words := listeningtest.Words(streamWords)
	h := newHosts(t, words)
	w := newWorldWith(t, childConfig{Raced: true, Kafka: testKafka(t), Jetstream: h.urls, OneCore: full()})
	monitors := w.listenFor(listeningtest.Monitors(streamMonitors, words, 5))
	w.eventually(time.Minute, "all monitors are read", func() bool {
		return w.figure(`crier_listening_monitors{state="read",stream="bluesky"}`) == float64(len(monitors))
	})

	w.caughtUp()
	begin := time.Now().Add(time.Second).Truncate(time.Second)
	var lags []time.Duration
	watch := func(d time.Duration) {
		for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(lagSampled) {
			lags = append(lags, time.Duration(w.figure(`crier_listening_lag_seconds{stream="bluesky"}`)*float64(time.Second)))
		}
	}
	watch(streamQuiet)
	report(t, "quiet", lags)
	if maximum := slices.Max(lags); maximum > bySize(maxLagInCrowds, maxLag) {
		t.Errorf("lag = %v", maximum)
	}
	lags = nil
	random := rand.New(rand.NewPCG(seedOfTest(t), 1))
	for range streamCuts {
		h.breakConnection()
		watch(betweenCuts/2 + time.Duration(random.Int64N(int64(betweenCuts))))
	}
	late, streak := 0, 0 // samples in a row
	for _, lag := range lags {
		if streak++; lag <= maxLag {
			streak = 0
		}
		late = max(late, streak)
	}
	t.Logf("above %v for %v at the longest", maxLag, time.Duration(late)*lagSampled)
	report(t, fmt.Sprintf("over %d cuts", streamCuts), lags)
	for range streamKills {
		time.Sleep(time.Duration(random.Int64N(int64(betweenCuts))))
		w.kill()
		killed := time.Now()
		w.start()
		h.breakConnection()
		w.caughtUp()
		t.Logf("caught up %v after a kill", time.Since(killed).Round(100*time.Millisecond))
	}
	end := time.Now().Truncate(time.Second)
	w.eventually(time.Minute, "the stream is stored until the end", func() bool {
		return time.Since(end).Seconds() > w.figure(`crier_listening_lag_seconds{stream="bluesky"}`)+2
	})
	w.wantFound(h.stream, monitors, begin, end)
}

func (w *world) caughtUp() {
	w.Helper()
	w.eventually(time.Minute, "the stream is caught up with", func() bool {
		lag, there := w.tryFigure(`crier_listening_lag_seconds{stream="bluesky"}`)
		return there && lag < 2
	})
}

func report(t *testing.T, when string, lags []time.Duration) {
	slices.Sort(lags)
	t.Logf("lag %s: p50 %v, p99 %v, most %v", when, lags[len(lags)/2].Round(time.Millisecond), lags[len(lags)*99/100].Round(time.Millisecond), lags[len(lags)-1].Round(time.Millisecond))
}

// listenFor makes monitors, and returns them with their ids.
func (w *world) listenFor(monitors []schema.Monitor) []schema.Monitor {
	w.Helper()
	inParallel(len(monitors), func(i int) {
		m := &monitors[i]
		body := map[string]any{"name": m.Name, "include": m.Include, "exclude": append([]string{}, m.Exclude...), "platforms": []string{"bluesky"}}
		if m.Language != "" {
			body["language"] = m.Language
		}
		var answer struct{ Monitor struct{ ID schema.MonitorID } }
		status, err := w.tryCall(http.MethodPost, "/feeds/keywords", body, &answer)
		for try := 0; try < 5 && status == http.StatusServiceUnavailable; try++ { // on a loaded machine
			status, err = w.tryCall(http.MethodPost, "/feeds/keywords", body, &answer)
		}
		if err != nil || status != http.StatusCreated {
			w.Errorf("making %+v: %d, %v", m, status, err)
		}
		m.ID = answer.Monitor.ID
	})
	return monitors
}

func inParallel(n int, do func(i int)) {
	var workers sync.WaitGroup
	var next atomic.Int64
	for range 8 {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
	workers.Wait()
}

// finding is a post that a monitor found.
type finding struct {
	monitor int
	item    string
}

// found is what monitors list of a time.
func (w *world) found(monitors []schema.Monitor, begin, end time.Time) map[finding]bool {
	var mu sync.Mutex
	found := map[finding]bool{}
	inParallel(len(monitors), func(i int) {
		for cursor := ""; ; {
			var page struct {
				Items []struct {
					NativeID  string
					WrittenAt time.Time
				}
				NextCursor string
			}
			path := "/feeds/keywords/" + monitors[i].ID.String() + "/items?limit=100&cursor=" + cursor
			if status, err := w.tryCall(http.MethodGet, path, nil, &page); err != nil || status != http.StatusOK {
				w.Errorf("%s: %d, %v", path, status, err)
				return
			}
			mu.Lock()
			for _, item := range page.Items {
				if !item.WrittenAt.Before(begin) && item.WrittenAt.Before(end) {
					found[finding{i, item.NativeID}] = true
				}
			}
			mu.Unlock()
			if cursor = page.NextCursor; cursor == "" {
				return
			}
		}
	})
	return found
}

// wantFound compares what monitors have found of a time with what they should have.
func (w *world) wantFound(stream *blueskysim.Stream, monitors []schema.Monitor, begin, end time.Time) {
	w.Helper()
	want := map[finding]bool{}
	reference, posts := listeningtest.NewReference(monitors), 0
	for n := stream.Number(begin); n < stream.Number(end); n++ {
		e := stream.Entry(n)
		if e.Operation != "create" && e.Operation != "update" {
			continue
		}
		posts++
		for _, i := range reference.Asking(e.Text, e.Langs) {
			want[finding{i, "at://" + e.DID + "/app.bsky.feed.post/" + e.RKey}] = true
		}
	}
	if len(want) < bySize(20, 10_000) {
		w.Errorf("%d posts are to be found: too few to prove anything", len(want))
	}
	var missed int
	var got map[finding]bool
	w.eventually(time.Minute, "what was found is listed", func() bool {
		got = w.found(monitors, begin, end)
		return len(got) >= len(want)
	})
	extra := 0
	for p := range want {
		if !got[p] {
			missed++
		}
	}
	for p := range got {
		if !want[p] {
			extra++
		}
	}
	w.Logf("%d posts, %d found by %d monitors; %d missed, %d that should not be there", posts, len(want), len(monitors), missed, extra)
	if missed > 0 || extra > 0 {
		w.Errorf("%d are missed and %d should not be there", missed, extra)
	}
}

// figure reads a metric of crier.
func (w *world) figure(name string) float64 {
	value, _ := w.tryFigure(name)
	return value
}

func (w *world) tryFigure(name string) (float64, bool) {
	response, err := w.client.Get("http://" + w.config.Admin + "/metrics")
	if err != nil {
		return 0, false
	}
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			value, err := strconv.ParseFloat(rest, 64)
			return value, err == nil
		}
	}
	return 0, false
}
