package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"crier/schema/sleep"
)

// A process's memory and time on the processor are read from /proc, which Linux has
// (man7.org/linux/man-pages/man5/proc.5.html).

// tree returns a process and all that descend from it, each with the part of crier that it belongs to.
func tree(root int) ([]process, error) {
	children := map[int][]process{}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		return nil, errors.Join(errors.New("processes are measured on Linux alone"), err)
	}
	found := []process{{processStat: processStat{pid: root}}}
	for _, path := range stats {
		stat, err := readStat(path)
		switch {
		case gone(err):
		case err != nil:
			return nil, err
		case stat.pid == root:
			found[0].processStat = stat
		default:
			children[stat.parent] = append(children[stat.parent], process{processStat: stat})
		}
	}
	for i := 0; i < len(found); i++ {
		for _, child := range children[found[i].pid] {
			child.part = found[i].part
			if child.part == partCrier {
				child.part = partOf(child.pid)
			}
			found = append(found, child)
		}
	}
	return found, nil
}

// part is one of the programs that make a server.
type part int

const (
	partCrier part = iota
	partPostgres
	partClickHouse
	parts
)

// isServer reports whether a process is a worker that serves.
func isServer(pid int) bool { return slices.Contains(argumentsOf(pid), "--worker="+roleServer) }

// partOf returns the part that a child of crier is, by the name that crier gives it.
func partOf(pid int) part {
	switch argumentsOf(pid)[0] {
	case "crier-postgres":
		return partPostgres
	case "crier-clickhouse":
		return partClickHouse
	default:
		return partCrier
	}
}

// argumentsOf returns what a process was started with, its name first; an empty name where it has ended.
func argumentsOf(pid int) []string {
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // of an ended one there is none
	return strings.Split(string(line), "\x00")
}

// process is one of a tree.
type process struct {
	processStat
	part part
}

// processStat is what is used of /proc/*/stat.
type processStat struct {
	pid, parent int
	ticks       int // on the processor, with those of ended children, in hundredths of a second
}

func readStat(path string) (processStat, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return processStat{}, err
	}
	return parseStat(string(content))
}

// parseStat reads fields 1, 4, and 14 to 17; field 2, the name, may have blanks and
// parentheses in it.
func parseStat(line string) (processStat, error) {
	pid, rest, opened := strings.Cut(line, " (")
	end := strings.LastIndex(rest, ")")
	if !opened || end < 0 {
		return processStat{}, fmt.Errorf("%q is no stat of a process", line)
	}
	fields := strings.Fields(rest[end+1:])
	if len(fields) < 15 {
		return processStat{}, fmt.Errorf("%q is no stat of a process", line)
	}
	var numbers [6]int
	for i, field := range append([]string{pid, fields[1]}, fields[11:15]...) {
		n, err := strconv.Atoi(field)
		if err != nil {
			return processStat{}, fmt.Errorf("reading the stat of a process: %w", err)
		}
		numbers[i] = n
	}
	return processStat{pid: numbers[0], parent: numbers[1], ticks: numbers[2] + numbers[3] + numbers[4] + numbers[5]}, nil
}

// gone reports whether a process ended while it was read.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || err != nil && strings.Contains(err.Error(), "no such process")
}

// memoryOf returns the memory of a process and its descendants, in bytes. Shared memory is
// divided among those that share it (PSS), so that it counts once.
func memoryOf(root int) (int, error) {
	processes, err := tree(root)
	if err != nil {
		return 0, err
	}
	total := 0
	for _, p := range processes {
		content, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", p.pid))
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

// work is the processor time of a server, by part.
type work [parts]time.Duration

// workOf returns the processor time of a process and its descendants since they began.
func workOf(root int) (work, error) {
	processes, err := tree(root)
	if err != nil {
		return work{}, err
	}
	var w work
	for _, p := range processes {
		w.add(p)
	}
	return w, nil
}

func (w *work) add(p process) { w[p.part] += time.Duration(p.ticks) * 10 * time.Millisecond }

// since is the work after an earlier reading.
func (w work) since(before work) work {
	for i := range w {
		w[i] -= before[i]
	}
	return w
}

func (w work) plus(more work) work {
	for i := range w {
		w[i] += more[i]
	}
	return w
}

func (w work) total() (sum time.Duration) {
	for _, of := range w {
		sum += of
	}
	return sum
}

// figures are the processor time of a unit of work, of all parts and of each, in milliseconds.
func (w work) figures(benchmark, unit string, units int, goal *Goal) []Figure {
	each := func(suffix string, of time.Duration) Figure {
		return Figure{Name: benchmark + "_cpu" + suffix, Value: milliseconds(of) / float64(max(units, 1)), Unit: "ms/" + unit}
	}
	all := each("", w.total())
	all.Goal = goal
	return []Figure{all, each("_crier", w[partCrier]), each("_postgres", w[partPostgres]), each("_clickhouse", w[partClickHouse])}
}

// work is the processor time of a server that this run has started; of others, none is known.
func (s *server) work() (work, error) {
	if s.child == nil {
		return work{}, nil
	}
	return workOf(s.child.command.Process.Pid)
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
	before, err := s.work()
	for err == nil && time.Now().Before(deadline) {
		if err := sleep.For(ctx, settleLook); err != nil {
			return err
		}
		var now work
		now, err = s.work()
		if float64(now.since(before).total()) < settleShare*float64(settleLook) {
			return err
		}
		before = now
	}
	return err
}
