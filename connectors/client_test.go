package connectors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/connectors/egress"
	"crier/schema"
)

// loopback is an egress that may connect to this machine.
func loopback(t testing.TB) *egress.Egress {
	t.Helper()
	e := egress.New(egress.Config{
		Resolver: net.DefaultResolver,
		Allowed:  []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
	})
	t.Cleanup(e.CloseIdle)
	return e
}

func testConfig(t testing.TB) ClientConfig {
	t.Helper()
	return ClientConfig{
		Calls:   Calls{Platform: schema.Mastodon},
		HTTP:    loopback(t).Client(),
		Logger:  slog.New(slog.DiscardHandler),
		Metrics: NewMetrics(prometheus.NewRegistry()),
		Now:     time.Now,
	}
}

func serve(t testing.TB, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func answer(status int, header map[string]string, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

func wantKind(t testing.TB, err error, want schema.ErrorKind) *schema.Error {
	t.Helper()
	e, ok := errors.AsType[*schema.Error](err)
	if !ok {
		t.Fatalf("error = %v, want a *schema.Error of kind %d", err, want)
	}
	if e.Kind != want {
		t.Fatalf("kind = %d (%v), want %d", e.Kind, err, want)
	}
	return e
}

func TestDoSendsTheCall(t *testing.T) {
	for name, tt := range map[string]struct {
		call Call
		want string // method, path and query, headers, body
	}{
		"json": {
			Call{Method: http.MethodPost, JSON: map[string]string{"status": "hi"}, Key: "k1", Visible: true},
			`POST /x Bearer=token Key=k1 Type=application/json Length=15 {"status":"hi"}`,
		},
		"form": {
			Call{Method: http.MethodPost, Form: url.Values{"a": {"1 2"}}},
			`POST /x Bearer=token Key= Type=application/x-www-form-urlencoded Length=5 a=1+2`,
		},
		"query": {
			Call{Method: http.MethodGet, Query: url.Values{"limit": {"40"}}},
			`GET /x?limit=40 Bearer=token Key= Type= Length=0 `,
		},
		"a visible call without a body": {
			Call{Method: http.MethodPost, Query: url.Values{"id": {"7"}}, Visible: true},
			`POST /x?id=7 Bearer=token Key= Type= Length=0 `,
		},
		"a stream": {
			Call{Method: http.MethodPut, Body: strings.NewReader("bytes"), ContentType: "image/png", ContentLength: 5},
			`PUT /x Bearer=token Key= Type=image/png Length=5 bytes`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				json.NewEncoder(w).Encode(fmt.Sprintf("%s %s %s Key=%s Type=%s Length=%d %s", r.Method, r.URL,
					strings.Replace(r.Header.Get("Authorization"), "Bearer ", "Bearer=", 1),
					r.Header.Get("Idempotency-Key"), r.Header.Get("Content-Type"), r.ContentLength, body))
			})
			tt.call.URL, tt.call.Token, tt.call.Operation = server+"/x", "token", "test"
			var got string
			response, err := NewClient(testConfig(t)).Do(t.Context(), tt.call, &got)
			if err != nil || response.Status != http.StatusOK {
				t.Fatalf("Do = %+v, %v", response, err)
			}
			if got != tt.want {
				t.Errorf("sent %q, want %q", got, tt.want)
			}
		})
	}
}

// A text that PostgreSQL would not take is none by the time anybody reads it.
func TestNoAnswerHasNUL(t *testing.T) {
	server := serve(t, answer(http.StatusOK, nil, `{"id":"a\u0000b\\u0000\\\u0000"}`))
	var out struct{ ID string }
	call := Call{Operation: "get", Method: http.MethodGet, URL: server}
	if _, err := NewClient(testConfig(t)).Do(t.Context(), call, &out); err != nil || out.ID != `a b\u0000\ ` {
		t.Errorf("id = %q, %v", out.ID, err)
	}
}

func TestDoJudgesAnswers(t *testing.T) {
	clock := newClock()
	in90s := clock.Now().Add(90 * time.Second)
	for name, tt := range map[string]struct {
		status  int
		header  map[string]string
		body    string
		visible bool
		want    schema.ErrorKind
		wait    time.Duration
		message string
	}{
		"429 in seconds":      {status: 429, header: map[string]string{"Retry-After": "90"}, want: schema.RateLimited, wait: 90 * time.Second},
		"429 by date":         {status: 429, header: map[string]string{"Retry-After": in90s.UTC().Format(http.TimeFormat)}, want: schema.RateLimited, wait: 90 * time.Second},
		"429 reset unix":      {status: 429, header: map[string]string{"X-Rate-Limit-Reset": fmt.Sprint(in90s.Unix())}, want: schema.RateLimited, wait: 90 * time.Second},
		"429 reset unix ms":   {status: 429, header: map[string]string{"X-RateLimit-Reset": fmt.Sprint(in90s.UnixMilli())}, want: schema.RateLimited, wait: 90 * time.Second},
		"429 reset RFC 3339":  {status: 429, header: map[string]string{"X-RateLimit-Reset": in90s.UTC().Format(time.RFC3339)}, want: schema.RateLimited, wait: 90 * time.Second},
		"429 without a word":  {status: 429, visible: true, want: schema.RateLimited},
		"429 for a century":   {status: 429, header: map[string]string{"Retry-After": "999999999"}, want: schema.RateLimited, wait: 24 * time.Hour},
		"429 without sense":   {status: 429, header: map[string]string{"Retry-After": "soon"}, want: schema.RateLimited},
		"401":                 {status: 401, body: `{"error":"The access token is invalid"}`, want: schema.TokenDead, message: "The access token is invalid"},
		"422 says why":        {status: 422, body: `{"error":"Text can't be blank"}`, visible: true, want: schema.Refused, message: "Text can't be blank"},
		"graph error":         {status: 400, body: `{"error":{"message":"Invalid parameter","type":"OAuthException"}}`, want: schema.Refused, message: "Invalid parameter"},
		"list of errors":      {status: 403, body: `{"errors":[{"message":"not permitted"}]}`, want: schema.Refused, message: "not permitted"},
		"name and message":    {status: 400, body: `{"error":"InvalidRequest","message":"Record too long"}`, want: schema.Refused, message: "Record too long"},
		"404 with html":       {status: 404, body: `<html>gone</html>`, want: schema.Refused, message: "404 Not Found"},
		"409":                 {status: 409, want: schema.Refused},
		"410":                 {status: 410, want: schema.Refused},
		"413":                 {status: 413, want: schema.Refused},
		"425":                 {status: 425, visible: true, want: schema.Retryable},
		"408 visible":         {status: 408, visible: true, want: schema.Unknown},
		"500":                 {status: 500, want: schema.Retryable},
		"500 visible":         {status: 500, visible: true, want: schema.Unknown},
		"502 visible":         {status: 502, visible: true, want: schema.Unknown},
		"503 asks to wait":    {status: 503, header: map[string]string{"Retry-After": "7"}, want: schema.RateLimited, wait: 7 * time.Second},
		"503 visible":         {status: 503, header: map[string]string{"Retry-After": "7"}, visible: true, want: schema.Unknown},
		"301":                 {status: 301, want: schema.Refused},
		"303 visible":         {status: 303, visible: true, want: schema.Unknown},
		"200 with html":       {status: 200, body: `<html>hello</html>`, want: schema.Retryable, message: "understood: status 200 with 18 bytes of text/html"},
		"200 with html, seen": {status: 200, body: `<html>hello</html>`, visible: true, want: schema.Unknown},
		"200 empty":           {status: 200, visible: true, want: schema.Unknown, message: "status 200 with 0 bytes"},
		"200 of other shape":  {status: 200, body: `{"id":{"a":1}}`, visible: true, want: schema.Unknown},
		"200 without an end":  {status: 200, body: `{"id":"` + strings.Repeat("a", 2<<20) + `"}`, visible: true, want: schema.Unknown, message: "it is larger than 1 MiB"},
		"control characters":  {status: 400, body: `{"error":"a\u0000b\nc"}`, want: schema.Refused, message: "a b c"},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, answer(tt.status, tt.header, tt.body))
			var out struct{ ID string }
			config := testConfig(t)
			config.Now = clock.Now
			response, err := NewClient(config).Do(t.Context(),
				Call{Operation: "test", Method: http.MethodPost, URL: server, JSON: 1, Visible: tt.visible}, &out)
			e := wantKind(t, err, tt.want)
			if response == nil || response.Status != tt.status {
				t.Errorf("response = %+v, want status %d with the error", response, tt.status)
			}
			if e.RetryAfter != tt.wait {
				t.Errorf("RetryAfter = %s, want %s", e.RetryAfter, tt.wait)
			}
			if e.Message == "" || !strings.Contains(e.Message, tt.message) {
				t.Errorf("message = %q, want %q in it", e.Message, tt.message)
			}
		})
	}
}

func TestDoBoundsMessages(t *testing.T) {
	server := serve(t, answer(400, nil, `{"error":"`+strings.Repeat("é", 5000)+`"}`))
	_, err := NewClient(testConfig(t)).Do(t.Context(), Call{Operation: "test", Method: http.MethodGet, URL: server}, nil)
	if got := len([]rune(wantKind(t, err, schema.Refused).Message)); got != longestMessage+1 {
		t.Errorf("message has %d runes, want %d", got, longestMessage+1)
	}
}

func TestTheTableKnowsBetter(t *testing.T) {
	server := serve(t, answer(400, map[string]string{"Retry-After": "3"}, `{"error":"dup"}`))
	config := testConfig(t)
	config.Answers = Answers{
		Read: func(*Response) (Refusal, bool) { return Refusal{Codes: []string{"dup"}, Message: "seen before"}, true },
		Table: []Answer{
			{Status: []int{5}, Codes: []string{"dup"}, Means: IsRetried},
			{Codes: []string{"dup"}, Means: IsDuplicate},
		},
	}
	_, err := NewClient(config).Do(t.Context(), Call{Operation: "test", Method: http.MethodPost, URL: server}, nil)
	if e := wantKind(t, err, schema.Duplicate); e.Message != "seen before" || e.RetryAfter != 0 {
		t.Errorf("error = %+v", e)
	}
}

// hangUp reads the request and cuts the connection, after some of an answer.
func hangUp(part string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		io.WriteString(conn, part)
		conn.Close()
	}
}

// nobodyThere is an address that no server of a test can come to have.
const nobodyThere = "http://127.0.0.1:1"

func TestDoLosesAnswers(t *testing.T) {
	half := "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"id\":"
	for name, tt := range map[string]struct {
		url     string
		visible bool
		want    schema.ErrorKind
		says    string
	}{
		"cut before the answer":          {serve(t, hangUp("")), false, schema.Retryable, "lost: the connection was closed before it came"},
		"cut before the answer, visible": {serve(t, hangUp("")), true, schema.Unknown, "lost: the connection was closed before it came"},
		"half an answer":                 {serve(t, hangUp(half)), false, schema.Retryable, "lost: it was cut off, with status 200 and 6 bytes"},
		"half an answer, visible":        {serve(t, hangUp(half)), true, schema.Unknown, "lost: it was cut off, with status 200 and 6 bytes"},
		"no HTTP, visible":               {serve(t, hangUp("SSH-2.0\r\n")), true, schema.Unknown, "lost"},
		"nobody there, visible":          {nobodyThere, true, schema.Retryable, "could not be reached"},
		"no such name, visible":          {"http://no-such-name.invalid", true, schema.Retryable, "could not be reached"},
		"refused by the guard, visible":  {"http://10.0.0.1/", true, schema.Refused, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewClient(testConfig(t)).Do(t.Context(),
				Call{Operation: "test", Method: http.MethodPost, URL: tt.url, JSON: 1, Visible: tt.visible}, nil)
			if e := wantKind(t, err, tt.want); !strings.Contains(e.Message, tt.says) {
				t.Errorf("it says %q, want %q in it", e.Message, tt.says)
			}
		})
	}
}

func TestDoTimesOut(t *testing.T) {
	for name, tt := range map[string]struct {
		visible bool
		begins  bool // the answer, which has no end
		want    schema.ErrorKind
		says    string
	}{
		"visible":                 {true, false, schema.Unknown, "lost: it did not come in time"},
		"not visible":             {false, false, schema.Retryable, "lost: it did not come in time"},
		"an answer that trickles": {true, true, schema.Unknown, "lost: it was too slow, with status 200 and 5 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body) // only then does the server notice that the client left
				if tt.begins {
					io.WriteString(w, `{"id"`)
					http.NewResponseController(w).Flush()
				}
				<-r.Context().Done()
			})
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			_, err := NewClient(testConfig(t)).Do(ctx,
				Call{Operation: "test", Method: http.MethodPost, URL: server, Visible: tt.visible}, nil)
			if e := wantKind(t, err, tt.want); !strings.Contains(e.Message, tt.says) {
				t.Errorf("it says %q, want %q in it", e.Message, tt.says)
			}
		})
	}
}

// frozen is the context of a call in a process that was paused: its time has passed, and its
// timer has not run yet.
type frozen struct {
	context.Context
	until time.Time
}

func (f frozen) Deadline() (time.Time, bool) { return f.until, true }

// waking is a process that is paused in the middle of a call until its time is over, which
// it learns from its clock alone.
type waking struct {
	http.RoundTripper
	call frozen
}

func (w waking) RoundTrip(request *http.Request) (*http.Response, error) {
	time.Sleep(time.Until(w.call.until) + time.Millisecond)
	return w.RoundTripper.RoundTrip(request)
}

func TestDoSendsNothingAfterAPause(t *testing.T) {
	for name, tt := range map[string]struct {
		left time.Duration // of the call's time when it begins
		body io.Reader     // nil: JSON
	}{
		"before the call":               {-time.Second, nil},
		"within the call":               {20 * time.Millisecond, nil},
		"within the call, and streamed": {20 * time.Millisecond, strings.NewReader("content")},
	} {
		t.Run(name, func(t *testing.T) {
			var requests atomic.Int32
			server := serve(t, func(http.ResponseWriter, *http.Request) { requests.Add(1) })
			ctx := frozen{t.Context(), time.Now().Add(tt.left)}
			config := testConfig(t)
			config.HTTP = &http.Client{Transport: waking{config.HTTP.Transport, ctx}}
			call := Call{Method: http.MethodPost, URL: server, Operation: "publish", Visible: true}
			if call.Body, call.ContentLength = tt.body, -1; tt.body == nil {
				call.JSON = map[string]string{"status": "hi"}
			}
			_, err := NewClient(config).Do(ctx, call, nil)
			wantKind(t, err, schema.Retryable)
			if n := requests.Load(); n != 0 {
				t.Errorf("%d requests arrived after the call's time", n)
			}
		})
	}
}

func TestDoSendsNothingAfterItsDeadline(t *testing.T) {
	var calls atomic.Int32
	server := serve(t, func(http.ResponseWriter, *http.Request) { calls.Add(1) })
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	_, err := NewClient(testConfig(t)).Do(ctx,
		Call{Operation: "test", Method: http.MethodPost, URL: server, Visible: true}, nil)
	wantKind(t, err, schema.Retryable)
	if calls.Load() != 0 {
		t.Error("the call was sent")
	}
}

// A server that closes a kept connection on the second request makes net/http send
// requests with an Idempotency-Key again.
func TestVisibleCallsAreSentOnce(t *testing.T) {
	for name, body := range map[string]any{"with a body": map[string]string{"status": "hi"}, "without a body": nil} {
		t.Run(name, func(t *testing.T) {
			var visible atomic.Int32
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					visible.Add(1)
					hangUp("")(w, r)
				}
			})
			client := NewClient(testConfig(t))
			warm := Call{Operation: "test", Method: http.MethodGet, URL: server}
			if _, err := client.Do(t.Context(), warm, nil); err != nil {
				t.Fatal(err)
			}
			_, err := client.Do(t.Context(), Call{
				Operation: "test", Method: http.MethodPost, URL: server, JSON: body, Key: "key", Visible: true,
			}, nil)
			wantKind(t, err, schema.Unknown)
			if got := visible.Load(); got != 1 {
				t.Errorf("the visible call was sent %d times", got)
			}
		})
	}
}

func TestOnlyReadsFollowRedirects(t *testing.T) {
	var arrived atomic.Int32
	target := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		arrived.Add(1)
		io.WriteString(w, `"here"`)
	})
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, target, http.StatusTemporaryRedirect)
	})
	client := NewClient(testConfig(t))
	_, err := client.Do(t.Context(), Call{Operation: "test", Method: http.MethodPost, URL: server, JSON: 1}, nil)
	wantKind(t, err, schema.Refused)
	if arrived.Load() != 0 {
		t.Fatal("the post was sent again to where it was redirected")
	}
	var out string
	if _, err := client.Do(t.Context(), Call{Operation: "test", Method: http.MethodGet, URL: server}, &out); err != nil || out != "here" {
		t.Fatalf("read = %q, %v", out, err)
	}
}

func TestErrorsShowNoSecret(t *testing.T) {
	const token, inURL = "tok-5e5e5e5e", "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"
	echo := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"error":"bad token %s at %s"}`, r.Header.Get("Authorization"), r.URL.Path)
	})
	garbled := serve(t, func(w http.ResponseWriter, r *http.Request) { hangUp(r.URL.Path+" "+token+"\r\n")(w, r) })
	for name, server := range map[string]string{
		"echoed by the platform": echo,
		"in a transport error":   garbled,
		"nobody there":           nobodyThere,
		"an unreadable url":      "http://[::1",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewClient(testConfig(t)).Do(t.Context(), Call{
				Operation: "test", Method: http.MethodPost, URL: server + "/bot" + inURL + "/sendMessage",
				Token: token, Secrets: []string{inURL},
			}, nil)
			if err == nil {
				t.Fatal("no error")
			}
			if text := fmt.Sprintf("%+v %s", err, err); strings.Contains(text, token) || strings.Contains(text, inURL) {
				t.Errorf("the error shows a secret: %s", text)
			}
		})
	}
}

func TestMetricsCountOutcomes(t *testing.T) {
	registry := prometheus.NewRegistry()
	config := testConfig(t)
	config.Metrics = NewMetrics(registry)
	client := NewClient(config)
	for _, status := range []int{200, 200, 422, 500} {
		server := serve(t, answer(status, nil, "{}"))
		client.Do(t.Context(), Call{Operation: "create", Method: http.MethodPost, URL: server}, nil)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			labels := ""
			for _, label := range metric.GetLabel() {
				labels += " " + label.GetValue()
			}
			got[family.GetName()+labels] = metric.GetCounter().GetValue() + float64(metric.GetHistogram().GetSampleCount())
		}
	}
	for name, want := range map[string]float64{
		"crier_platform_calls_total create ok mastodon":        2,
		"crier_platform_calls_total create refused mastodon":   1,
		"crier_platform_calls_total create retryable mastodon": 1,
		"crier_platform_call_seconds ok mastodon":              2,
	} {
		if got[name] != want {
			t.Errorf("%s = %v, want %v; all: %v", name, got[name], want, got)
		}
	}
}

func BenchmarkDo(b *testing.B) {
	server := serve(b, answer(200, nil, `{"id":"1"}`))
	config := testConfig(b)
	config.Limits = Limits{Any: {Account: Rate{PerSecond: 1e9, Burst: 1 << 20}}}
	client := NewClient(config)
	b.SetParallelism(64)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			var out struct{ ID string }
			call := Call{Operation: "test", Method: http.MethodPost, URL: server, JSON: 1, Token: "token", Visible: true}
			if _, err := client.Do(b.Context(), call, &out); err != nil {
				b.Fatal(err)
			}
		}
	})
}
