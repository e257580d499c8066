package wall

import (
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// Path is where walls are, on the sandbox's host and on the gateway's.
const Path = "/wall/"

// wall serves the walls of all workspaces.
type wall struct {
	addresses Addresses
	worlds    []*simulation.World
}

// Handler serves the walls under Path. A wrong address is 404, as what is not there.
func Handler(a Addresses, worlds []*simulation.World) http.Handler {
	w := &wall{a, worlds}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Path+"{address}/{$}", w.opened(w.stream))
	mux.HandleFunc("GET "+Path+"{address}/{platform}", w.opened(w.platform))
	mux.HandleFunc("GET "+Path+"{address}/{platform}/{place}/{n}", w.opened(w.media))
	mux.HandleFunc("/", notFound)
	return guarded(mux)
}

// guarded has browsers keep to the page, and tell nobody where it is: its address is secret.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		h := rw.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Robots-Tag", "noindex, nofollow")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "private, no-store")
		next.ServeHTTP(rw, r)
	})
}

func notFound(rw http.ResponseWriter, r *http.Request) {
	show(visit{rw: rw, r: r}, http.StatusNotFound, pageData{Title: "There is nothing here", Missing: true})
}

// visit is one request of a workspace's wall.
type visit struct {
	rw        http.ResponseWriter
	r         *http.Request
	workspace schema.WorkspaceID
}

func (w *wall) opened(handle func(visit)) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		workspace, ok := w.addresses.Workspace(r.PathValue("address"))
		if !ok {
			notFound(rw, r)
			return
		}
		handle(visit{rw, r, workspace})
	}
}

func (w *wall) world(name string) *simulation.World {
	for _, world := range w.worlds {
		if world.Platform().String() == name {
			return world
		}
	}
	return nil
}

// shownTypes are what browsers show within a page. All else is only ever downloaded.
var shownTypes = []string{
	"image/jpeg", "image/png", "image/gif", "image/webp", "image/avif", "video/mp4", "video/webm", "video/quicktime",
}

// media serves the n-th media item of a post by its place.
func (w *wall) media(v visit) {
	world := w.world(v.r.PathValue("platform"))
	at, placeErr := strconv.Atoi(v.r.PathValue("place"))
	n, err := strconv.Atoi(v.r.PathValue("n"))
	if world == nil || placeErr != nil || err != nil {
		notFound(v.rw, v.r)
		return
	}
	post, ok := world.PublishedAt(v.workspace, at)
	if !ok || n < 0 || n >= len(post.Media) {
		notFound(v.rw, v.r)
		return
	}
	file, err := world.Content(post.Media[n].Content)
	if err != nil {
		notFound(v.rw, v.r)
		return
	}
	defer file.Close()
	h := v.rw.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cache-Control", "private, max-age=3600")
	h.Set("Content-Type", post.Media[n].Type)
	if !slices.Contains(shownTypes, post.Media[n].Type) {
		h.Set("Content-Type", "application/octet-stream")
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": fileName(post.Media[n].Type)}))
	}
	http.ServeContent(v.rw, v.r, "", post.CreatedAt.Truncate(time.Second), file)
}

func fileName(mediaType string) string {
	_, kind := path.Split(strings.ToLower(mediaType))
	if kind != "pdf" {
		kind = "bin"
	}
	return "document." + kind
}
