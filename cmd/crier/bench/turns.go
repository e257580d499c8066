package bench

import (
	"errors"
	"slices"
)

// alternate measures two servers in turn, each first in every other turn: what one leaves for the
// machine to do, such as writing to the disk, is then as much the other's.
func alternate(turns int, one, other func(turn int) error) error {
	for turn := range turns {
		if err := errors.Join(one(turn), other(turn)); err != nil {
			return err
		}
		one, other = other, one
	}
	return nil
}

// tempo is how fast a server takes and publishes posts: of each turn one value.
type tempo struct {
	rates      []float64 // created a second by many
	ones       []float64 // median of one caller, in milliseconds
	p50s, p99s []float64 // lateness in milliseconds
	all        samples   // lateness in all turns
	errors     int
}

// addLateness adds a turn.
func (t *tempo) addLateness(turn arrivals) {
	t.p50s, t.p99s = append(t.p50s, milliseconds(turn.late.rank(0.5))), append(t.p99s, milliseconds(turn.late.rank(0.99)))
	t.all, t.errors = append(t.all, turn.late...), t.errors+turn.errors
}

// median returns the middle one of values, or the mean of the two in the middle.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	if len(sorted) == 0 {
		return 0
	}
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
