package connectors

import (
	"context"
	"encoding/json"
	"fmt"

	"crier/schema"
	"crier/schema/validation"
)

// Connector publishes to one platform. Its errors are *schema.Error of the kinds from
// Refused on; any other error is our fault. What only some platforms can do has an
// interface of its own, such as Checker: see Able.
type Connector interface {
	// Prepare makes the calls without a visible effect (uploads, containers) and may be
	// repeated. It returns the state to keep and, while the platform is busy, when to
	// call it again.
	Prepare(ctx context.Context, d schema.Delivery) (schema.Progress, error)
	// Publish makes the one call that makes the entry visible. Where the platform
	// goes on by itself (tiktok, youtube) the receipt is open and Find closes it.
	Publish(ctx context.Context, d schema.Delivery) (schema.Receipt, error)
	// Find looks for what an earlier Publish or Comment of this delivery may have
	// made, and says how far its answer can be trusted.
	Find(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error)
	// Comment posts d.Comment on its published entry; also one visible call.
	Comment(ctx context.Context, d schema.Delivery) (schema.Receipt, error)
}

// Resolver tells which connector serves an account.
type Resolver interface {
	// Connector returns the connector of the account's platform and world. Where there is
	// none the error is a *schema.Error of kind Refused.
	Connector(a schema.Account) (Connector, error)
}

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

// Refuse is the error of what a platform does not take.
func Refuse(format string, args ...any) *schema.Error {
	return &schema.Error{Kind: schema.Refused, Message: fmt.Sprintf(format, args...)}
}

// SettingsOf reads what a delivery sets for its platform. It was checked when the post was made, so that an
// error is our fault.
func SettingsOf[Settings any](d schema.Delivery) (Settings, error) {
	return readDocument[Settings](d.Settings, "settings")
}

// ProgressOf reads what a delivery has kept; what was not begun is zero.
func ProgressOf[Progress any](d schema.Delivery) (Progress, error) {
	return readDocument[Progress](d.Progress, "progress")
}

func readDocument[T any](document json.RawMessage, what string) (t T, err error) {
	if len(document) == 0 {
		return t, nil
	}
	if err := json.Unmarshal(document, &t); err != nil {
		return t, fmt.Errorf("reading %s: %w", what, err)
	}
	return t, nil
}

// AccountSettingsOf reads what is kept of an account: see schema.Account.Settings. It is false where nothing is.
func AccountSettingsOf[Settings any](a schema.Account) (s Settings, ok bool) {
	if len(a.Settings) == 0 || json.Unmarshal(a.Settings, &s) != nil {
		return *new(Settings), false
	}
	return s, true
}

// Encode returns what is stored of an account, or of something received: texts, numbers and flags.
func Encode(value any) json.RawMessage {
	encoded, err := json.Marshal(value)
	if err != nil {
		return nil // not reached: there is nothing in it that JSON has not
	}
	return encoded
}

// Together makes a schema.Constraints.Together of a judgement. The settings' own rules say what is wrong with
// those that cannot be read.
func Together[Settings any](judge func(first schema.Entry, s Settings) []schema.Detail) func(schema.Entry, json.RawMessage) []schema.Detail {
	return func(first schema.Entry, document json.RawMessage) []schema.Detail {
		s, err := readDocument[Settings](document, "settings")
		if err != nil {
			return nil
		}
		return judge(first, s)
	}
}

// Conflict is what is wrong with a setting that does not go with others, or with the media.
func Conflict(field, message string) schema.Detail {
	return schema.Detail{Field: field, Code: validation.CodeSettingConflict, Message: message}
}
