package graph

import (
	"time"

	"crier/connectors/simulators/simulation"
)

// The statuses of a container (developers.facebook.com/docs/threads/troubleshooting,
// docs/instagram-platform/instagram-graph-api/reference/ig-container).
const (
	InProgress = "IN_PROGRESS"
	Finished   = "FINISHED"
	Published  = "PUBLISHED"
	Failed     = "ERROR"
	Expired    = "EXPIRED"
)

const (
	// ContainerLife is how long a container can be published.
	ContainerLife = 24 * time.Hour
	// VideoWork is how long a simulator works on a video; all else is ready at once.
	VideoWork = 2 * time.Second
)

// StatusOf returns how a container stands, which is an upload of the world. failure is why its
// media could not be made ready; empty: it could.
func StatusOf(w *simulation.World, c simulation.Upload, failure string) string {
	now := w.Now()
	switch _, isPublished := w.PostOfKey(c.Account, c.ID); {
	case isPublished:
		return Published
	case !now.Before(c.CreatedAt.Add(ContainerLife)):
		return Expired
	case now.Before(c.ReadyAt):
		return InProgress
	case failure != "":
		return Failed
	default:
		return Finished
	}
}
