package settings

import (
	"maps"
	"slices"

	"crier/schema/spelling"
)

// suggest ends a message about a key that is no setting by the one that may be meant.
func (s *Settings) suggest(key string) string {
	return spelling.DidYouMean(key, slices.Collect(maps.Keys(s.known)))
}
