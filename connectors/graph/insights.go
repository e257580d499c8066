package graph

import (
	"encoding/json"
	"net/http"
	"time"
)

// Insights are numbers of a post or an account, as the edges of that name answer with them.
type Insights struct {
	Data []struct {
		Name   string         `json:"name"`
		Values []insightValue `json:"values"`
		Total  insightValue   `json:"total_value"` // of some, instead of values
	} `json:"data"`
}

type insightValue struct {
	Value json.RawMessage `json:"value"` // a number, or a breakdown
}

// Of returns a number; nil where the answer has none, which is not zero.
func (i Insights) Of(name string) *int64 {
	for _, metric := range i.Data {
		if metric.Name != name {
			continue
		}
		value := metric.Total.Value
		if len(metric.Values) > 0 {
			value = metric.Values[len(metric.Values)-1].Value
		}
		var n int64
		if json.Unmarshal(value, &n) == nil {
			return &n
		}
	}
	return nil
}

// Summary is an edge of which the number alone is asked for.
type Summary struct {
	Summary struct {
		Total *int64 `json:"total_count"`
	} `json:"summary"`
}

const (
	// halfUsed is from where on reads are spaced, in percent: the rest is for what is published.
	halfUsed    = 50
	readSpacing = time.Minute
)

// PaceReads is Pace for reads, which leave half of each limit to all else.
func PaceReads(header http.Header) time.Duration {
	if wait := Pace(header); wait > 0 {
		return max(wait, defaultWait)
	}
	if usageOf(header).percent >= halfUsed {
		return readSpacing
	}
	return 0
}
