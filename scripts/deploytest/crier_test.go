package deploytest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// root is the repository, as seen from here.
const root = "../.."

// stopOf is how long a process may take to stop: the servers and then the stages each have
// --drain, and what is stored after that 5 s; see docs/operating/operation.md.
func stopOf(drain time.Duration) time.Duration { return 2*drain + 5*time.Second }

// partsLimit is how long embedded parts may take to stop after that (compose/parts.go).
const partsLimit = 15 * time.Second

// crier runs the binary with nothing in its environment but what is given, and returns what it
// says on both outputs.
func crier(t *testing.T, environment []string, arguments ...string) (string, error) {
	t.Helper()
	binary := os.Getenv("CRIER_BINARY")
	if binary == "" {
		t.Fatal("CRIER_BINARY names no crier: use make test-deploy")
	}
	command := exec.CommandContext(t.Context(), binary, arguments...)
	command.Env = append([]string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}, environment...)
	out, err := command.CombinedOutput()
	return string(out), err
}

// checkSettings has crier say what is wrong with the settings of serve, and returns its --drain.
func checkSettings(t *testing.T, environment []string, flags ...string) time.Duration {
	t.Helper()
	out, err := crier(t, environment, append([]string{"config", "check"}, flags...)...)
	if err != nil || strings.Contains(out, "reads no such variable") {
		t.Errorf("crier config check %s: %v\n%s", strings.Join(flags, " "), err, out)
		return 0
	}
	out, err = crier(t, environment, append([]string{"config", "show"}, flags...)...)
	found := regexp.MustCompile(`(?m)^drain: "?([0-9a-z]+)`).FindStringSubmatch(out)
	if err != nil || found == nil {
		t.Fatalf("crier config show: %v\n%s", err, out)
	}
	drain, err := time.ParseDuration(found[1])
	if err != nil {
		t.Fatal(err)
	}
	return drain
}

// allRoles are those that crier has, as its help lists them.
func allRoles(t *testing.T) []string {
	t.Helper()
	out, err := crier(t, nil, "serve", "--help")
	// Help is wrapped to the terminal.
	found := regexp.MustCompile(`some of ([a-z, ]+)\(`).FindStringSubmatch(strings.Join(strings.Fields(out), " "))
	if err != nil || found == nil {
		t.Fatalf("crier serve --help names no roles: %v\n%s", err, out)
	}
	return strings.Split(strings.ReplaceAll(strings.TrimSpace(found[1]), " ", ""), ",")
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
