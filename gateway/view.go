package gateway

import (
	"net/url"
	"time"

	"crier/schema"
)

// message is an answer that says what was done.
type message struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
}

// timeLayout is ISO 8601, to the millisecond.
const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// moment is a time as the API shows it: UTC, to the millisecond.
type moment time.Time

// MarshalText writes ISO 8601.
func (m moment) MarshalText() ([]byte, error) {
	return time.Time(m).UTC().AppendFormat(nil, timeLayout), nil
}

// shownTime returns a time as moment writes it, and nothing for one that is not known.
func shownTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(timeLayout)
}

// IsZero lets omitzero leave out a time that is not known.
func (m moment) IsZero() bool { return time.Time(m).IsZero() }

// orNull returns nil for the zero time, for fields that are shown as null.
func orNull(t time.Time) *moment {
	if t.IsZero() {
		return nil
	}
	m := moment(t)
	return &m
}

// shownURL lets through only what a browser may be sent to: a platform's answer is not
// to be trusted with javascript: and the like.
func shownURL(address string) string {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") {
		return ""
	}
	return address
}

// shownID is empty for an id that names nothing.
func shownID[K schema.Kind](id schema.ID[K]) string {
	if id.IsZero() {
		return ""
	}
	return id.String()
}

// unlessZero returns nil for an id that names nothing.
func unlessZero[K schema.Kind](id schema.ID[K]) *schema.ID[K] {
	if id.IsZero() {
		return nil
	}
	return &id
}

// unlessEmpty returns nil for an empty text.
func unlessEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
