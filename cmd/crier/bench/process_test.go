package bench

import (
	"os"
	"os/exec"
	"slices"
	"testing"
)

func TestParseStat(t *testing.T) {
	for name, tt := range map[string]struct {
		line string
		want processStat
	}{
		"plain":                 {"7 (cat) S 3 7 7 0 -1 0 1 2 3 4 50 6 2 1 20 0", processStat{7, 3, 59}},
		"a name with brackets":  {"8 (a) R (b) S 4 8 8 0 -1 0 1 2 3 4 5 6 0 0 20 0", processStat{8, 4, 11}},
		"a name with a newline": {"9 (a\nb) S 5 9 9 0 -1 0 1 2 3 4 1 1 0 0 20 0", processStat{9, 5, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := parseStat(tt.line); err != nil || got != tt.want {
				t.Errorf("parseStat = %+v, %v, want %+v", got, err, tt.want)
			}
		})
	}
	for _, broken := range []string{"", "7", "7 (cat", "7 (cat) S 3", "x (cat) S 3 7 7 0 -1 0 1 2 3 4 50 6 0 0"} {
		if _, err := parseStat(broken); err == nil {
			t.Errorf("%q was read as a stat", broken)
		}
	}
}

func TestParsePSS(t *testing.T) {
	for name, tt := range map[string]struct {
		rollup string
		want   int
	}{
		"among others":       {"55d0-7ffe ---p 00000000 00:00 0 [rollup]\nRss:  900 kB\nPss:   300 kB\nPss_Anon: 100 kB\n", 300 << 10},
		"no memory at all":   {"", 0},
		"others of its name": {"Pss_Dirty: 12 kB\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := parsePSS([]byte(tt.rollup)); got != tt.want {
				t.Errorf("parsePSS = %d, want %d", got, tt.want)
			}
		})
	}
}

func TestTreeHasDescendants(t *testing.T) {
	command := exec.Command("sh", "-c", "cat; true") // sh stays, with cat below it
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { input.Close(); command.Wait() }()
	processes, err := tree(os.Getpid())
	isChild := func(p process) bool { return p.pid == command.Process.Pid && p.part == partCrier }
	if err != nil || processes[0].pid != os.Getpid() || !slices.ContainsFunc(processes, isChild) {
		t.Errorf("tree = %v, %v; the child is %d", processes, err, command.Process.Pid)
	}
	alone, err := memoryOf(command.Process.Pid)
	if err != nil || alone <= 0 {
		t.Errorf("memoryOf the child = %d, %v", alone, err)
	}
	if all, err := memoryOf(os.Getpid()); err != nil || all <= alone {
		t.Errorf("memory of all = %d, %v, of the child %d", all, err, alone)
	}
	if _, err := workOf(os.Getpid()); err != nil {
		t.Errorf("workOf: %v", err)
	}
}
