package compose

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/pprof"
	"syscall"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"crier/analytics/dashboards"
)

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
	folder, factory := b.parts.data.Path(""), promauto.With(b.config.Registerer)
	factory.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "crier_data_free_bytes",
		Help: "Room on the disk of the data folder.",
	}, func() float64 { return freeBytes(folder) })
	factory.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "crier_media_disk_bytes",
		Help: "Disk that media takes in the data folder, as counted: uploads, their parts, and what is fetched for posts.",
	}, func() float64 { return float64(b.room.Used()) })
	for _, role := range b.config.Roles {
		factory.NewGaugeFunc(prometheus.GaugeOpts{
			Name:        "crier_ready",
			Help:        "Whether all of a role's work is consumed here: 1, or 0; /readyz says why not.",
			ConstLabels: prometheus.Labels{"role": role},
		}, func() float64 { return readyValue(stages, role) })
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
