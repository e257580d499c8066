package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// timeout bounds a request: crier answers one with an Idempotency-Key that waits for its
// first sending after at most half a minute.
const timeout = 60 * time.Second

// New returns a client of the server at a base address such as http://127.0.0.1:8080, with
// an API key.
func New(baseURL, key string, options ...ClientOption) (*ClientWithResponses, error) {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+key)
		return nil
	}
	options = append([]ClientOption{
		WithHTTPClient(&http.Client{Timeout: timeout}), WithRequestEditorFn(authorize),
	}, options...)
	c, err := NewClientWithResponses(strings.TrimSuffix(baseURL, "/")+"/api/v1", options...)
	if err != nil {
		return nil, fmt.Errorf("making a client of %s: %w", baseURL, err)
	}
	return c, nil
}

// APIError is an answer that is no success.
type APIError struct {
	Status  int    // of HTTP
	Code    string // empty where the answer was not crier's
	Message string
	// Details are all that is wrong with a request, each with its field.
	Details []Detail
}

// Error says what the server said.
func (e *APIError) Error() string {
	if e.Code == "" {
		return fmt.Sprintf("the server answered %d", e.Status)
	}
	return fmt.Sprintf("%s (%d): %s", e.Code, e.Status, e.Message)
}

// ErrorOf reads an answer that is no success.
func ErrorOf(status int, body []byte) *APIError {
	var envelope struct {
		Error struct {
			Code, Message string
			Details       []Detail
		}
	}
	e := &APIError{Status: status}
	if json.Unmarshal(body, &envelope) == nil {
		e.Code, e.Message, e.Details = envelope.Error.Code, envelope.Error.Message, envelope.Error.Details
	}
	return e
}
