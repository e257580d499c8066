// Package lists makes lists of lists, and finds what is in them.
package lists

import (
	"fmt"
	"slices"
)

// Map returns what of makes of each element.
func Map[T, V any](all []T, of func(T) V) []V {
	mapped := make([]V, len(all))
	for i, element := range all {
		mapped[i] = of(element)
	}
	return mapped
}

// Name returns the name of a number, of which first is the least; of one without a name, what it is of, and itself.
func Name[N ~int16](n, first N, names []string, of string) string {
	if n < first || int(n) >= len(names) {
		return fmt.Sprintf("%s(%d)", of, int16(n))
	}
	return names[n]
}

// Number returns the number of a name; zero where it is none.
func Number[N ~int16](name string, names []string) N { return N(max(slices.Index(names, name), 0)) }
