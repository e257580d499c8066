package facebook

import (
	"net/http"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/graph"
)

// withdrawn is the error of a permission that is missing.
func withdrawn() graph.Error {
	return graph.Error{
		Status: http.StatusForbidden, Code: 200,
		Message: "(#200) If posting to a page, requires both pages_read_engagement and pages_manage_posts as an admin with sufficient administrative permission",
	}
}

// isStopped reports whether an end stops a call: a token without the permission to write still
// reads.
func isStopped(end simulation.End, r *http.Request) bool {
	return end != simulation.ScopeWithdrawn || r.Method != http.MethodGet
}

// inspect tells what the caller's own token is good for.
func (s *simulator) inspect(v visit) {
	if v.r.URL.Query().Get("input_token") == "" {
		v.fail(graph.Bad(100, 0, "(#100) The parameter input_token is required"))
		return
	}
	graph.Answer(v.rw, http.StatusOK, map[string]any{"data": graph.Inspected(s.world, v.account, knownScopes(), "pages_manage_posts")})
}
