package graph

import (
	"encoding/json"
	"net/http"
	"slices"
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

// Keep stores a container with what it was asked for with.
func Keep(w *simulation.World, container simulation.Upload, request any) (simulation.Upload, error) {
	fields, err := json.Marshal(request)
	if err != nil {
		return container, err
	}
	container.Fields = fields
	return w.PutUpload(container)
}

// Pulls is what instagram and threads take of media that they fetch from its address.
type Pulls struct {
	World                        *simulation.World
	ImageTypes                   []string
	MaxImageBytes, MaxVideoBytes int64
	Unreachable                  int    // code of an image that is not there
	NoVideo, BadVideo            string // what a container says of a video that is not there, or is none

	IsShaped func(simulation.Measured) bool   // whether a picture has sides that are taken
	Failure  func(simulation.Measured) string // what a container says of a film; empty: nothing
}

// Image fetches a picture while the caller waits.
func (p Pulls) Image(r *http.Request, container *simulation.Upload) (err error) {
	container.Type, container.Size, err = p.World.Pull(r.Context(), container.Content, r.FormValue("image_url"))
	switch {
	case err != nil:
		return Bad(p.Unreachable, 2207052, "The media could not be fetched from this URI")
	case container.Size > p.MaxImageBytes:
		return Bad(36000, 2207004, "The image is too large to download.")
	case !slices.Contains(p.ImageTypes, container.Type):
		return Bad(36001, 2207005, "The image format is not supported.")
	case !p.IsShaped(p.World.Measure(container.Content)):
		return Bad(36003, 2207009, "The image's aspect ratio does not fall within our acceptable range.")
	}
	return nil
}

// Video fetches a video: what is wrong with it, the container says later.
func (p Pulls) Video(r *http.Request, container *simulation.Upload) (failure string) {
	var err error
	container.Type, container.Size, err = p.World.Pull(r.Context(), container.Content, r.FormValue("video_url"))
	switch {
	case err != nil:
		return p.NoVideo
	case container.Size > p.MaxVideoBytes || !slices.Contains([]string{"video/mp4", "video/quicktime"}, container.Type):
		return p.BadVideo
	default:
		return p.Failure(p.World.Measure(container.Content))
	}
}
