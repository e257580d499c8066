package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestFigureIsOneLineOfOneShape(t *testing.T) {
	for name, tt := range map[string]struct {
		figure Figure
		want   string
	}{
		"ratio reaches its goal": {
			Figure{Name: "create_rate", Value: 21000.4, Unit: "requests/s", Control: &Control{"pgbench", 7000}, Goal: &Goal{Bound: 3, OfRatio: true, AtLeast: true}},
			`{"name":"create_rate","value":21000,"unit":"requests/s","control":7000,"control_name":"pgbench","ratio":3,"spread":null,"goal":3,"goal_of":"ratio","met":true,"errors":0}`,
		},
		"ratio is too small": {
			Figure{Name: "create_rate", Value: 20000, Unit: "requests/s", Control: &Control{"pgbench", 7000}, Goal: &Goal{Bound: 3, OfRatio: true, AtLeast: true}},
			`{"name":"create_rate","value":20000,"unit":"requests/s","control":7000,"control_name":"pgbench","ratio":2.857,"spread":null,"goal":3,"goal_of":"ratio","met":false,"errors":0}`,
		},
		"value within its goal, whatever the control": {
			Figure{Name: "lateness_p99", Value: 12.3456, Unit: "ms", Control: &Control{"bare call", 3}, Goal: &Goal{Bound: 25}},
			`{"name":"lateness_p99","value":12.346,"unit":"ms","control":3,"control_name":"bare call","ratio":4.115,"spread":null,"goal":25,"goal_of":"value","met":true,"errors":0}`,
		},
		"value over its goal": {
			Figure{Name: "create_p99", Value: 25.1, Unit: "ms", Goal: &Goal{Bound: 25}},
			`{"name":"create_p99","value":25.1,"unit":"ms","control":null,"control_name":null,"ratio":null,"spread":null,"goal":25,"goal_of":"value","met":false,"errors":0}`,
		},
		"an error spoils a goal that is reached": {
			Figure{Name: "create_p99", Value: 1, Unit: "ms", Goal: &Goal{Bound: 25}, Errors: 1},
			`{"name":"create_p99","value":1,"unit":"ms","control":null,"control_name":null,"ratio":null,"spread":null,"goal":25,"goal_of":"value","met":false,"errors":1}`,
		},
		"no goal": {
			Figure{Name: "memory_rest", Value: 300, Unit: "MiB"},
			`{"name":"memory_rest","value":300,"unit":"MiB","control":null,"control_name":null,"ratio":null,"spread":null,"goal":null,"goal_of":null,"met":null,"errors":0}`,
		},
		"a control that came to nothing gives no ratio and meets no goal": {
			Figure{Name: "create_rate", Value: 5, Unit: "requests/s", Control: &Control{"pgbench", 0}, Goal: &Goal{Bound: 3, OfRatio: true, AtLeast: true}},
			`{"name":"create_rate","value":5,"unit":"requests/s","control":0,"control_name":"pgbench","ratio":null,"spread":null,"goal":3,"goal_of":"ratio","met":false,"errors":0}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			s := &session{config: Config{Figures: &out}}
			if err := s.report(tt.figure); err != nil {
				t.Fatal(err)
			}
			if got := out.String(); got != tt.want+"\n" {
				t.Errorf("printed\n%swant\n%s", got, tt.want)
			}
		})
	}
}

func TestFiguresOfABenchmarkCanBeRead(t *testing.T) {
	var out bytes.Buffer
	s := &session{config: Config{Figures: &out}}
	late, paced := arrivals{late: samples{2e6, 4e6}}, arrivals{late: samples{1e6}}
	late.work = work{partCrier: latenessPosts * time.Millisecond, partPostgres: 2 * latenessPosts * time.Millisecond}
	if err := s.report(latenessFigures(late, paced)...); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for decoder := json.NewDecoder(&out); decoder.More(); {
		var line struct {
			Name  string
			Value float64
			Ratio *float64
		}
		if err := decoder.Decode(&line); err != nil {
			t.Fatal(err)
		}
		if timed := strings.HasPrefix(line.Name, "lateness_cpu"); !timed && (line.Ratio == nil || *line.Ratio != line.Value) {
			t.Errorf("%s: ratio %v of %v to 1 ms", line.Name, line.Ratio, line.Value)
		}
		lines = append(lines, fmt.Sprintf("%s %v", line.Name, line.Value))
	}
	want := []string{
		"lateness_p50 2", "lateness_p99 4", "lateness_max 4",
		"lateness_cpu 3", "lateness_cpu_crier 1", "lateness_cpu_postgres 2", "lateness_cpu_clickhouse 0",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("figures %v, want %v", lines, want)
	}
}

func TestRank(t *testing.T) {
	hundred := make(samples, 100)
	for i := range hundred {
		hundred[i] = time.Duration(100 - i) // unsorted: 100 down to 1
	}
	for name, tt := range map[string]struct {
		of   samples
		q    float64
		want time.Duration
	}{
		"nothing measured":               {nil, 0.99, 0},
		"one sample is every rank":       {samples{7}, 0.01, 7},
		"half of two is the lesser":      {samples{9, 3}, 0.5, 3},
		"half of three is the middle":    {samples{9, 3, 5}, 0.5, 5},
		"a whole rank is not rounded up": {hundred, 0.99, 99},
		"a broken rank is rounded up":    {hundred[1:], 0.99, 99},
		"half of a hundred":              {hundred, 0.5, 50},
		"all is the greatest":            {hundred, 1, 100},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.of.rank(tt.q); got != tt.want {
				t.Errorf("rank(%v) = %d, want %d", tt.q, got, tt.want)
			}
		})
	}
}

func TestNearestRankIsExactWhereTheProductIsWhole(t *testing.T) {
	for n := 1; n <= 1000; n++ {
		for percent := 1; percent <= 100; percent++ {
			want := (n*percent+99)/100 - 1
			if got := nearestRank(n, float64(percent)/100); got != want {
				t.Fatalf("nearestRank(%d, %d %%) = %d, want %d", n, percent, got, want)
			}
		}
	}
}
