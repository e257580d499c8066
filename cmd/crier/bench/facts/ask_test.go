package facts

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestWhatDashboardsAskIsMeasured(t *testing.T) {
	files, err := filepath.Glob("../../../../compose/grafana/dashboards/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var questions []string
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var dashboard struct {
			Panels []struct {
				Targets []struct{ RawSQL string }
			}
		}
		if err := json.Unmarshal(text, &dashboard); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, panel := range dashboard.Panels {
			for _, target := range panel.Targets {
				if target.RawSQL != "" {
					questions = append(questions, target.RawSQL)
				}
			}
		}
	}
	var measured []string
	for _, q := range dashboardQueries {
		measured = append(measured, q.sql)
	}
	for _, sql := range questions {
		if !slices.Contains(measured, sql) {
			t.Errorf("nobody measures %s", sql)
		}
	}
	for _, sql := range measured {
		if !slices.Contains(questions, sql) {
			t.Errorf("no dashboard asks %s", sql)
		}
	}
}
