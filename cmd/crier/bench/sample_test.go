package bench

import (
	"testing"
	"time"
)

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
