package deploytest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// stages reads the Dockerfile as BuildKit does.
func stages(t *testing.T) []instructions.Stage {
	t.Helper()
	parsed, err := parser.Parse(strings.NewReader(read(t, "Dockerfile")))
	if err != nil {
		t.Fatal(err)
	}
	if len(parsed.Warnings) > 0 {
		t.Errorf("Dockerfile: %v", parsed.Warnings)
	}
	all, _, err := instructions.Parse(parsed.AST, nil)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// targets are the images of the Dockerfile.
func targets(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, stage := range stages(t) {
		names = append(names, stage.Name)
	}
	return names
}

func TestImages(t *testing.T) {
	all := stages(t)
	var names []string
	for _, stage := range all {
		base := stage.BaseName
		if base != "scratch" && !slices.Contains(names, base) && !regexp.MustCompile(`^docker\.io/library/[a-z]+:[a-z0-9.-]+$`).MatchString(base) {
			t.Errorf("%s begins with %q", stage.Name, base)
		}
		names = append(names, stage.Name)
		for _, command := range stage.Commands {
			copied, ok := command.(*instructions.CopyCommand)
			if !ok || copied.From != "" {
				if ok && !slices.Contains(names, copied.From) {
					t.Errorf("%s copies from %q, which is no earlier stage", stage.Name, copied.From)
				}
				continue
			}
			for _, source := range copied.SourcePaths {
				if _, err := os.Stat(filepath.Join(root, source)); err != nil {
					t.Errorf("%s copies %q: %v", stage.Name, source, err)
				}
			}
		}
	}
	for _, name := range []string{"crier", "crier-embedded"} {
		at := slices.Index(names, name)
		if at < 0 {
			t.Errorf("there is no target %s", name)
			continue
		}
		checkImage(t, all[at])
	}
}

// checkImage checks what an image does by itself: no root, a health check, flags that crier
// knows.
func checkImage(t *testing.T, stage instructions.Stage) {
	t.Helper()
	var user, health string
	var environment, entry, command []string
	for _, one := range stage.Commands {
		switch c := one.(type) {
		case *instructions.UserCommand:
			user = c.User
		case *instructions.HealthCheckCommand:
			health = strings.Join(c.Health.Test, " ")
		case *instructions.EnvCommand:
			for _, pair := range c.Env {
				environment = append(environment, pair.Key+"="+pair.Value)
			}
		case *instructions.EntrypointCommand:
			entry = c.CmdLine
		case *instructions.CmdCommand:
			command = c.CmdLine
		}
	}
	if !regexp.MustCompile(`^[1-9][0-9]*:[1-9][0-9]*$`).MatchString(user) {
		t.Errorf("%s runs as %q: a user by number is wanted, which Kubernetes can tell from root", stage.Name, user)
	}
	if health != "CMD /usr/local/bin/crier health" {
		t.Errorf("%s is healthy by %q", stage.Name, health)
	}
	if !slices.Equal(entry, []string{"/usr/local/bin/crier"}) || !slices.Equal(command, []string{"serve"}) {
		t.Errorf("%s runs %v %v", stage.Name, entry, command)
	}
	checkSettings(t, environment)
}
