package connectortest

import (
	"net/http"
	"testing"

	"crier/connectors"
)

// Meanings holds the table of a platform's answers: each row has an example of its answer, with its
// source, and covers it before any other row does.
func Meanings(t *testing.T, answers connectors.Answers) {
	t.Helper()
	for i, row := range answers.Table {
		t.Run(row.Source+" "+row.Example, func(t *testing.T) {
			if row.Source == "" || row.Example == "" && len(row.Status) == 0 {
				t.Fatal("the row has no source, or no example and no status")
			}
			found, refusal, ok := answers.Match(exampleCall(row), exampleResponse(row))
			if !ok {
				t.Fatalf("no row covers its example; the platform said %+v", refusal)
			}
			if found.Means != row.Means || found.Source != row.Source || found.Example != row.Example {
				t.Errorf("row %d never counts: %q covers its example first, and means %s", i, found.Example, found.Means)
			}
		})
	}
}

// exampleCall is a call that the row is about.
func exampleCall(row connectors.Answer) connectors.Call {
	call := connectors.Call{Method: http.MethodPost, Visible: row.Scope == connectors.VisibleCall}
	if row.Scope == connectors.ReadCall {
		call.Method = http.MethodGet
	}
	if len(row.Operations) > 0 {
		call.Operation = row.Operations[0]
	}
	return call
}

// exampleResponse is the answer with the row's example as its body.
func exampleResponse(row connectors.Answer) *connectors.Response {
	status := http.StatusBadRequest
	if len(row.Status) > 0 {
		status = row.Status[0]
	}
	if status < 10 { // all of 4xx, or of 5xx
		status *= 100
	}
	return &connectors.Response{Status: status, Header: http.Header{}, Body: []byte(row.Example)}
}
