package compose_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/prometheus/client_golang/prometheus"

	"crier/compose"
)

// registered are the names of crier's metrics in a process with every role.
func registered(t *testing.T) []string {
	t.Helper()
	c := startConfig(t)
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	var names []string
	err := compose.Serve(ctx, c, func(context.Context, *compose.Running) error {
		names = describe(c.Registerer)
		stop()
		return nil
	})
	if err != nil || len(names) == 0 {
		t.Fatalf("Serve = %v, %d metrics", err, len(names))
	}
	return names
}

// describe lists the metrics of a registry, also those that have no value yet.
func describe(registry *prometheus.Registry) (names []string) {
	descriptions := make(chan *prometheus.Desc)
	go func() {
		registry.Describe(descriptions)
		close(descriptions)
	}()
	name := regexp.MustCompile(`fqName: "(crier_\w+)"`)
	for d := range descriptions {
		if found := name.FindStringSubmatch(d.String()); found != nil {
			names = append(names, found[1])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// namesIn lists what a pattern finds in a file, each once.
func namesIn(t *testing.T, path, pattern string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
		names = append(names, found[1])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func TestDocumentsAndRulesNameTheMetricsThereAre(t *testing.T) {
	besideOthers(t)
	have := registered(t)
	documented := namesIn(t, "../docs/operating/metrics.md", "(?m)^\\| `(crier_\\w+)`")
	if !slices.Equal(have, documented) {
		t.Errorf("registered:\n%s\ndocumented:\n%s", strings.Join(have, "\n"), strings.Join(documented, "\n"))
	}
	dashboards, err := filepath.Glob("grafana/dashboards/*.json")
	if err != nil || len(dashboards) == 0 {
		t.Fatal(dashboards, err)
	}
	for _, path := range append(dashboards, "prometheus/rules.yaml", "../docs/operating/runbook.md") {
		for _, name := range namesIn(t, path, `(crier_\w+)`) {
			if strings.HasPrefix(name, "crier_v1_") {
				continue // a view of ClickHouse
			}
			family := strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_count")
			if !slices.Contains(have, family) {
				t.Errorf("%s uses %s, which is no metric of crier", path, name)
			}
		}
	}
}

// readYAML reads a file into a T.
func readYAML[T any](t *testing.T, path string) (file T) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file
}

// ruleFile is what the tests read of compose/prometheus/rules.yaml.
type ruleFile struct {
	Groups []struct {
		Rules []struct {
			Alert       string
			Expr        string
			Annotations map[string]string
		}
	}
}

func TestEachAlertHasItsSectionInTheRunbook(t *testing.T) {
	var alerts []string
	for _, group := range readYAML[ruleFile](t, "prometheus/rules.yaml").Groups {
		for _, rule := range group.Rules {
			alerts = append(alerts, rule.Alert)
			if want := "docs/operating/runbook.md#" + strings.ToLower(rule.Alert); rule.Annotations["runbook"] != want {
				t.Errorf("the runbook of %s is %q, want %q", rule.Alert, rule.Annotations["runbook"], want)
			}
			if rule.Expr == "" || rule.Annotations["summary"] == "" {
				t.Errorf("%s lacks its expression or its summary", rule.Alert)
			}
		}
	}
	slices.Sort(alerts)
	if sections := namesIn(t, "../docs/operating/runbook.md", `(?m)^## (\w+)$`); !slices.Equal(alerts, sections) {
		t.Errorf("alerts %v, sections %v", alerts, sections)
	}
}

func TestEachAlertIsTestedFiringAndQuiet(t *testing.T) {
	type testFile struct {
		Tests []struct {
			Alerts []struct {
				Name   string `yaml:"alertname"`
				Firing []any  `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
		}
	}
	firing, quiet := map[string]bool{}, map[string]bool{}
	for _, test := range readYAML[testFile](t, "prometheus/rules_test.yaml").Tests {
		for _, a := range test.Alerts {
			if len(a.Firing) > 0 {
				firing[a.Name] = true
			} else {
				quiet[a.Name] = true
			}
		}
	}
	for _, group := range readYAML[ruleFile](t, "prometheus/rules.yaml").Groups {
		for _, rule := range group.Rules {
			if !firing[rule.Alert] || !quiet[rule.Alert] {
				t.Errorf("%s: tested firing %t, quiet %t", rule.Alert, firing[rule.Alert], quiet[rule.Alert])
			}
		}
	}
}
