package pipeline

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/schema"
)

func TestAProcessWithoutShardsShowsNothingOverdue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := prometheus.NewRegistry()
		d := &Delay{metrics: NewMetrics(registry), assignments: make(chan assignment)}
		d.metrics.showOverdue(schema.Overdue{Oldest: time.Hour, Waiting: 3, Held: 2})
		go d.followAssignments(t.Context())
		d.assignments <- assignment{ctx: t.Context()}
		synctest.Wait()
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		shown := map[string]float64{}
		for _, f := range families {
			if len(f.GetMetric()) > 0 {
				shown[f.GetName()] = f.GetMetric()[0].GetGauge().GetValue()
			}
		}
		for _, name := range []string{"crier_oldest_overdue_seconds", "crier_overdue", "crier_held"} {
			if value, is := shown[name]; !is || value != 0 {
				t.Errorf("%s shows %v, want 0", name, value)
			}
		}
	})
}
