package bench

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestCompareTellsRatiosAndTheirSpread compares programs that print figures as benchmarks do.
func TestCompareTellsRatiosAndTheirSpread(t *testing.T) {
	folder := t.TempDir()
	binary := func(name string, rate int, more string) string {
		path, log := filepath.Join(folder, name), filepath.Join(folder, "runs")
		script := fmt.Sprintf(`#!/bin/sh
echo %s >> %s
echo "  0.1s  creating posts: 256 connections" >&2
echo "  1.1s  200 created in 8.0 s (25/s)" >&2
echo '{"name":"create_rate","value":%d,"unit":"requests/s","control":1,"errors":1}'
%s
`, name, log, rate, more)
		if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	older := binary("old", 200, `echo '{"name":"gone","value":1,"unit":"ms"}'`)
	newer := binary("new", 300, `echo '{"name":"added","value":1,"unit":"ms"}'`)
	var figures bytes.Buffer
	c := Comparison{Old: older, New: newer, Names: []string{"create"}, Pairs: 2, Figures: &figures, Progress: io.Discard}
	if err := Compare(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	const want = `{"name":"create_rate","value":300,"unit":"requests/s","control":200,"control_name":"the old binary, in turn, 2 pairs","ratio":1.5,"spread":[1.5,1.5],"goal":null,"goal_of":null,"met":null,"errors":4}`
	if got := strings.TrimSpace(figures.String()); got != want {
		t.Errorf("compared:\n%s\nwant\n%s", got, want)
	}
	if runs, _ := os.ReadFile(filepath.Join(folder, "runs")); string(runs) != "old\nnew\nnew\nold\n" {
		t.Errorf("ran %q", runs)
	}
}

func TestAPhaseIsOfWhatItCreated(t *testing.T) {
	for ending, want := range map[string]measured{
		"50 created in 8.0 s (6/s), p50 1ms": {Name: `cpu of "creating"`, Value: 2, Unit: "ms/post"},
		"publishing for 12s":                 {Name: `cpu of "creating"`, Value: 100, Unit: "ms"},
		"0 created in 8.0 s (0/s)":           {Name: `cpu of "creating"`, Value: 100, Unit: "ms"},
	} {
		if got := (phase{name: "creating"}).figure(100*time.Millisecond, ending); got != want {
			t.Errorf("%q: %+v, want %+v", ending, got, want)
		}
	}
}
