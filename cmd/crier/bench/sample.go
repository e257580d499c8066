package bench

import (
	"math"
	"slices"
	"time"
)

// samples are durations, one for each thing measured.
type samples []time.Duration

// rank returns the duration that a share q (over 0, at most 1) of the samples does not
// exceed, by nearest rank: always one that was measured. It is zero without samples.
func (s samples) rank(q float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[nearestRank(len(sorted), q)]
}

func nearestRank(n int, q float64) int {
	// The small shift undoes the error of q*n, whose exact product may be whole.
	at := int(math.Ceil(q*float64(n)-1e-9)) - 1
	return min(max(at, 0), n-1)
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
