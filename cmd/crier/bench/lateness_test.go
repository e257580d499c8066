package bench

import (
	"fmt"
	"testing"
	"time"
)

func TestArrivals(t *testing.T) {
	first := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	expected := schedule{label: "late", first: first, step: time.Second, from: 1, until: 4}
	at := func(i int, late time.Duration) arrived {
		return arrived{fmt.Sprintf("late %08d and more", i), first.Add(time.Duration(i)*time.Second + late)}
	}
	all := []arrived{at(1, 3*time.Millisecond), at(2, 0), at(3, 9*time.Millisecond)}
	for name, tt := range map[string]struct {
		posts  []arrived
		max    time.Duration
		counts int
		errors int
	}{
		"all there":                {all, 9 * time.Millisecond, 3, 0},
		"the first do not count":   {append([]arrived{at(0, time.Hour)}, all...), 9 * time.Millisecond, 3, 0},
		"others' posts":            {append([]arrived{{"paced 00000001", first}, {"late", first}}, all...), 9 * time.Millisecond, 3, 0},
		"one is missing":           {all[1:], 9 * time.Millisecond, 2, 1},
		"one came twice":           {append([]arrived{at(3, 20*time.Millisecond)}, all...), 20 * time.Millisecond, 4, 1},
		"one came too soon":        {append([]arrived{at(1, -time.Second)}, all[1:]...), 9 * time.Millisecond, 3, 1},
		"none":                     {nil, 0, 0, 3},
		"clocks differ by a trace": {append([]arrived{at(1, -100*time.Microsecond)}, all[1:]...), 9 * time.Millisecond, 3, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var a arrivals
			a.add(expected, tt.posts)
			if a.errors != tt.errors || len(a.late) != tt.counts || a.late.rank(1) != tt.max {
				t.Errorf("arrivals = %+v", a)
			}
		})
	}
}
