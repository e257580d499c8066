package gateway

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/goccy/go-yaml"
)

func TestADeprecatedOperationSaysWhenItEnds(t *testing.T) {
	var document map[string]any
	err := yaml.Unmarshal([]byte(`
paths:
  /brands/{id}:
    get: {operationId: getBrand}
    delete: {operationId: deleteBrand, deprecated: true, x-deprecated: '2026-12-01', x-sunset: '2027-06-01'}
`), &document)
	if err != nil {
		t.Fatal(err)
	}
	found, err := deprecations(document)
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.DELETE("/brands/:id", found["DELETE "+described("/brands/:id")].announce("https://crier.example/docs"), func(c *gin.Context) {
		c.AbortWithStatus(http.StatusNotFound)
	})
	answer := httptest.NewRecorder()
	engine.ServeHTTP(answer, httptest.NewRequest(http.MethodDelete, "/brands/x", http.NoBody))
	for name, want := range map[string]string{
		"Deprecation": "@1796083200", "Sunset": "Tue, 01 Jun 2027 00:00:00 GMT",
		"Link": `<https://crier.example/docs#deleteBrand>; rel="deprecation"; type="text/html"`,
	} {
		if got := answer.Header().Get(name); got != want || answer.Code != http.StatusNotFound {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
}

func TestADeprecationThatSaysNotWhen(t *testing.T) {
	for name, tt := range map[string]struct{ since, sunset, want string }{
		"since when it is": {"", "2027-06-01", "x-deprecated"},
		"when it ends":     {"2026-12-01", "", "x-sunset"},
		"soon enough":      {"2026-12-01", "2027-02-01", "less than 90 days"},
	} {
		operation := map[string]any{"deprecated": true, "x-deprecated": tt.since, "x-sunset": tt.sunset}
		_, err := deprecations(map[string]any{"paths": map[string]any{"/brands": map[string]any{"get": operation}}})
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "GET /brands") {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
}
