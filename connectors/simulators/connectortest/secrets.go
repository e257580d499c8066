package connectortest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// keepingSecrets is whom a connector tells what.
func keepingSecrets() []clause {
	return []clause{
		{"a redirect to another host gets no secrets", nil, redirectGetsNoSecrets},
		{"the server of media gets no secrets", takesImage, mediaServerGetsNoSecrets},
		{"errors and logs show no secrets", nil, errorsShowNoSecrets},
		{"an error without an answer shows no secrets", nil, lostErrorShowsNoSecrets},
	}
}

// secretsOf returns what of credentials nobody may see.
func secretsOf(c schema.Credentials) []string {
	var secrets []string
	for _, secret := range []string{c.AccessToken, c.RefreshToken, c.Password, c.BotToken} {
		if secret != "" {
			secrets = append(secrets, secret)
		}
	}
	return secrets
}

func (s *stage) wantNoSecret(t *testing.T, where, text string) {
	t.Helper()
	for _, secret := range secretsOf(s.fixture.Credentials(0)) {
		if strings.Contains(text, secret) {
			t.Errorf("%s: a secret is in %q", where, text)
		}
	}
}

// stranger is a host that is not the platform's, and what it was told.
type stranger struct {
	url string

	mu     sync.Mutex
	output strings.Builder
}

func newStranger(t *testing.T) *stranger {
	s := &stranger{}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	// A name, so that it is another host than the simulator's even to who ignores ports.
	s.url = strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	return s
}

func (s *stranger) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // what arrived of it is what was told
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(&s.output, "%s %s\n", r.Method, r.RequestURI)
	r.Header.Write(&s.output)
	s.output.Write(body)
}

func (s *stranger) heard() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.output.String()
}

func redirectGetsNoSecrets(t *testing.T, s *stage) {
	other := newStranger(t)
	d := s.ready(t, "hello")
	for _, status := range []int{301, 302, 303, 307, 308} {
		s.restart()
		s.inject(t, simulation.Fault{Status: status, Times: 20, Header: map[string]string{"Location": other.url + "/elsewhere"}})
		if _, err := s.connector.Publish(t.Context(), d); err == nil {
			t.Errorf("Publish succeeded on a redirect with status %d", status)
		}
		if _, verdict, _ := s.connector.Find(t.Context(), d); verdict != schema.CannotTell {
			t.Errorf("Find believed another host: %s", verdictName(verdict))
		}
		s.world.Heal()
	}
	s.wantNoSecret(t, "another host", other.heard())
	if strings.Contains(other.heard(), "Authorization") {
		t.Errorf("another host was sent an authorization: %s", other.heard())
	}
}

func mediaServerGetsNoSecrets(t *testing.T, s *stage) {
	s.publish(t, s.delivery("look", s.image()))
	requests := s.files.requests()
	if len(requests) == 0 {
		t.Fatal("the media was not fetched")
	}
	for _, request := range requests {
		s.wantNoSecret(t, "the media's server", request)
		if strings.Contains(request, "Authorization") {
			t.Errorf("the media's server was sent an authorization: %s", request)
		}
	}
}

func errorsShowNoSecrets(t *testing.T, s *stage) {
	echo := strings.Join(secretsOf(s.fixture.Credentials(0)), " ")
	body, err := json.Marshal(map[string]any{
		"ok": false, "error_code": 400, "error": "Refused", "message": "bad token " + echo, "description": "bad token " + echo,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, status := range []int{400, 403, 422, 429, 500} {
		s.restart()
		d := s.ready(t, "hello")
		s.inject(t, simulation.Fault{Operation: s.fixture.Operations.Publish, Status: status, Body: string(body)})
		_, err := s.connector.Publish(t.Context(), d)
		if err == nil {
			t.Fatalf("Publish succeeded on status %d", status)
		}
		s.wantNoSecret(t, "an error", err.Error())
	}
	s.wantNoSecret(t, "the log", s.log.String())
}

func lostErrorShowsNoSecrets(t *testing.T, s *stage) {
	d := s.ready(t, "hello")
	s.inject(t, simulation.Fault{Operation: s.fixture.Operations.Publish, Refuse: true})
	_, err := s.connector.Publish(t.Context(), d)
	wantKind(t, err, schema.Unknown)
	s.wantNoSecret(t, "an error", err.Error())
	s.wantNoSecret(t, "the log", s.log.String())
}
