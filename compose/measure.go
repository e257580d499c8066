package compose

import (
	"syscall"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

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
	return float64(disk.Bavail) * float64(disk.Bsize)
}
