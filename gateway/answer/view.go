package answer

import (
	"net/url"
	"time"

	"crier/schema"
)

// Message is an answer that says what was done.
type Message struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
}

// timeLayout is ISO 8601, to the millisecond.
const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// Moment is a time as the API shows it: UTC, to the millisecond.
type Moment time.Time

// MarshalText writes ISO 8601.
func (m Moment) MarshalText() ([]byte, error) {
	return time.Time(m).UTC().AppendFormat(nil, timeLayout), nil
}

// Time returns a time as Moment writes it; empty for the zero time.
func Time(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(timeLayout)
}

// IsZero lets omitzero leave out the zero time.
func (m Moment) IsZero() bool { return time.Time(m).IsZero() }

// MomentOrNull returns nil for the zero time, for fields that are shown as null.
func MomentOrNull(t time.Time) *Moment {
	if t.IsZero() {
		return nil
	}
	m := Moment(t)
	return &m
}

// URL returns an http or https address as it is, and nothing for any other: what a
// platform answers could be javascript: or the like.
func URL(address string) string {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") {
		return ""
	}
	return address
}

// ID returns the text of an id; empty for the zero id.
func ID[K schema.Kind](id schema.ID[K]) string {
	if id.IsZero() {
		return ""
	}
	return id.String()
}

// IDOrNull returns nil for the zero id.
func IDOrNull[K schema.Kind](id schema.ID[K]) *schema.ID[K] {
	if id.IsZero() {
		return nil
	}
	return &id
}

// TextOrNull returns nil for an empty text.
func TextOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
