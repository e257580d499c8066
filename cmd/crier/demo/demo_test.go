package demo

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestADemoThatFailsEndsNothing(t *testing.T) {
	refusing := httptest.NewServer(http.NotFoundHandler())
	defer refusing.Close()
	var out strings.Builder
	Run(t.Context(), Config{URL: refusing.URL, Metrics: "127.0.0.1:8081", Out: &out})
	if said := out.String(); !strings.Contains(said, "404") || !strings.Contains(said, "crier serves nevertheless") {
		t.Errorf("it says %q", said)
	}
}
