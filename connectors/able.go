package connectors

import (
	"fmt"

	"crier/schema"
)

// Wrapper is a connector around another one. It implements by itself each verb that it changes,
// optional ones included, and where the other one has them alone; what it leaves alone is found
// by Able.
type Wrapper interface {
	Connector
	// Unwrap returns the connector inside.
	Unwrap() Connector
}

// Able returns a connector as one of the optional interfaces, such as Checker; they stand in
// credentials.go, authorize.go and reading.go. Of wrapped connectors it is the outermost that
// implements it. A type assertion would not see through wrappers.
func Able[Ability any](c Connector) (Ability, bool) {
	for {
		if able, ok := c.(Ability); ok {
			return able, true
		}
		wrapper, ok := c.(Wrapper)
		if !ok {
			var none Ability
			return none, false
		}
		c = wrapper.Unwrap()
	}
}

// As returns the connector of an account as one of the optional interfaces. If there is no
// connector, or it does not implement that, the error is a *schema.Error of kind Refused.
func As[Ability any](resolver Resolver, a schema.Account) (Ability, error) {
	var none Ability
	connector, err := resolver.Connector(a)
	if err != nil {
		return none, err
	}
	able, ok := Able[Ability](connector)
	if !ok {
		return none, &schema.Error{Kind: schema.Refused, Message: fmt.Sprintf("%s offers no way to do this", a.Platform)}
	}
	return able, nil
}
