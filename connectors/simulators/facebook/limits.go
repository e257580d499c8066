package facebook

import (
	"time"

	"crier/connectors/simulators/simulation/graph"
)

// A page's tokens have 4,800 calls in 24 hours for each person it has engaged; the simulated
// ones have one (graph-api/overview/rate-limiting).
const maxCalls = 4800

// count counts a call, tells in the headers how much is used, and refuses what is over.
func (s *simulator) count(v visit) bool {
	profile, now := profileOf(v.account), s.world.Now()
	profile.mu.Lock()
	defer profile.mu.Unlock()
	window := &profile.window
	window.Count(now)
	if !s.limited {
		return true
	}
	isOver := window.Calls > maxCalls
	usage := graph.UseCase{Account: v.account.ID, Kind: "pages", Percent: min(100*window.Calls/maxCalls, 100)}
	if isOver {
		usage.Regain = int(window.Ends.Sub(now)/time.Minute) + 1
	}
	graph.SetUseCase(v.rw.Header(), usage)
	graph.SetApp(v.rw.Header(), 1)
	if isOver {
		graph.Bad(80001, 2446079, "(#80001) There have been too many calls to this Page account. Wait a bit and try again.").WriteTo(v.rw)
	}
	return !isOver
}

func tooMany() *graph.Error {
	return graph.Bad(32, 0, "(#32) Page request limit reached")
}
