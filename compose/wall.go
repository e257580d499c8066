package compose

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"

	"crier/connectors"
	"crier/connectors/simulators/wall"
	"crier/pipeline"
	"crier/schema"
	"crier/schema/postgres"
)

// openWalls learns how the walls of the sandbox are called.
func (b *base) openWalls(ctx context.Context) error {
	secret, err := postgres.NewAdmin(b.store).WallSecret(ctx)
	b.walls = wall.NewAddresses(secret)
	return err
}

// walled are platforms of which the sandbox's accounts publish on walls.
type walled struct {
	pipeline.Platforms
	addresses wall.Addresses
	base      string // where browsers reach walls
}

// Connector implements connectors.Resolver.
func (w walled) Connector(a schema.Account) (connectors.Connector, error) {
	connector, err := w.Platforms.Connector(a)
	if err != nil || !a.Sandbox {
		return connector, err
	}
	return wall.Through(connector, w.addresses, w.base, a), nil
}

// wallReaders is how many requests of browsers are carried on to the sandbox at a time.
const wallReaders = 32

// withWalls serves the walls beside the REST API, where browsers reach it, from the sandbox,
// which they need not reach.
func (b *base) withWalls(api http.Handler) (http.Handler, error) {
	if b.simulated == "" {
		return api, nil
	}
	sandbox, err := url.Parse(b.simulated)
	if err != nil {
		return nil, fmt.Errorf("reading address of the sandbox: %w", err)
	}
	reaching, err := b.config.guard(b.simulated)
	if err != nil {
		return nil, err
	}
	carrier := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(sandbox)
			header := r.In.Header
			r.Out.Header = http.Header{} // neither a key nor a cookie goes there
			for _, name := range []string{"Accept", "Range", "If-Range", "If-Modified-Since", "If-Unmodified-Since"} {
				if values := header.Values(name); len(values) > 0 {
					r.Out.Header[name] = values
				}
			}
		},
		Transport: reaching.Client().Transport,
		ErrorLog:  slog.NewLogLogger(b.config.Logger.Handler(), slog.LevelDebug),
		ErrorHandler: func(rw http.ResponseWriter, _ *http.Request, _ error) {
			http.Error(rw, "The sandbox cannot be reached.", http.StatusBadGateway)
		},
	}
	places := make(chan struct{}, wallReaders)
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, wall.Path) || r.Method != http.MethodGet && r.Method != http.MethodHead {
			api.ServeHTTP(rw, r)
			return
		}
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
			carrier.ServeHTTP(rw, r)
		default:
			rw.Header().Set("Retry-After", "1")
			http.Error(rw, "Too many are looking at walls.", http.StatusServiceUnavailable)
		}
	}), nil
}
