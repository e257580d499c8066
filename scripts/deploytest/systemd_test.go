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

const unit = "compose/systemd/crier.service"

// exposure is the most that systemd may say the unit is exposed, in tenths of its score.
const exposure = "20"

func TestUnitIsWhatSystemdReads(t *testing.T) {
	// What it executes must be there, which on this machine is elsewhere.
	binary, err := filepath.Abs(os.Getenv("CRIER_BINARY"))
	if err != nil {
		t.Fatal(err)
	}
	content := strings.ReplaceAll(read(t, unit), "/usr/local/bin/crier", binary)
	file := filepath.Join(t.TempDir(), "crier.service")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, arguments := range [][]string{
		{"verify", "--man=no", file},
		{"security", "--no-pager", "--offline=true", "--threshold=" + exposure, file},
	} {
		out, err := exec.CommandContext(t.Context(), "systemd-analyze", arguments...).CombinedOutput()
		if err != nil || arguments[0] == "verify" && len(out) > 0 {
			t.Errorf("systemd-analyze %s: %v\n%s", arguments[0], err, out)
		}
	}
}

func TestUnitGivesCrierTimeToStop(t *testing.T) {
	content := read(t, unit)
	flags := regexp.MustCompile(`(?m)^ExecStart=/usr/local/bin/crier serve (.*)$`).FindStringSubmatch(content)
	stop := regexp.MustCompile(`(?m)^TimeoutStopSec=([0-9]+)$`).FindStringSubmatch(content)
	if flags == nil || stop == nil {
		t.Fatal("ExecStart or TimeoutStopSec is missing")
	}
	// The file is the operator's; an empty one stands for it.
	file := filepath.Join(t.TempDir(), "crier.yaml")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	line := strings.Fields(strings.ReplaceAll(flags[1], "/etc/crier/crier.yaml", file))
	minimum := stopOf(checkSettings(t, nil, line...)) + partsLimit
	if given, err := time.ParseDuration(stop[1] + "s"); err != nil || given < minimum {
		t.Errorf("systemd kills crier after %ss, want at least %v", stop[1], minimum)
	}
	if !strings.Contains(content, "\nKillMode=mixed\n") {
		t.Error("systemd would stop embedded parts under crier's work")
	}
}
