// Package contract is what every client of crier's API has to do, in whatever language: cases.yaml
// says it in words, and a proxy before a running crier makes happen what networks and servers do.
//
//	a client's driver ──► Proxy ──► crier
//	  one line a task       loses answers, cuts connections, answers 429 and 503, …
//
// A driver is a small program of the client's language. It reads a Task as one line of JSON, does it
// by the client's public names alone, and writes an Outcome as one line. What became of it is then
// read from crier itself: the test has the last word, not the client.
package contract

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"time"

	"github.com/goccy/go-yaml"
)

// Case is one thing that can happen, and what must be so afterwards.
type Case struct {
	Name   string
	Client string // what the client does, in words
	Proxy  string // what the proxy does
	After  string // what is so afterwards

	Do       string         // the task's action
	With     map[string]any // its input
	On       string         // the requests that Answers are for, such as POST /posts
	Answers  []string       // in turn; what comes after them passes
	Forever  bool           // the last of Answers holds for all that follow
	Patience time.Duration  // of the client with one try, by the machine's clock; zero: its own
	Abort    time.Duration  // after which the client's caller gives up, by the machine's clock; zero: never
	Layer    bool           // whoever has the types of the API alone fails here
	Must     Must
}

// Must is what is so after a case. What is left out may be anything.
type Must struct {
	Posts, Brands *int      // that crier has
	Requests      *int      // that reached the proxy as On says
	Keys          *int      // different values of their Idempotency-Key
	Waits         []float64 // seconds, each about as long
	Items         *int      // that a list has brought, each once
	Value         string    // that the client has read
	Progress      bool      // never fell behind by more than a part, and ended at the whole
	Error         *Failure  // nil: there is none
}

// Failure is an error as a client tells it.
type Failure struct {
	Kind       string  `json:"kind"` // refused by an answer, lost without one, or aborted by the caller
	Status     int     `json:"status"`
	Code       string  `json:"code"`
	Details    int     `json:"details"` // how many there are, with a field each
	RequestID  bool    `json:"requestId" yaml:"requestId"`
	RetryAfter float64 `json:"retryAfter" yaml:"retryAfter"` // seconds
	Message    string  `json:"message" yaml:"-"`
}

// Task is what a driver does. Unless Abort is there its client measures and waits by a clock of its
// own, on which a wait is over at once.
type Task struct {
	Action   string         `json:"action"`
	URL      string         `json:"url"` // of the server, without /api/v1
	Key      string         `json:"key"`
	Input    map[string]any `json:"input"`
	Patience float64        `json:"patience,omitempty"` // seconds
	Abort    float64        `json:"abort,omitempty"`    // seconds
}

// Outcome is what a driver says of a task.
type Outcome struct {
	Value    string    `json:"value,omitempty"`    // an id, or what the action reads
	Items    []string  `json:"items,omitempty"`    // ids of what a list brought, in its order
	Progress []int64   `json:"progress,omitempty"` // each time how many bytes were sent
	Waits    []float64 `json:"waits,omitempty"`    // seconds, of more than nothing
	Error    *Failure  `json:"error,omitempty"`
}

//go:embed cases.yaml
var cases []byte

// Cases returns all of cases.yaml.
func Cases() ([]Case, error) {
	var all []Case
	if err := yaml.UnmarshalWithOptions(cases, &all, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("reading cases.yaml: %w", err)
	}
	return all, nil
}

// Line is a task as a driver reads it.
func (t Task) Line() ([]byte, error) {
	line, err := json.Marshal(t)
	return append(line, '\n'), err
}
