package db

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

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

// registerTimes makes the connection return times in UTC.
func registerTimes(types *pgtype.Map) {
	timestamptz := &pgtype.Type{Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC}}
	types.RegisterType(timestamptz)
	types.RegisterType(&pgtype.Type{Name: "_timestamptz", OID: pgtype.TimestamptzArrayOID, Codec: &pgtype.ArrayCodec{ElementType: timestamptz}})
}

// OrZero is where a time of a row goes, in UTC; null is the zero time.
func OrZero(t *time.Time) any { return (*nullTime)(t) }

type nullTime time.Time

// ScanTimestamptz implements pgtype.TimestamptzScanner.
func (t *nullTime) ScanTimestamptz(v pgtype.Timestamptz) error {
	*t = nullTime(v.Time)
	return nil
}

// ScanDate implements pgtype.DateScanner.
func (t *nullTime) ScanDate(v pgtype.Date) error {
	*t = nullTime(v.Time)
	return nil
}

// Document is where a JSON document of a row goes; null leaves into as it is.
func Document(what string, into any) any { return document{what, into} }

type document struct {
	what string
	into any
}

// ScanBytes implements pgtype.BytesScanner.
func (d document) ScanBytes(text []byte) error { return Decode(d.what, text, d.into) }

// OrNull is a time for a row; the zero time is null.
func OrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
