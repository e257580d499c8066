package graph

import (
	"fmt"
	"strings"
	"time"
)

// Time is a time as Graph APIs write it in JSON: ISO 8601 with an offset without a colon.
type Time struct{ time.Time }

const timeFormat = "2006-01-02T15:04:05-0700"

// UnmarshalJSON reads a time; null and an empty text are none.
func (t *Time) UnmarshalJSON(encoded []byte) error {
	text := strings.Trim(string(encoded), `"`)
	if text == "" || text == "null" {
		return nil
	}
	at, err := time.Parse(timeFormat, text)
	if err != nil {
		at, err = time.Parse(time.RFC3339, text)
	}
	if err != nil {
		return fmt.Errorf("reading time: %w", err)
	}
	t.Time = at.UTC()
	return nil
}
