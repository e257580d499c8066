package instagram

import (
	"net/http"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/graph"
)

// mediaNotFound is what a container is answered with that is not there, expired or published.
func mediaNotFound() *graph.Error {
	r := graph.Bad(24, 2207008, "The requested resource does not exist")
	r.ForPeople = "The media builder with this creation id does not exist or has been expired."
	return r
}

func notReady() *graph.Error {
	r := graph.Bad(9007, 2207027, "Media ID is not available")
	r.ForPeople = "The media is not ready to be published. Please wait a moment."
	return r
}

func usedUp() *graph.Error {
	r := graph.Bad(9, 2207042, "Application request limit reached")
	r.ForPeople = "You reached the maximum number of posts that is allowed to be published by the Content Publishing API."
	return r
}

// withdrawn is the error of a permission that is missing.
func withdrawn() graph.Error {
	return graph.Error{Status: http.StatusForbidden, Code: 10, Message: "Application does not have permission for this action"}
}

// isStopped reports whether an end stops an operation: a token without the permission to
// publish still reads.
func isStopped(end simulation.End, operation string) bool {
	return end != simulation.ScopeWithdrawn || operation == opCreate || operation == opPublish || operation == opComment
}
