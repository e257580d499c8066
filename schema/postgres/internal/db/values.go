package db

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"crier/schema"
)

// TextOrNull is a document as text; an empty one is null.
func TextOrNull(document []byte) *string {
	if len(document) == 0 {
		return nil
	}
	text := string(document)
	return &text
}

// Decode reads a document of a row; an empty one leaves into as it is.
func Decode(what string, document []byte, into any) error {
	if len(document) == 0 {
		return nil
	}
	if err := json.Unmarshal(document, into); err != nil {
		return fmt.Errorf("%w: reading the %s: %w", errUnreadable, what, err)
	}
	return nil
}

// errUnreadable means that a row cannot be decoded.
var errUnreadable = errors.New("unreadable")

// Encode is for values whose encoding cannot fail: schema's own documents. A time that a platform
// gave and JSON cannot hold is left out, wherever it stands: what has happened is stored without it.
func Encode(value any) []byte {
	document, err := json.Marshal(value)
	if err == nil {
		return document
	}
	stored := reflect.New(reflect.TypeOf(value)).Elem()
	stored.Set(reflect.ValueOf(value))
	dropInvalidTimes(stored)
	if document, err = json.Marshal(stored.Interface()); err != nil {
		panic(fmt.Sprintf("encoding %T: %v", value, err))
	}
	return document
}

// dropInvalidTimes makes times zero that JSON cannot hold.
func dropInvalidTimes(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			dropInvalidTimes(v.Elem())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			dropInvalidTimes(v.Index(i))
		}
	case reflect.Struct:
		if t, ok := v.Interface().(time.Time); ok {
			if v.CanSet() {
				v.Set(reflect.ValueOf(schema.ValidTime(t)))
			}
			return
		}
		for field, f := range v.Fields() {
			if field.IsExported() {
				dropInvalidTimes(f)
			}
		}
	}
}

// FromNull is a time of a row in UTC; null is the zero time.
func FromNull(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// OrNull is a time for a row; the zero time is null.
func OrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
