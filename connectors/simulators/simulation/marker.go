package simulation

import (
	"net/http"
	"strings"
	"sync"
	"time"
)

// Outcome is what can be forced on a publishing call.
type Outcome int

// The outcomes, each forced by its marker in the text of a post.
const (
	None         Outcome = iota
	RateLimit            // [crier:rate-limit]: the first call is told to wait
	Outage               // [crier:outage]: the first two calls fail without effect
	ExpiredToken         // [crier:expired-token]: every call
	LostAnswer           // [crier:lost-answer]: the first call takes effect, its answer is cut off
	Slow                 // [crier:slow]: the first call takes effect and is answered after SlowAnswer
	Refused              // [crier:refused]: every call
	ErrorAfter           // [crier:error-after]: the first call takes effect, its answer is a failure
	Reshaped             // [crier:empty-answer] and its like: the answer of every call
)

// SlowAnswer is how long a call takes that is forced to be slow.
const SlowAnswer = 5 * time.Second

// always is the number of calls of an outcome that never ends.
const always = -1

var outcomes = []struct {
	marker  string
	outcome Outcome
	calls   int
}{
	{"[crier:rate-limit]", RateLimit, 1},
	{"[crier:outage]", Outage, 2},
	{"[crier:expired-token]", ExpiredToken, always},
	{"[crier:lost-answer]", LostAnswer, 1},
	{"[crier:slow]", Slow, 1},
	{"[crier:refused]", Refused, always},
	{markAfter, ErrorAfter, 1},
	{markEmpty, Reshaped, always},
	{markSmaller, Reshaped, always},
	{markLarger, Reshaped, always},
}

// Dialect is how a platform words what is forced on its calls.
type Dialect struct {
	// Operation names the operation of a request as the platform does; empty: not known.
	Operation func(*http.Request) string
	// Fail answers with RateLimit, Outage, ExpiredToken or Refused in the platform's
	// form. A status of 0 is the platform's own for that outcome. Headers that are set
	// already, such as Retry-After, were asked for and hold.
	Fail   func(rw http.ResponseWriter, o Outcome, status int)
	Ending Ending
	// Show tells how the platform shows a post; nil: as plain text.
	Show func(Post) View
}

// Operations names requests by the patterns of a mux that serve them; "/" serves what is not known.
func Operations(mux *http.ServeMux) func(*http.Request) string {
	return func(r *http.Request) string {
		_, pattern := mux.Handler(r)
		if pattern == "/" {
			return ""
		}
		return pattern
	}
}

// VisibleCall is a call that publishes.
type VisibleCall struct {
	Dialect Dialect
	Account string
	Text    string // which may have a marker
}

// Publish runs the effect of a call under the marker in its text. The effect adds the post and
// answers.
func (w *World) Publish(rw http.ResponseWriter, r *http.Request, call VisibleCall, effect func(http.ResponseWriter)) {
	if end := w.markedEnd(call.Text); end != Alive {
		call.Dialect.Ending.Refuse(rw, end)
		return
	}
	switch outcome := w.markers.meet(call.Account, call.Text); outcome {
	case None:
		effect(rw)
	case LostAnswer:
		effect(newAnswer())
		cut()
	case ErrorAfter:
		failAfter(rw, effect, func(rw http.ResponseWriter) { call.Dialect.Fail(rw, Outage, http.StatusInternalServerError) })
	case Reshaped:
		answerReshaped(rw, shapeOf(call.Text), effect)
	case Slow:
		answerLater(rw, r, SlowAnswer, effect)
	default:
		call.Dialect.Fail(rw, outcome, 0)
	}
}

// markers counts the calls that met one.
type markers struct {
	mu  sync.Mutex
	met map[name]int // by account and text
}

func (m *markers) clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.met = nil
}

// meet returns what the marker in a text forces on this call.
func (m *markers) meet(account, text string) Outcome {
	if !strings.Contains(text, "[crier:") {
		return None
	}
	for _, o := range outcomes {
		if strings.Contains(text, o.marker) {
			return m.count(name{account, text}, o.outcome, o.calls)
		}
	}
	return None
}

func (m *markers) count(text name, outcome Outcome, calls int) Outcome {
	if calls == always {
		return outcome
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.met == nil {
		m.met = map[name]int{}
	}
	if m.met[text] >= calls {
		return None
	}
	m.met[text]++
	return outcome
}
