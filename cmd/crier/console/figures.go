package console

import (
	"fmt"
	"io"
	"math"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// measure reads the metrics that status shows; docs/operating/metrics.md says what they are.
func (h *Health) measure(from io.Reader) error {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(from)
	if err != nil {
		return fmt.Errorf("parsing: %w", err)
	}
	of := func(name string) figures { return families["crier_"+name].GetMetric() }
	h.Overdue, h.OldestOverdue = of("overdue").sum(), of("oldest_overdue_seconds").sum()
	h.Held, h.OldestInOutbox = of("held").sum(), of("outbox_oldest_seconds").sum()
	h.OverdueAge = of("overdue_age_seconds").sum()
	h.Breakers, h.Outcomes = of("open_breakers").by("platform"), of("targets_total").by("outcome")
	h.Deliveries = of("webhook_deliveries_total").by("outcome")
	h.Behind = map[string]bool{}
	for chore, behind := range of("chore_behind").by("chore") {
		if behind > 0 {
			h.Behind[chore] = true
		}
	}
	h.Stages = map[string]*Stage{}
	for stage, n := range of("queued").by("stage") {
		h.stage(stage).Queued = n
	}
	for group, n := range of("stream_lag").by("group") {
		h.stage(strings.TrimPrefix(group, "crier-")).Lag = n // groups are named for stages
	}
	for stage, n := range of("dead_letters").by("stage") {
		h.stage(stage).DeadLetters = n
	}
	h.Lateness = map[string]Lateness{}
	for _, m := range of("lateness_seconds") {
		if late := m.GetHistogram(); late.GetSampleCount() > 0 {
			h.Lateness[label(m, "platform")] = Lateness{late.GetSampleCount(), within(late, 0.5), within(late, 0.99)}
		}
	}
	return nil
}

func (h *Health) stage(name string) *Stage {
	if h.Stages[name] == nil {
		h.Stages[name] = &Stage{}
	}
	return h.Stages[name]
}

// figures are those of one name.
type figures []*dto.Metric

func (f figures) sum() (all float64) {
	for _, m := range f {
		all += value(m)
	}
	return all
}

// by adds up the figures of each value of a label.
func (f figures) by(name string) map[string]float64 {
	all := map[string]float64{}
	for _, m := range f {
		all[label(m, name)] += value(m)
	}
	return all
}

func value(m *dto.Metric) float64 {
	return m.GetGauge().GetValue() + m.GetCounter().GetValue() + m.GetUntyped().GetValue()
}

func label(m *dto.Metric, name string) string {
	for _, l := range m.GetLabel() {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}

// within is the bucket's upper bound that this share of all is within, as far as the buckets go.
func within(h *dto.Histogram, share float64) float64 {
	maximum := 0.0
	for _, b := range h.GetBucket() {
		if !math.IsInf(b.GetUpperBound(), 1) {
			maximum = b.GetUpperBound()
		}
		if float64(b.GetCumulativeCount()) >= share*float64(h.GetSampleCount()) {
			return maximum
		}
	}
	return maximum
}
