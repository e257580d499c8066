package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// recorder is a server that remembers what it was asked.
type recorder struct {
	mu     sync.Mutex
	keys   map[string]int
	due    map[time.Time]int
	answer func(n int, w http.ResponseWriter) // to request n, from 1 on
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	var body struct {
		Content      string
		Platforms    []target
		ScheduledFor time.Time
	}
	document, err := io.ReadAll(request.Body)
	if err == nil {
		err = json.Unmarshal(document, &body)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil || request.URL.Path != "/api/v1/posts" || request.Header.Get("Authorization") != "Bearer k" ||
		len(body.Platforms) != 1 || len(body.Content) < 100 || len(body.Content) > 200 {
		http.Error(w, fmt.Sprintf("%v %s %+v", err, request.URL, body), http.StatusBadRequest)
		return
	}
	r.keys[request.Header.Get("Idempotency-Key")]++
	r.due[body.ScheduledFor]++
	r.answer(len(r.keys), w)
}

func created(_ int, w http.ResponseWriter) {
	w.WriteHeader(http.StatusCreated)
	io.WriteString(w, `{"success":true}`)
}

func startRecorder(t *testing.T, answer func(int, http.ResponseWriter)) (*recorder, loadPlan) {
	r := &recorder{keys: map[string]int{}, due: map[time.Time]int{}, answer: answer}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	return r, loadPlan{
		URL: server.URL, Key: "k", Targets: [][]target{{{"mastodon", "acc_1"}}, {{"bluesky", "acc_2"}}}, Connections: 4,
		First: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Step: time.Minute, Span: time.Hour, Label: "test",
	}
}

func generate(t *testing.T, plan loadPlan) loadResult {
	t.Helper()
	g, err := newGenerator(plan)
	if err != nil {
		t.Fatal(err)
	}
	return g.run(t.Context())
}

func TestLoadMakesTheRequestsOfItsPlan(t *testing.T) {
	r, plan := startRecorder(t, created)
	plan.Posts = 120
	result := generate(t, plan)
	if result.Created != 120 || result.Errors != 0 || result.Max < result.P99 || result.P99 < result.P50 || result.P50 <= 0 {
		t.Errorf("result = %+v", result)
	}
	if len(r.keys) != 120 {
		t.Errorf("%d idempotency keys for 120 requests", len(r.keys))
	}
	if len(r.due) != 60 {
		t.Errorf("%d times of 60 minutes", len(r.due))
	}
	for due := range r.due {
		if due.Before(plan.First) || !due.Before(plan.First.Add(plan.Span)) {
			t.Errorf("scheduled for %v", due)
		}
	}
}

func TestLoadCountsForATime(t *testing.T) {
	_, plan := startRecorder(t, created)
	plan.Warmup, plan.Measured = 10*time.Millisecond, 100*time.Millisecond
	if result := generate(t, plan); result.Created == 0 || result.Errors != 0 || result.Seconds != 0.1 {
		t.Errorf("result = %+v", result)
	}
}

func TestLoadGoesOnAfterWhatFails(t *testing.T) {
	for name, fail := range map[string]func(w http.ResponseWriter){
		"a refusal":         func(w http.ResponseWriter) { http.Error(w, "the day is full", http.StatusTooManyRequests) },
		"200 is not 201":    func(w http.ResponseWriter) { w.WriteHeader(http.StatusOK) },
		"a cut connection":  func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
		"a broken off body": func(w http.ResponseWriter) { w.Header().Set("Content-Length", "9"); w.WriteHeader(201) },
	} {
		t.Run(name, func(t *testing.T) {
			_, plan := startRecorder(t, func(n int, w http.ResponseWriter) {
				if n%10 == 0 {
					fail(w)
					return
				}
				created(n, w)
			})
			plan.Posts = 50
			if result := generate(t, plan); result.Created != 45 || result.Errors != 5 || result.Reason == "" {
				t.Errorf("result = %+v", result)
			}
		})
	}
}

func TestLoadReadsLongAnswers(t *testing.T) {
	_, plan := startRecorder(t, func(_ int, w http.ResponseWriter) {
		w.WriteHeader(http.StatusCreated)
		for range 3 {
			io.WriteString(w, strings.Repeat("x", 5000)) // longer than net/http gives a length for
			w.(http.Flusher).Flush()
		}
	})
	plan.Posts = 20
	if result := generate(t, plan); result.Created != 20 || result.Errors != 0 {
		t.Errorf("result = %+v", result)
	}
}

func TestLoadOfAServerThatIsGone(t *testing.T) {
	r, plan := startRecorder(t, created)
	plan.URL = "http://127.0.0.1:1"
	plan.Posts = 8
	if result := generate(t, plan); result.Created != 0 || result.Errors != 8 || len(r.keys) != 0 {
		t.Errorf("result = %+v", result)
	}
}

func TestLoadEndsWithItsContext(t *testing.T) {
	_, plan := startRecorder(t, created)
	plan.Measured = time.Hour
	g, err := newGenerator(plan)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	g.run(ctx)
}
