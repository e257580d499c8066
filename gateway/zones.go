package gateway

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// defaultTimezone is that of posts and queues that name none.
const defaultTimezone = "UTC"

// maxAhead is how far ahead a post can be scheduled.
const maxAhead = 90 * 24 * time.Hour

// zones keeps the time zones that were asked for: reading one from the IANA database
// costs far more than using it. Only names the database knows are kept, so it is bounded.
type zones struct{ known sync.Map }

// load returns the zone of an IANA name.
func (z *zones) load(name string) (*time.Location, error) {
	if zone, ok := z.known.Load(name); ok {
		return zone.(*time.Location), nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil || isOfMachine(name) {
		return nil, fmt.Errorf("%q is no time zone of the IANA database", clip(name))
	}
	z.known.Store(strings.Clone(name), zone) // it may be a part of a whole body
	return zone, nil
}

// isOfMachine tells names that mean something on some machines only. Those of right/ count
// leap seconds, so that their clocks are half a minute off.
func isOfMachine(name string) bool {
	group, _, _ := strings.Cut(name, "/")
	return slices.Contains([]string{"", "Local", "localtime", "posix", "posixrules", "right"}, group)
}
