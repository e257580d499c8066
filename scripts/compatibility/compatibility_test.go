// Package compatibility holds the API's description against those of releases: what a client of a release
// relies on stays, or has been deprecated for 90 days (the Versioning of the API). It is a module of its
// own: nothing of crier needs oasdiff.
package compatibility

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const (
	current  = "../../schema/openapi/openapi.yaml"
	released = "../../schema/openapi/released/*.yaml" // one of each release
)

// breaking says what of a description breaks clients of another; empty: nothing.
func breaking(t *testing.T, base, revision string) string {
	t.Helper()
	said, err := exec.CommandContext(t.Context(), "go", "tool", "oasdiff", "breaking", "--fail-on", "ERR", "--deprecation-days-stable", "90", "--severity-levels", "severity.txt",
		"--format", "singleline", "--color", "never", base, revision).CombinedOutput()
	failed, ok := errors.AsType[*exec.ExitError](err)
	if err != nil && (!ok || failed.ExitCode() != 1 || !strings.Contains(string(said), "error")) {
		t.Fatalf("oasdiff: %v\n%s", err, said)
	}
	if err == nil {
		return ""
	}
	return string(said)
}

func TestNothingBreaksClientsOfReleases(t *testing.T) {
	files, err := filepath.Glob(released)
	if err != nil || len(files) == 0 {
		t.Fatalf("releases %v, %v", files, err)
	}
	for _, file := range files {
		if said := breaking(t, file, current); said != "" {
			t.Errorf("what was released as %s is broken:\n%s", strings.TrimSuffix(filepath.Base(file), ".yaml"), said)
		}
	}
}

// TestWhatBreaksClientsIsFound changes the description in ways that clients notice, and in ways that they
// do not.
func TestWhatBreaksClientsIsFound(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(node)
		want   string // part of what is said; empty: nothing breaks
	}{
		"an operation is gone":         {func(n node) { n.at("paths", "/brands/{id}").drop("delete") }, "DELETE /brands/{id}"},
		"a field of an answer is gone": {func(n node) { n.at("components", "schemas", "Brand", "properties").drop("name") }, "name"},
		"a field of a body is needed": {func(n node) {
			n.at("components", "schemas", "BrandName", "properties").put("color", "{type: string}")
			n.at("components", "schemas", "BrandName").put("required", "[name, color]")
		}, "color"},
		"a parameter is needed": {func(n node) {
			n.at("paths", "/posts", "get").add("parameters", "{name: kind, in: query, required: true, schema: {type: string}}")
		}, "kind"},
		"an operation is deprecated": {func(n node) { n.at("paths", "/brands/{id}", "delete").deprecate("2099-01-01") }, ""},
		"and ends too soon":          {func(n node) { n.at("paths", "/brands/{id}", "delete").deprecate("2020-01-01") }, "sunset"},
		"a parameter that is not needed": {func(n node) {
			n.at("paths", "/posts", "get").add("parameters", "{name: kind, in: query, schema: {type: string}}")
		}, ""},
		"a field of an answer is new": {func(n node) { n.at("components", "schemas", "Brand", "properties").put("color", "{type: string}") }, ""},
		"a value of an answer is new": {func(n node) { n.at("components", "schemas", "Attempt", "properties", "event").add("enum", "rested") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			content, err := os.ReadFile(current)
			if err != nil {
				t.Fatal(err)
			}
			var document yaml.Node
			if err := yaml.Unmarshal(content, &document); err != nil {
				t.Fatal(err)
			}
			tt.change(node{t, document.Content[0]})
			changed, err := yaml.Marshal(&document)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "openapi.yaml")
			if err := os.WriteFile(file, changed, 0o600); err != nil {
				t.Fatal(err)
			}
			if said := breaking(t, current, file); (said != "") != (tt.want != "") || !strings.Contains(said, tt.want) {
				t.Errorf("oasdiff says %q, want %q", said, tt.want)
			}
		})
	}
}
