package simulation

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"crier/schema"
)

// A call under a field fault takes effect, whatever its answer looks like.
func TestFieldFaultsTakeEffect(t *testing.T) {
	now := time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)
	for marker, want := range map[string]struct {
		status int
		holds  func(body string) bool
	}{
		markEmpty:   {http.StatusCreated, func(body string) bool { return body == "" }},
		markSmaller: {http.StatusCreated, func(body string) bool { return body == "{}" }},
		markLarger:  {http.StatusCreated, func(body string) bool { return len(body) > 64<<10 && json.Valid([]byte(body)) }},
		markAfter:   {http.StatusInternalServerError, func(body string) bool { return body == "failed" }},
	} {
		t.Run(marker, func(t *testing.T) {
			w := NewWorld(Config{Platform: schema.Mastodon, Now: func() time.Time { return now }})
			d := Dialect{Fail: func(rw http.ResponseWriter, _ Outcome, status int) {
				rw.WriteHeader(status)
				rw.Write([]byte("failed"))
			}}
			rw := httptest.NewRecorder()
			w.Publish(rw, nil, VisibleCall{Dialect: d, Account: "a", Text: "hello " + marker}, func(rw http.ResponseWriter) {
				if _, _, err := w.Add(Post{Account: "a", Text: "hello " + marker}); err != nil {
					t.Fatal(err)
				}
				rw.WriteHeader(http.StatusCreated)
				rw.Write([]byte(`{"id":"1"}`))
			})
			if rw.Code != want.status || !want.holds(rw.Body.String()) {
				t.Errorf("answer %d of %d bytes", rw.Code, rw.Body.Len())
			}
			if posts := w.Posts(); len(posts) != 1 {
				t.Errorf("%d posts", len(posts))
			}
		})
	}
}

func TestListsThatAreLate(t *testing.T) {
	now := time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)
	w := NewWorld(Config{Platform: schema.Mastodon, Now: func() time.Time { return now }})
	var fresh Post
	for _, text := range []string{"plain", "late " + markLate, "hidden " + markHidden, "fresh " + markFresh} {
		p, _, err := w.Add(Post{Account: "a", Text: text})
		if err != nil {
			t.Fatal(err)
		}
		fresh = p
	}
	want := func(listed string, readable bool) {
		t.Helper()
		var texts []string
		for p := range w.Listed("a") {
			word, _, _ := strings.Cut(p.Text, " ")
			texts = append(texts, word)
		}
		if got := strings.Join(texts, " "); got != listed {
			t.Errorf("the list has %q, want %q", got, listed)
		}
		if _, ok := w.Readable("a", fresh.ID); ok != readable {
			t.Errorf("the fresh post is found: %t", ok)
		}
	}
	want("fresh plain", false)
	now = now.Add(LateList)
	want("fresh late plain", true)
}

// An incident answers all calls until it is healed.
func TestAnIncidentLastsUntilItIsHealed(t *testing.T) {
	w := NewWorld(Config{Platform: schema.Threads, Now: time.Now})
	if err := w.Inject(Fault{Status: http.StatusForbidden, Times: always, Body: `{"error":{"code":10}}`}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, ok := w.faults.take("GET /{id}"); !ok {
			t.Fatal("the incident is over")
		}
	}
	w.Heal()
	if _, ok := w.faults.take("GET /{id}"); ok {
		t.Error("the incident goes on")
	}
}
