package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"crier/schema/sleep/sleeptest"
)

func TestHealthIsWhatTheAdminListenerAnswers(t *testing.T) {
	listener := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		fmt.Fprintln(w, r.URL.Path)
	}))
	t.Cleanup(listener.Close)
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		waited, stop := sleeptest.Start()
		defer stop()
		if <-r.Context().Done(); waited() > 3*time.Second { // without --timeout it is 4 s
			t.Errorf("an answer was waited for for %v", waited())
		}
	}))
	t.Cleanup(silent.Close)
	gone := httptest.NewServer(nil)
	gone.Close()
	for name, tt := range map[string]struct {
		server *httptest.Server
		flags  []string
		want   int
	}{
		"not ready":         {listener, nil, exitFailure},
		"alive":             {listener, []string{"--live"}, exitOK},
		"nobody there":      {gone, nil, exitFailure},
		"no answer in time": {silent, []string{"--timeout", "20ms"}, exitFailure},
		"no time to answer": {listener, []string{"--timeout", "0s"}, exitUsage},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ran := sleeptest.Stopwatch(t)
			line := append([]string{"health", "--admin-listen", tt.server.Listener.Addr().String()}, tt.flags...)
			if got := run(t.Context(), line); got != tt.want || ran() > 30*time.Second {
				t.Errorf("exit code %d after %v, want %d", got, ran(), tt.want)
			}
		})
	}
}

func TestHealthIsAskedWhereServeListens(t *testing.T) {
	for listen, want := range map[string]string{
		":8081":          "http://127.0.0.1:8081/readyz",
		"0.0.0.0:8081":   "http://127.0.0.1:8081/readyz",
		"[::]:8081":      "http://[::1]:8081/readyz",
		"10.0.0.7:9000":  "http://10.0.0.7:9000/readyz",
		"localhost:8081": "http://localhost:8081/readyz",
		"8081":           "",
	} {
		h := healthCommand{AdminListen: listen}
		if got, err := h.url(); got != want || (err == nil) != (want != "") {
			t.Errorf("%s is asked at %q, %v; want %q", listen, got, err, want)
		}
	}
}

func TestTheVersionSaysWhatWasBuilt(t *testing.T) {
	defer func() { version, commit, date = "", "", "" }()
	version, commit, date = "1.2.3", "0123abc", "2026-11-23T00:00:00Z"
	if got := showVersion(); !strings.HasPrefix(got, "crier 1.2.3, commit 0123abc of 2026-11-23T00:00:00Z, go1.") {
		t.Errorf("--version shows %q", got)
	}
	version, commit, date = "", "", ""
	if got := buildVersion(); got != undated {
		t.Errorf("a build that was told nothing is %q", got)
	}
}
