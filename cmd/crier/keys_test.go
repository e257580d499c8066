package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"crier/compose/embedded/embeddedtest"
)

// asCrier runs a command line in a process of its own.
func asCrier(t *testing.T, environment []string, arguments ...string) (stdout, stderr string, code int) {
	t.Helper()
	crier := filepath.Join(t.TempDir(), "crier")
	if err := os.Link(os.Args[0], crier); err != nil {
		t.Fatal(err)
	}
	var out, log bytes.Buffer
	command := exec.CommandContext(t.Context(), crier, arguments...)
	command.Stdout, command.Stderr, command.Env = &out, &log, append(os.Environ(), environment...)
	if err := command.Run(); err != nil && command.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), log.String(), command.ProcessState.ExitCode()
}

func TestKeysCreateTellsOfANewInstallation(t *testing.T) {
	data := filepath.Join(embeddedtest.Dir(t), "data")
	for _, isNew := range []bool{true, false} {
		stdout, stderr, code := asCrier(t, nil, "keys", "create", "--workspace", "acme", "--data", data)
		if code != 0 || !strings.HasPrefix(stdout, "crier_live_") || strings.Count(stdout, "\n") != 1 {
			t.Fatalf("exit code %d, standard output %q; standard error:\n%s", code, stdout, stderr)
		}
		if isNoted := strings.Contains(stderr, "new installation at "+data+"\n"); isNoted != isNew {
			t.Errorf("told of a new installation: %t, want %t:\n%s", isNoted, isNew, stderr)
		}
	}
}

func TestConfigCheckFailsOnAVariableThatNothingReads(t *testing.T) {
	_, stderr, code := asCrier(t, []string{"CRIER_POSTGERS=postgres://db/crier"}, "config", "check")
	if code != exitFailure || !strings.Contains(stderr, "did you mean CRIER_POSTGRES?") {
		t.Errorf("exit code %d, standard error:\n%s", code, stderr)
	}
	if stdout, stderr, code := asCrier(t, nil, "config", "check"); code != exitOK {
		t.Errorf("without it: exit code %d\n%s%s", code, stdout, stderr)
	}
}
