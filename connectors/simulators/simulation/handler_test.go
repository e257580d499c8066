package simulation_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"crier/connectors/simulators/simulation"
)

// diary is the smallest platform: POST /posts publishes its body.
type diary struct{ world *simulation.World }

func (d diary) dialect() simulation.Dialect {
	return simulation.Dialect{
		Operation: func(r *http.Request) string {
			if r.URL.Path != "/posts" {
				return ""
			}
			return r.Method + " /posts"
		},
		Fail: func(rw http.ResponseWriter, o simulation.Outcome, status int) {
			if status == 0 {
				status = map[simulation.Outcome]int{
					simulation.RateLimit: 429, simulation.Outage: 503,
					simulation.ExpiredToken: 401, simulation.Refused: 422,
				}[o]
			}
			rw.WriteHeader(status)
			io.WriteString(rw, "outcome "+strconv.Itoa(int(o)))
		},
	}
}

func (d diary) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(err)
	}
	d.world.Publish(rw, r, simulation.VisibleCall{Dialect: d.dialect(), Account: "a", Text: string(body)}, func(rw http.ResponseWriter) {
		if _, _, err := d.world.Add(simulation.Post{Account: "a", Text: string(body)}); err != nil {
			panic(err)
		}
		rw.Header().Set("X-Diary", "kept")
		rw.WriteHeader(http.StatusCreated)
		io.WriteString(rw, "ok")
	})
}

// serve runs a diary over HTTP.
func serve(t *testing.T) (*simulation.World, string) {
	t.Helper()
	w := newWorld(nil)
	d := diary{w}
	server := httptest.NewServer(w.Handler(d, d.dialect()))
	t.Cleanup(server.Close)
	return w, server.URL + "/posts"
}

// post publishes a text and returns status and body; 0 when the connection was cut.
func post(ctx context.Context, t *testing.T, url, text string) (int, string, http.Header) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err.Error(), nil
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("reading answer: %v", err)
	}
	return response.StatusCode, string(body), response.Header
}

func TestFaultsAreSuffered(t *testing.T) {
	for name, tt := range map[string]struct {
		fault  simulation.Fault
		status int // 0: the connection is cut
		body   string
		posts  int
	}{
		"a status in the platform's words": {simulation.Fault{Status: 429}, 429, "outcome 1", 0},
		"a server error":                   {simulation.Fault{Status: 502}, 502, "outcome 2", 0},
		"a refusal":                        {simulation.Fault{Status: 400}, 400, "outcome 6", 0},
		"a body of its own":                {simulation.Fault{Status: 503, Body: "<html>"}, 503, "<html>", 0},
		"a good status without an effect":  {simulation.Fault{Status: 200, Body: "{"}, 200, "{", 0},
		"an empty good answer":             {simulation.Fault{Status: 200}, 200, "", 0},
		"a lost answer":                    {simulation.Fault{Lose: true}, 0, "", 1},
		"a refused connection":             {simulation.Fault{Refuse: true}, 0, "", 0},
		"a delay":                          {simulation.Fault{Delay: 20}, 201, "ok", 1},
		"of this operation":                {simulation.Fault{Operation: "POST /posts", Status: 500}, 500, "outcome 2", 0},
		"of another operation":             {simulation.Fault{Operation: "GET /posts", Status: 500}, 201, "ok", 1},
	} {
		t.Run(name, func(t *testing.T) {
			w, url := serve(t)
			if err := w.Inject(tt.fault); err != nil {
				t.Fatalf("Inject: %v", err)
			}
			status, body, _ := post(t.Context(), t, url, "hello")
			if status != tt.status || status != 0 && body != tt.body {
				t.Errorf("answer %d %q, want %d %q", status, body, tt.status, tt.body)
			}
			if got := len(w.Posts()); got != tt.posts {
				t.Errorf("%d posts, want %d", got, tt.posts)
			}
			if got := w.Calls("POST /posts"); got != 1 {
				t.Errorf("%d calls, want 1", got)
			}
		})
	}
}

func TestFaultsEndAfterTheirTimes(t *testing.T) {
	w, url := serve(t)
	for _, f := range []simulation.Fault{{Status: 500, Times: 2}, {Status: 503, Header: map[string]string{"Retry-After": "7"}}} {
		if err := w.Inject(f); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []int{500, 500, 503, 201} {
		status, _, header := post(t.Context(), t, url, "hello")
		if status != want {
			t.Fatalf("call %d: status %d, want %d", i, status, want)
		}
		if status == 503 && header.Get("Retry-After") != "7" {
			t.Error("the fault's header is missing")
		}
	}
}

func TestHealTakesFaultsBack(t *testing.T) {
	w, url := serve(t)
	if err := w.Inject(simulation.Fault{Status: 500, Times: 9}); err != nil {
		t.Fatal(err)
	}
	w.Heal()
	if status, _, _ := post(t.Context(), t, url, "hello"); status != 201 {
		t.Errorf("status %d after Heal", status)
	}
}

func TestAnswersAreDatedByTheWorld(t *testing.T) {
	_, url := serve(t)
	if _, _, header := post(t.Context(), t, url, "hello"); header.Get("Date") != noon.Format(http.TimeFormat) {
		t.Errorf("dated %s", header.Get("Date"))
	}
}

func TestDelayedCallHasItsEffectThoughTheClientLeaves(t *testing.T) {
	w, url := serve(t)
	if err := w.Inject(simulation.Fault{Delay: 60_000}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if status, _, _ := post(ctx, t, url, "hello"); status != 0 {
		t.Errorf("status %d before the delay was over", status)
	}
	if got := len(w.Posts()); got != 1 {
		t.Errorf("%d posts, want 1", got)
	}
}

func TestInjectRefuses(t *testing.T) {
	for name, f := range map[string]simulation.Fault{
		"nothing":              {},
		"two outcomes":         {Lose: true, Status: 500},
		"an impossible status": {Status: 99},
		"a body alone":         {Body: "x", Lose: true},
		"negative times":       {Status: 500, Times: -2},
		"a negative delay":     {Delay: -1},
		"an endless delay":     {Delay: 24 * 3600 * 1000},
	} {
		t.Run(name, func(t *testing.T) {
			if err := newWorld(nil).Inject(f); err == nil {
				t.Error("Inject took it")
			}
		})
	}
}

func TestMarkersForceTheirOutcome(t *testing.T) {
	for name, tt := range map[string]struct {
		text     string
		statuses []int // of calls in a row
		posts    int
	}{
		"no marker":      {"hello [crier:", []int{201, 201}, 2},
		"rate limit":     {"a [crier:rate-limit] b", []int{429, 201}, 1},
		"outage":         {"[crier:outage]", []int{503, 503, 201}, 1},
		"expired token":  {"[crier:expired-token]", []int{401, 401, 401}, 0},
		"lost answer":    {"[crier:lost-answer]", []int{0, 201}, 2},
		"refused":        {"[crier:refused]", []int{422, 422, 422}, 0},
		"unknown marker": {"[crier:party]", []int{201}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			w, url := serve(t)
			for i, want := range tt.statuses {
				if status, _, _ := post(t.Context(), t, url, tt.text); status != want {
					t.Errorf("call %d: status %d, want %d", i, status, want)
				}
			}
			if got := len(w.Posts()); got != tt.posts {
				t.Errorf("%d posts, want %d", got, tt.posts)
			}
		})
	}
}

func TestSlowMarkerHoldsTheAnswerBack(t *testing.T) {
	w, url := serve(t)
	begun := time.Now()
	if status, _, header := post(t.Context(), t, url, "[crier:slow]"); status != 201 || header.Get("X-Diary") != "kept" {
		t.Errorf("status %d, header %v", status, header)
	}
	if took := time.Since(begun); took < simulation.SlowAnswer {
		t.Errorf("answered after %v", took)
	}
	if got := len(w.Posts()); got != 1 {
		t.Errorf("%d posts, want 1", got)
	}
}

func TestResetForgetsFaultsAndMarkers(t *testing.T) {
	w, url := serve(t)
	post(t.Context(), t, url, "[crier:rate-limit]")
	if err := w.Inject(simulation.Fault{Status: 500, Times: 100}); err != nil {
		t.Fatal(err)
	}
	if err := w.Reset(); err != nil {
		t.Fatal(err)
	}
	if status, _, _ := post(t.Context(), t, url, "[crier:rate-limit]"); status != 429 {
		t.Errorf("status %d, want the marker's 429 again", status)
	}
	if got := w.Calls("POST /posts"); got != 1 {
		t.Errorf("%d calls since the reset, want 1", got)
	}
}
