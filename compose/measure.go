package compose

import (
	"fmt"
	"syscall"

	"github.com/prometheus/client_golang/prometheus"
)

// measure registers what a process tells of itself: which of its roles are ready, and how
// much room its data folder has.
func (b *base) measure(stages []stage) error {
	folder := b.parts.data.Path("")
	collectors := []prometheus.Collector{prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "crier_data_free_bytes",
		Help: "Room on the disk of the data folder.",
	}, func() float64 { return freeBytes(folder) })}
	for _, role := range b.config.Roles {
		collectors = append(collectors, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name:        "crier_ready",
			Help:        "Whether all of a role's work is consumed here: 1, or 0; /readyz says why not.",
			ConstLabels: prometheus.Labels{"role": role},
		}, func() float64 { return readyValue(stages, role) }))
	}
	for _, c := range collectors {
		if err := b.config.Registerer.Register(c); err != nil {
			return fmt.Errorf("registering metrics: %w", err)
		}
	}
	return nil
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
	return float64(disk.Bavail) * float64(disk.Bsize)
}
