// Command rulestest tests alerting rules against a file in the format of
// "promtool test rules" (prometheus.io/docs/prometheus/latest/configuration/unit_testing_rules),
// with Prometheus's own engine. It is used instead of promtool because that builds
// every service discovery Prometheus knows: minutes, where this takes seconds. It
// knows what alerts need of the format, and refuses everything else.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/common/model"
	"gopkg.in/yaml.v3"
)

// suite is a file of tests.
type suite struct {
	RuleFiles          []string       `yaml:"rule_files"`
	EvaluationInterval model.Duration `yaml:"evaluation_interval"`
	Tests              []group        `yaml:"tests"`
}

// group is series as they are scraped, and what is expected of the alerts.
type group struct {
	Name     string         `yaml:"name"`
	Interval model.Duration `yaml:"interval"` // between the values of a series
	Input    []struct {
		Series string `yaml:"series"`
		Values string `yaml:"values"`
	} `yaml:"input_series"`
	Alerts []expectation `yaml:"alert_rule_test"`
}

// expectation is all that fires of an alert at a time since the start of the series.
type expectation struct {
	At     model.Duration `yaml:"eval_time"`
	Alert  string         `yaml:"alertname"`
	Firing []alert        `yaml:"exp_alerts"`
}

// alert is one that fires.
type alert struct {
	Labels      map[string]string `yaml:"exp_labels"`
	Annotations map[string]string `yaml:"exp_annotations"`
}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: rulestest FILE [DASHBOARD…]")
		os.Exit(2)
	}
	if err := errors.Join(testFile(os.Args[1]), parseDashboards(os.Args[2:])); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func testFile(path string) error {
	s, err := readSuite(path)
	if err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	rules, err := readRules(filepath.Dir(path), s.RuleFiles)
	if err != nil {
		return err
	}
	var failures []error
	cases := 0
	for _, g := range s.Tests {
		if err := rules.test(g, time.Duration(s.EvaluationInterval)); err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", g.Name, err))
		}
		cases += len(g.Alerts)
	}
	if err := errors.Join(failures...); err != nil {
		return err
	}
	fmt.Printf("%d cases of %d rules passed\n", cases, len(rules))
	return nil
}

func readSuite(path string) (suite, error) {
	s := suite{EvaluationInterval: model.Duration(time.Minute)}
	file, err := os.Open(path)
	if err != nil {
		return s, err
	}
	defer file.Close()
	decoder := yaml.NewDecoder(file)
	decoder.KnownFields(true)
	return s, decoder.Decode(&s)
}
