package graph

import (
	"encoding/json"
	"net/http"
	"time"

	"crier/connectors/simulators/simulation"
)

const useCaseUsage = "X-Business-Use-Case-Usage"

// Window counts the calls of an account since it began.
type Window struct {
	Ends  time.Time
	Calls int
}

// Day is how long a window lasts, and over which platforms count posts.
const Day = 24 * time.Hour

// Count counts a call, in a new window where the last one has ended.
func (w *Window) Count(now time.Time) {
	if !now.Before(w.Ends) {
		*w = Window{Ends: now.Add(Day)}
	}
	w.Calls++
}

// UseCase is how much of the limit of a use case is used
// (developers.facebook.com/docs/graph-api/overview/rate-limiting).
type UseCase struct {
	Account string
	Kind    string // of the use case, as the platform calls it
	Percent int
	Regain  int // minutes until calls are answered again
}

// SetUseCase tells in a header how much of a use case is used.
func SetUseCase(header http.Header, u UseCase) {
	set(header, useCaseUsage, map[string]any{u.Account: []map[string]any{{
		"type": u.Kind, "call_count": u.Percent, "total_cputime": 0, "total_time": 0, "estimated_time_to_regain_access": u.Regain,
	}}})
}

// SetApp tells in a header how much of the app's limit is used.
func SetApp(header http.Header, percent int) {
	set(header, "X-App-Usage", map[string]any{"call_count": percent, "total_cputime": 0, "total_time": 0})
}

func set(header http.Header, name string, usage any) {
	encoded, err := json.Marshal(usage)
	if err != nil {
		panic(err) // not reached: maps of numbers
	}
	header.Set(name, string(encoded))
}

// Forced returns a Dialect's Fail. A rate limit names the shortest wait that the APIs can, of a
// use case of the kind, unless a fault has named one.
func Forced(kind string) func(http.ResponseWriter, simulation.Outcome, int) {
	return func(rw http.ResponseWriter, o simulation.Outcome, status int) {
		e := Invalid("this text is not allowed")
		switch o {
		case simulation.RateLimit:
			e = Throttled()
			if rw.Header().Get(useCaseUsage) == "" && rw.Header().Get("Retry-After") == "" {
				SetUseCase(rw.Header(), UseCase{Account: "0", Kind: kind, Percent: 100, Regain: 1})
			}
		case simulation.ExpiredToken:
			e = ExpiredToken()
		case simulation.Outage:
			e = Outage()
		}
		if status != 0 {
			e.Status = status
		}
		e.WriteTo(rw)
	}
}
