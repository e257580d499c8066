package connectors

import (
	"net/http"
	"testing"
	"time"

	"crier/schema"
)

// A failed server may say that nothing was done after it was.
func TestAFailedServerSaysNothingOfAVisibleCall(t *testing.T) {
	says := func(*Response) (Refusal, bool) { return Refusal{Codes: []string{"busy"}, Message: "busy"}, true }
	waits := Answer{Codes: []string{"busy"}, Means: IsAwaited, Wait: time.Minute}
	ofFailures := waits
	ofFailures.Status = []int{5}
	for name, tt := range map[string]struct {
		row     Answer
		visible bool
		status  int
		want    schema.ErrorKind
	}{
		"a refusal":                     {waits, true, http.StatusForbidden, schema.RateLimited},
		"a failure":                     {waits, true, http.StatusInternalServerError, schema.Unknown},
		"a failure of a hidden call":    {waits, false, http.StatusInternalServerError, schema.RateLimited},
		"a failure that a row is about": {ofFailures, true, http.StatusInternalServerError, schema.RateLimited},
	} {
		answers := Answers{Read: says, Table: []Answer{tt.row}}
		e := answers.Error(Call{Visible: tt.visible}, &Response{Status: tt.status})
		if e == nil || e.Kind != tt.want {
			t.Errorf("%s: %v, want %v", name, e, tt.want)
		}
	}
}
