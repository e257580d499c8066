package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/prometheus/prometheus/promql/parser"
)

// parseDashboards parses what Grafana's dashboards ask Prometheus.
func parseDashboards(paths []string) error {
	var failures []error
	queries := 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var dashboard struct {
			Panels []struct {
				Title   string `json:"title"`
				Targets []struct {
					Expr string `json:"expr"`
				} `json:"targets"`
			} `json:"panels"`
		}
		if err := json.Unmarshal(text, &dashboard); err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		for _, panel := range dashboard.Panels {
			for _, target := range panel.Targets {
				if target.Expr == "" {
					continue
				}
				queries++
				if _, err := parser.ParseExpr(target.Expr); err != nil {
					failures = append(failures, fmt.Errorf("%s: %s: %w", path, panel.Title, err))
				}
			}
		}
	}
	if len(paths) > 0 {
		fmt.Println(queries, "queries of dashboards can be read")
	}
	return errors.Join(failures...)
}
