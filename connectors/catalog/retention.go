package catalog

import (
	"cmp"
	"time"

	"crier/connectors"
	"crier/schema"
)

// Profiles returns how long the profiles of each platform are kept once they are disconnected.
func Profiles() map[schema.Platform]time.Duration {
	retention := map[schema.Platform]time.Duration{}
	for _, p := range schema.Platforms() {
		retention[p] = cmp.Or(table[p].Retention.Period, connectors.DefaultRetention)
	}
	return retention
}

// FreshProfiles are the platforms of which profiles may not be kept for long as they were read.
func FreshProfiles() map[schema.Platform]bool {
	fresh := map[schema.Platform]bool{}
	for _, p := range schema.Platforms() {
		if table[p].Retention.Fresh {
			fresh[p] = true
		}
	}
	return fresh
}
