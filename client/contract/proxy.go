package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Proxy stands before a crier and answers as a case says. One case at a time goes through it.
type Proxy struct {
	URL string

	crier  string
	front  *httptest.Server
	behind http.Handler

	mu   sync.Mutex
	work Case
	on   *regexp.Regexp
	keys []string // Idempotency-Key of each request that was counted
}

// NewProxy starts a proxy before the crier at an address. Close ends it.
func NewProxy(crier string) (*Proxy, error) {
	to, err := url.Parse(crier)
	if err != nil {
		return nil, fmt.Errorf("starting a proxy: %w", err)
	}
	p := &Proxy{crier: crier, behind: httputil.NewSingleHostReverseProxy(to)}
	p.front = httptest.NewServer(http.HandlerFunc(p.serve))
	p.URL = p.front.URL
	return p, nil
}

// Close ends the proxy.
func (p *Proxy) Close() { p.front.CloseClientConnections(); p.front.Close() }

// Begin has the proxy do what a case says from now on.
func (p *Proxy) Begin(c Case) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.work, p.keys = c, nil
	method, path, _ := strings.Cut(c.On, " ")
	pattern := regexp.MustCompile(`\\\{[a-z]+\\\}`).ReplaceAllString(regexp.QuoteMeta(path), "[^/]+")
	p.on = regexp.MustCompile("^" + method + " /api/v1" + pattern + "$")
}

// Keys returns the Idempotency-Key of each request that reached the proxy as the case's On says.
func (p *Proxy) Keys() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.keys
}

// answer counts a request and says how it is answered.
func (p *Proxy) answer(request *http.Request) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.on == nil || !p.on.MatchString(request.Method+" "+request.URL.Path) {
		return "pass"
	}
	n := len(p.keys)
	p.keys = append(p.keys, request.Header.Get("Idempotency-Key"))
	if p.work.Forever {
		n = min(n, len(p.work.Answers)-1)
	}
	if n < 0 || n >= len(p.work.Answers) {
		return "pass"
	}
	return p.work.Answers[n]
}

func (p *Proxy) serve(w http.ResponseWriter, request *http.Request) {
	response := p.answer(request)
	kind, seconds := response, 0
	if words := strings.Fields(response); len(words) > 1 {
		kind, seconds = words[0], number(words[len(words)-1])
	}
	switch kind {
	case "429":
		refuse(w, http.StatusTooManyRequests, "rate_limit_exceeded", seconds)
	case "daily":
		refuse(w, http.StatusTooManyRequests, "daily_limit_reached", seconds)
	case "503":
		refuse(w, http.StatusServiceUnavailable, "unavailable", seconds)
	case "page":
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		io.WriteString(w, "<html><h1>502 Bad Gateway</h1></html>") //nolint:errcheck // the client may be gone
	case "portal":
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<html><h1>Welcome to this network</h1></html>") //nolint:errcheck // the client may be gone
	case "moved":
		http.Redirect(w, request, p.URL+request.URL.Path, http.StatusMovedPermanently)
	case "cut":
		_, _ = io.CopyN(io.Discard, request.Body, 1<<14)
		panic(http.ErrAbortHandler)
	default:
		p.pass(w, request, kind, seconds)
	}
}

// pass lets crier answer, and does something to the answer.
func (p *Proxy) pass(w http.ResponseWriter, request *http.Request, kind string, seconds int) {
	if kind == "spoilt" {
		query := request.URL.Query()
		query.Set("cursor", "spoilt")
		request.URL.RawQuery = query.Encode()
	}
	request.Header.Del("Accept-Encoding") // so that the body can be read here
	got := httptest.NewRecorder()
	p.behind.ServeHTTP(got, request)
	// Uploads go to addresses that crier names: they are to come by here too.
	body := bytes.ReplaceAll(got.Body.Bytes(), []byte(p.crier), []byte(p.URL))
	switch kind {
	case "lost":
		panic(http.ErrAbortHandler)
	case "late":
		<-request.Context().Done()
		panic(http.ErrAbortHandler)
	case "used":
		now := time.Now()
		got.Header().Set("Date", now.UTC().Format(http.TimeFormat))
		got.Header().Set("X-RateLimit-Remaining", "0")
		got.Header().Set("X-RateLimit-Reset", strconv.FormatInt(now.Truncate(time.Second).Add(time.Duration(seconds)*time.Second).UnixMilli(), 10))
	case "grown":
		body = grown(body)
	}
	for name, values := range got.Header() {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(got.Code)
	if kind == "half" {
		w.Write(body[:len(body)/2]) //nolint:errcheck // the client may be gone
		panic(http.ErrAbortHandler)
	}
	w.Write(body) //nolint:errcheck // the client may be gone
}

// refuse answers as crier does. No seconds: without Retry-After.
func refuse(w http.ResponseWriter, status int, code string, seconds int) {
	if seconds > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Request-Id", "req_of_the_proxy")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"success": false, "error": {"code": %q, "message": "later", "documentation": "http://127.0.0.1/docs"}}`, code)
}

// grown is an answer with a post as a later version might give it.
func grown(body []byte) []byte {
	var response map[string]any
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if decoder.Decode(&response) != nil {
		return body
	}
	response["tomorrow"] = map[string]any{"is": []any{"another", 1, nil}}
	if post, ok := response["post"].(map[string]any); ok {
		post["status"], post["mood"] = "teleported", []any{"calm"}
		for _, entry := range post["platforms"].([]any) {
			entry := entry.(map[string]any)
			entry["postId"], entry["status"], entry["reach"] = "9007199254740993123", "bounced", map[string]any{"in": "km"}
		}
	}
	encoded, err := json.Marshal(response)
	if err != nil {
		return body
	}
	return encoded
}

// number reads the seconds of an answer, which cases.yaml has.
func number(word string) int {
	n, err := strconv.Atoi(word)
	if err != nil {
		panic(fmt.Sprintf("%q in cases.yaml is no number of seconds", word))
	}
	return n
}
