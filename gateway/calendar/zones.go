package calendar

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"crier/gateway/body"
)

// DefaultTimezone is the zone of posts and queues that name none.
const DefaultTimezone = "UTC"

// MaxAhead is how far ahead a post can be scheduled.
const MaxAhead = 90 * 24 * time.Hour

// Zones caches time zones: loading one from the IANA database costs far more than using
// it. Only names of the database are kept, so the cache is bounded.
type Zones struct{ known sync.Map }

// Load returns the zone of an IANA name.
func (z *Zones) Load(name string) (*time.Location, error) {
	if zone, ok := z.known.Load(name); ok {
		return zone.(*time.Location), nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil || isOfMachine(name) {
		return nil, fmt.Errorf("%q is no time zone of the IANA database, such as Europe/Berlin", body.Clip(name))
	}
	z.known.Store(strings.Clone(name), zone) // the name may be a substring of a request's body, which would stay in memory
	return zone, nil
}

// isOfMachine reports whether a name is valid on some machines only. Those of right/
// count leap seconds, so that their clocks are half a minute off.
func isOfMachine(name string) bool {
	group, _, _ := strings.Cut(name, "/")
	return slices.Contains([]string{"", "Local", "localtime", "posix", "posixrules", "right"}, group)
}
