// Package lists makes lists of lists.
package lists

// Map returns what of makes of each element.
func Map[T, V any](all []T, of func(T) V) []V {
	made := make([]V, len(all))
	for i, element := range all {
		made[i] = of(element)
	}
	return made
}
