package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/model/timestamp"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/template"
)

// rules are the alerts under test.
type rules []rulefmt.Rule

// readRules reads rule files and checks their expressions and templates.
func readRules(folder string, names []string) (rules, error) {
	var all rules
	for _, name := range names {
		file, errs := rulefmt.ParseFile(filepath.Join(folder, name), false)
		if err := errors.Join(errs...); err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		for _, g := range file.Groups {
			all = append(all, g.Rules...)
		}
	}
	for _, r := range all {
		if r.Alert == "" || r.KeepFiringFor != 0 {
			return nil, fmt.Errorf("%s%s: only alerts without keep_firing_for can be tested", r.Record, r.Alert)
		}
	}
	return all, nil
}

// test evaluates each expected alert from the start of the series on, as Prometheus does.
func (all rules) test(g group, every time.Duration) error {
	stored, err := newSeries(g)
	if err != nil {
		return err
	}
	engine := promql.NewEngine(promql.EngineOpts{
		Logger: slog.New(slog.DiscardHandler), MaxSamples: 1_000_000, Timeout: time.Minute, LookbackDelta: 5 * time.Minute,
	})
	defer engine.Close()
	var failures []error
	for _, e := range g.Alerts {
		rule, err := all.find(e.Alert)
		if err != nil {
			return err
		}
		run := run{rule: rule, engine: engine, series: stored, pending: map[uint64]time.Time{}}
		got, err := run.firingAt(time.Duration(e.At), every)
		if err != nil {
			return err
		}
		if want := e.complete(rule); !sameAlerts(got, want) {
			failures = append(failures, fmt.Errorf("%s at %s:\n  want %v\n  got  %v", e.Alert, e.At, want, got))
		}
	}
	return errors.Join(failures...)
}

func (all rules) find(name string) (rulefmt.Rule, error) {
	for _, r := range all {
		if r.Alert == name {
			return r, nil
		}
	}
	return rulefmt.Rule{}, fmt.Errorf("there is no alert %s", name)
}

// complete adds the name to the labels expected: it goes without saying.
func (e expectation) complete(rule rulefmt.Rule) []alert {
	for i, a := range e.Firing {
		named := map[string]string{labels.AlertName: rule.Alert}
		maps.Copy(named, a.Labels)
		e.Firing[i].Labels = named
	}
	return e.Firing
}

func sameAlerts(got, want []alert) bool {
	if len(got) != len(want) {
		return false
	}
	for _, w := range want {
		found := false
		for _, g := range got {
			found = found || reflect.DeepEqual(g, w)
		}
		if !found {
			return false
		}
	}
	return true
}

// run is one rule, evaluated again and again.
type run struct {
	rule    rulefmt.Rule
	engine  *promql.Engine
	series  series
	pending map[uint64]time.Time // by labels: since when the expression holds
}

// firingAt returns what fires at a time: what the expression gave at every evaluation
// for as long as the rule's "for".
func (r *run) firingAt(at, every time.Duration) ([]alert, error) {
	start := timestamp.Time(0)
	var firing []alert
	for now := start; !now.After(start.Add(at)); now = now.Add(every) {
		result, err := r.evaluate(now)
		if err != nil {
			return nil, err
		}
		firing = firing[:0]
		since := map[uint64]time.Time{}
		for _, sample := range result {
			key := sample.Metric.Hash()
			since[key] = now
			if before, ok := r.pending[key]; ok {
				since[key] = before
			}
			if now.Sub(since[key]) < time.Duration(r.rule.For) {
				continue
			}
			a, err := r.alert(sample, now)
			if err != nil {
				return nil, err
			}
			firing = append(firing, a)
		}
		r.pending = since
	}
	return firing, nil
}

func (r *run) evaluate(now time.Time) (promql.Vector, error) {
	query, err := r.engine.NewInstantQuery(context.Background(), r.series, nil, r.rule.Expr, now)
	if err != nil {
		return nil, fmt.Errorf("reading the expression of %s: %w", r.rule.Alert, err)
	}
	defer query.Close()
	result := query.Exec(context.Background())
	if result.Err != nil {
		return nil, fmt.Errorf("evaluating %s: %w", r.rule.Alert, result.Err)
	}
	switch value := result.Value.(type) {
	case promql.Vector:
		return value, nil
	case promql.Scalar:
		return promql.Vector{{T: value.T, F: value.V}}, nil
	default:
		return nil, fmt.Errorf("the expression of %s gives a %s", r.rule.Alert, result.Value.Type())
	}
}

// alert is what fires for a sample, its annotations filled in.
func (r *run) alert(sample promql.Sample, now time.Time) (alert, error) {
	a := alert{Labels: sample.Metric.Map(), Annotations: map[string]string{}}
	delete(a.Labels, labels.MetricName)
	data := template.AlertTemplateData(maps.Clone(a.Labels), nil, "", sample)
	maps.Copy(a.Labels, r.rule.Labels)
	a.Labels[labels.AlertName] = r.rule.Alert
	for name, text := range r.rule.Annotations {
		filled, err := template.NewTemplateExpander(context.Background(),
			strings.Join([]string{"{{$labels := .Labels}}", "{{$value := .Value}}", text}, ""),
			r.rule.Alert, data, model.Time(timestamp.FromTime(now)), nil, nil, nil).Expand()
		if err != nil {
			return a, fmt.Errorf("filling in %s of %s: %w", name, r.rule.Alert, err)
		}
		a.Annotations[name] = filled
	}
	return a, nil
}
