package bench

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"
)

// Paths of the worker that receives webhooks. What a receiver that answers got is listed as the
// simulators list posts.
const (
	quickPath    = "/quick"
	slowPath     = "/slow"
	receivedPath = "/_control/posts"
)

// slowAnswer is how long the slow receiver takes.
const slowAnswer = 50 * time.Millisecond

// receiverConfig is the configuration of a worker that receives webhooks.
type receiverConfig struct{ Listen string }

// receiver is webhooks' receivers, by path. It notes when the first delivery of each event came, by
// the text of its post, and the path.
type receiver struct {
	mu    sync.Mutex
	seen  map[arrivedBy]struct{}
	posts []arrived
}

type arrivedBy struct{ id, path string }

// receive is the worker that receives webhooks.
func receive(ctx context.Context, w *worker) error {
	var c receiverConfig
	if err := w.configure(&c); err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", c.Listen)
	if err != nil {
		return err
	}
	r := &receiver{seen: map[arrivedBy]struct{}{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+quickPath+"/{name}", func(_ http.ResponseWriter, q *http.Request) { r.note(q, time.Now()) })
	mux.HandleFunc("POST "+slowPath+"/{name}", func(_ http.ResponseWriter, q *http.Request) {
		time.Sleep(slowAnswer)
		r.note(q, time.Now())
	})
	mux.HandleFunc("GET "+receivedPath, r.list)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: exchangeLimit}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// note keeps the first delivery of an event to a path.
func (r *receiver) note(request *http.Request, at time.Time) {
	var event struct {
		ID   string
		Data struct{ Post struct{ Content string } }
	}
	if json.NewDecoder(http.MaxBytesReader(nil, request.Body, 1<<20)).Decode(&event) != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	by := arrivedBy{event.ID, request.URL.Path}
	if _, again := r.seen[by]; again {
		return
	}
	r.seen[by] = struct{}{}
	r.posts = append(r.posts, arrived{event.Data.Post.Content, at})
}

func (r *receiver) list(w http.ResponseWriter, _ *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = json.NewEncoder(w).Encode(map[string][]arrived{"posts": r.posts}) // who asked is gone
}
