package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"crier/schema/sleep"
)

// A process's memory and time on the processor are read from /proc, which Linux has
// (man7.org/linux/man-pages/man5/proc.5.html).

// tree returns a process and all that descend from it.
func tree(root int) ([]int, error) {
	children := map[int][]int{}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		return nil, errors.Join(errors.New("processes are measured on Linux alone"), err)
	}
	for _, path := range stats {
		stat, err := readStat(path)
		if gone(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		children[stat.parent] = append(children[stat.parent], stat.pid)
	}
	found := []int{root}
	for i := 0; i < len(found); i++ {
		found = append(found, children[found[i]]...)
	}
	return found, nil
}

// processStat is what is used of /proc/*/stat.
type processStat struct {
	pid, parent int
	ticks       int // on the processor, in hundredths of a second
}

func readStat(path string) (processStat, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return processStat{}, err
	}
	return parseStat(string(content))
}

// parseStat reads fields 1, 4, 14 and 15; field 2, the name, may have blanks and
// parentheses in it.
func parseStat(line string) (processStat, error) {
	pid, rest, opened := strings.Cut(line, " (")
	end := strings.LastIndex(rest, ")")
	if !opened || end < 0 {
		return processStat{}, fmt.Errorf("%q is no stat of a process", line)
	}
	fields := strings.Fields(rest[end+1:])
	if len(fields) < 13 {
		return processStat{}, fmt.Errorf("%q is no stat of a process", line)
	}
	var numbers [4]int
	for i, field := range []string{pid, fields[1], fields[11], fields[12]} {
		n, err := strconv.Atoi(field)
		if err != nil {
			return processStat{}, fmt.Errorf("reading the stat of a process: %w", err)
		}
		numbers[i] = n
	}
	return processStat{pid: numbers[0], parent: numbers[1], ticks: numbers[2] + numbers[3]}, nil
}

// gone reports whether a process ended while it was read.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || err != nil && strings.Contains(err.Error(), "no such process")
}

// memoryOf returns the memory of a process and its descendants, in bytes. Shared memory is
// divided among those that share it (PSS), so that it counts once.
func memoryOf(root int) (int, error) {
	pids, err := tree(root)
	if err != nil {
		return 0, err
	}
	total := 0
	for _, pid := range pids {
		content, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		if gone(err) {
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("reading the memory of a process: %w", err)
		}
		total += parsePSS(content)
	}
	return total, nil
}

// parsePSS reads the line "Pss: N kB"; a process without memory of its own has none.
func parsePSS(rollup []byte) int {
	for line := range bytes.Lines(rollup) {
		fields := bytes.Fields(line)
		if len(fields) == 3 && string(fields[0]) == "Pss:" {
			kilobytes, err := strconv.Atoi(string(fields[1]))
			if err == nil {
				return kilobytes << 10
			}
		}
	}
	return 0
}

// workOf returns the processor time of a process and its descendants.
func workOf(root int) (time.Duration, error) {
	pids, err := tree(root)
	if err != nil {
		return 0, err
	}
	total := 0
	for _, pid := range pids {
		stat, err := readStat(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil && !gone(err) {
			return 0, err
		}
		total += stat.ticks
	}
	return time.Duration(total) * 10 * time.Millisecond, nil
}

const (
	settleLook  = 500 * time.Millisecond
	settleLimit = 6 * time.Second
	settleShare = 0.15 // of one processor
)

// settle waits until the server has little to do, or for a few seconds: what it does
// after its answers would slow down the control.
func (s *server) settle(ctx context.Context) error {
	if s.child == nil {
		return sleep.For(ctx, 2*time.Second) // its processes are not ours to know
	}
	deadline := time.Now().Add(settleLimit)
	before, err := workOf(s.child.command.Process.Pid)
	for err == nil && time.Now().Before(deadline) {
		if err := sleep.For(ctx, settleLook); err != nil {
			return err
		}
		var now time.Duration
		now, err = workOf(s.child.command.Process.Pid)
		if float64(now-before) < settleShare*float64(settleLook) {
			return err
		}
		before = now
	}
	return err
}
