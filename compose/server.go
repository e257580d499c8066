package compose

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"crier/analytics/dashboards"
	"crier/schema/metric"
)

// server is one listener with what it serves.
type server struct {
	name     string
	listener net.Listener
	http     *http.Server
	log      *slog.Logger
}

// listen takes the address of a flag, so that a port in use is known before anything starts.
func listen(ctx context.Context, flag, address string) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s is in use: stop what listens there, or give another --%s", address, flag)
	case err != nil:
		return nil, fmt.Errorf("listening at the address of --%s: %w", flag, err)
	default:
		return listener, nil
	}
}

func newServer(name string, listener net.Listener, handler http.Handler, log *slog.Logger) *server {
	s := &server{name: name, listener: listener, http: boundedServer(handler), log: log}
	s.http.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelDebug)
	return s
}

// serve answers until ctx ends, then finishes the requests in hand within drain.
func (s *server) serve(ctx context.Context, drain time.Duration) error {
	failed := make(chan error, 1)
	go func() { failed <- s.http.Serve(s.listener) }()
	s.log.InfoContext(ctx, "listening", "for", s.name, "address", s.listener.Addr().String())
	select {
	case err := <-failed:
		return fmt.Errorf("serving %s: %w", s.name, err)
	case <-ctx.Done():
	}
	draining, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	if err := s.http.Shutdown(draining); err != nil {
		s.log.WarnContext(ctx, "requests were cut off", "for", s.name, "err", err)
		_ = s.http.Close() // the connections that did not end in time
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving %s: %w", s.name, err)
	}
	return nil
}

// adminServer serves metrics, health and profiles, for the operator alone.
func (b *base) adminServer(ctx context.Context, stages []stage) (*server, error) {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(b.config.Registerer, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		answerJSON(w, http.StatusOK, map[string]string{"status": "alive"})
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) { b.answerReady(w, r, stages) })
	if b.config.ViewsToken != "" && b.analytics != nil {
		mux.Handle("GET /views/{file}", dashboards.New(dashboards.Config{
			Store: b.analytics.Views(), Token: b.config.ViewsToken, Now: b.store.Now, Logger: b.config.Logger,
		}))
	}
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	listener, err := listen(ctx, "admin-listen", b.config.AdminListen)
	if err != nil {
		return nil, err
	}
	return newServer("metrics and health", listener, mux, b.config.Logger), nil
}

func answerJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // fails only when the client went away
}

// measure registers what a process tells of itself: which of its roles are ready, and how
// much room its data folder has.
func (b *base) measure(stages []stage) {
	folder, register := b.parts.data.Path(""), metric.With(b.config.Registerer)
	register.GaugeFunc("crier_data_free_bytes",
		"Room on the disk of the data folder.", func() float64 { return freeBytes(folder) })
	register.GaugeFunc("crier_media_disk_bytes",
		"Disk that media takes in the data folder, as counted: uploads, their parts, and what is fetched for posts.",
		func() float64 { return float64(b.quota.Used()) })
	for _, role := range b.config.Roles {
		ofRole := metric.With(prometheus.WrapRegistererWith(prometheus.Labels{"role": role}, b.config.Registerer))
		ofRole.GaugeFunc("crier_ready",
			"Whether all of a role's work is consumed here: 1, or 0; /readyz says why not.", func() float64 { return readyValue(stages, role) })
	}
}

func readyValue(stages []stage, role string) float64 {
	for _, s := range stages {
		if s.role == role && s.ready() != nil {
			return 0
		}
	}
	return 1
}

// freeBytes is what a process without privileges may still write; 0 where the folder
// cannot be asked about, which is as bad.
func freeBytes(folder string) float64 {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(folder, &disk); err != nil {
		return 0
	}
	return freeOf(&disk)
}

func freeOf(disk *syscall.Statfs_t) float64 { return float64(disk.Bavail) * float64(disk.Bsize) }
