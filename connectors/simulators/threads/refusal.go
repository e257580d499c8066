package threads

import (
	"net/http"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/graph"
)

// mediaNotFound is what a container is answered with that cannot be published: whether it is
// not there, not ready, expired or published already is not said.
func mediaNotFound(id string) *graph.Error {
	r := graph.Bad(24, 4279009, "The requested resource does not exist")
	r.ForPeople = "The media with id " + id + " cannot be found."
	return r
}

func usedUp() *graph.Error {
	r := graph.Bad(9, 2207042, "Application request limit reached")
	r.ForPeople = "You have reached the maximum number of posts that can be published in a day."
	return r
}

// withdrawn is the error of a permission that is missing.
func withdrawn() graph.Error {
	return graph.Error{Status: http.StatusForbidden, Code: 10, Message: "Application does not have permission for this action"}
}

// isStopped reports whether an end stops an operation: a token without the permission to
// publish still reads.
func isStopped(end simulation.End, operation string) bool {
	return end != simulation.ScopeWithdrawn || operation == opPublish || operation == "POST /{user}/threads"
}
