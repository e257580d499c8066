package schema

import (
	"encoding/json"
	"fmt"
)

// LimitSet says which limits the posts of a workspace are held to. Its number is stored: it never
// changes.
type LimitSet int16

// The sets.
const (
	SpecificationLimits LimitSet = iota // those of the specification's tables: the default
	PlatformLimits                      // those of the platform itself, of the very account where it tells
)

var limitSetNames = [...]string{SpecificationLimits: "specification", PlatformLimits: "platform"}

// String returns the name in the API.
func (s LimitSet) String() string {
	if s < SpecificationLimits || int(s) >= len(limitSetNames) {
		return fmt.Sprintf("limits(%d)", int16(s))
	}
	return limitSetNames[s]
}

// ParseLimitSet returns the set of that name.
func ParseLimitSet(name string) (LimitSet, error) {
	for s, known := range limitSetNames {
		if known == name {
			return LimitSet(s), nil
		}
	}
	return 0, fmt.Errorf("%q is no set of limits: specification and platform are", name)
}

// MarshalText makes the set its name in JSON.
func (s LimitSet) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Widening is one limit of a platform that is wider than the specification's.
type Widening struct {
	What   string // in words, such as "videos of up to 3 minutes"
	Source string // the platform's page or the report that says so, with its date
	// Apply puts it in the place of the specification's limit, for an account.
	Apply func(*Constraints, Account)
}

// For returns what is taken of an account; nil: one that is not known.
func (c Constraints) For(a *Account) Constraints {
	if a == nil {
		return c
	}
	own := c
	if c.Own != nil {
		own = c.Own(*a)
		own.Wider = c.Wider
	}
	if a.Limits != PlatformLimits || len(c.Wider) == 0 {
		return own
	}
	return own.Widened(*a)
}

// Widened returns what the platform itself takes of an account.
func (c Constraints) Widened(a Account) Constraints {
	for _, w := range c.Wider {
		w.Apply(&c, a)
	}
	c.Wider = nil
	return c
}

// Of returns what is taken of a delivery: by its account, and by its settings.
func (c Constraints) Of(d Delivery) Constraints { return c.For(&d.Account).With(d.Settings) }

// With returns what is taken of a post with these settings.
func (c Constraints) With(settings json.RawMessage) Constraints {
	if c.MediaWith != nil {
		c.Media = c.MediaWith(c.Media, settings)
	}
	return c
}
