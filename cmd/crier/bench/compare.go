package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Comparison says which binaries of crier to compare, and by what.
type Comparison struct {
	Old, New string // paths of binaries
	Names    []string
	Pairs    int // of runs: each measures one binary, then the other, the first of them in turn
	Options  []string
	Figures  io.Writer
	Progress io.Writer
}

// Compare runs the benchmarks of two binaries in turn and reports each figure of the new one with the old
// one's as its control, and how far the ratios of the pairs lie apart. The processor time of both is measured
// from outside, so that it is known of a binary too whose benchmarks do not report it.
func Compare(ctx context.Context, c Comparison) error {
	chosen, err := choose(c.Names)
	if err != nil {
		return err
	}
	s := &session{config: Config{Figures: c.Figures, Progress: c.Progress}, began: time.Now()}
	for _, b := range chosen {
		var before, after []*measurement
		run := func(binary, called string, all *[]*measurement) func(int) error {
			return func(turn int) error {
				s.say("%s, pair %d of %d: %s", b.Name, turn+1, c.Pairs, called)
				m, err := measure(ctx, c.Progress, binary, append([]string{"bench", b.Name}, c.Options...))
				if err != nil {
					return fmt.Errorf("measuring %s of %s: %w", b.Name, binary, err)
				}
				*all = append(*all, m)
				return nil
			}
		}
		if err := alternate(c.Pairs, run(c.Old, "old", &before), run(c.New, "new", &after)); err != nil {
			return err
		}
		if err := s.report(compared(before, after)...); err != nil {
			return err
		}
	}
	return nil
}

// measurement is what one run of a benchmark came to.
type measurement struct {
	names  []string // of the figures, in their order
	values map[string]measured
	phase  phase
}

// measured is a figure as a binary prints it.
type measured struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Unit   string  `json:"unit"`
	Errors int     `json:"errors"`
}

func (m *measurement) add(f measured) {
	if _, known := m.values[f.Name]; !known {
		m.names = append(m.names, f.Name)
	}
	f.Value += m.values[f.Name].Value // of a phase that comes again; figures have names of their own
	m.values[f.Name] = f
}

// phase is what a run is doing, as its progress tells, and the processor time of all its servers until then.
type phase struct {
	name  string
	began work
}

// measure runs a benchmark.
func measure(ctx context.Context, progress io.Writer, binary string, arguments []string) (*measurement, error) {
	command := exec.CommandContext(ctx, binary, arguments...)
	command.WaitDelay = stopLimit
	stderr, err := command.StderrPipe()
	if err != nil {
		return nil, err
	}
	var printed strings.Builder
	command.Stdout = &printed
	if err := command.Start(); err != nil {
		return nil, err
	}
	m := &measurement{values: map[string]measured{}}
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		fmt.Fprintln(progress, lines.Text())
		if err := m.follow(command.Process.Pid, lines.Text()); err != nil {
			return nil, errors.Join(err, command.Cancel(), command.Wait())
		}
	}
	if err := command.Wait(); err != nil {
		return nil, err
	}
	for decoder := json.NewDecoder(strings.NewReader(printed.String())); ; {
		var f measured
		err := decoder.Decode(&f)
		if errors.Is(err, io.EOF) {
			return m, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading figures: %w", err)
		}
		m.add(f)
	}
}

var (
	progressLine = regexp.MustCompile(`^ *[0-9.]+s  (.*)$`)
	createdLine  = regexp.MustCompile(`^([0-9]+) created in `)
	numbers      = regexp.MustCompile(`[0-9][0-9.:]*(µs|ms|s|m)?`)
)

// follow reads a line of progress: the phase that it ends took the processor time since it began.
func (m *measurement) follow(pid int, line string) error {
	match := progressLine.FindStringSubmatch(line)
	if match == nil {
		return nil
	}
	now, err := serversUnder(pid)
	if err != nil {
		return err
	}
	took := now.since(m.phase.began)
	// A server that ended takes its time with it: of that phase, nothing is known.
	if m.phase.name != "" && slices.Min(took[:]) >= 0 {
		m.add(m.phase.figure(took.total(), match[1]))
	}
	m.phase = phase{numbers.ReplaceAllString(match[1], "#"), now}
	return nil
}

// figure is the processor time of a phase, for each post where the line that ends it says how many were created.
func (p phase) figure(took time.Duration, ending string) measured {
	f := measured{Name: "cpu of " + strconv.Quote(p.name), Value: milliseconds(took), Unit: "ms"}
	if created := createdLine.FindStringSubmatch(ending); created != nil {
		if n, err := strconv.Atoi(created[1]); err == nil && n > 0 {
			f.Value, f.Unit = f.Value/float64(n), "ms/post"
		}
	}
	return f
}

// serversUnder is the processor time of the servers that a benchmark has started, with their parts.
func serversUnder(pid int) (sum work, err error) {
	processes, err := tree(pid)
	if err != nil {
		return sum, err
	}
	isOfServer := map[int]bool{}
	for _, p := range processes { // each after its parent
		if isOfServer[p.parent] || isServer(p.pid) {
			isOfServer[p.pid] = true
			sum.add(p)
		}
	}
	return sum, nil
}

// compared are the figures that both binaries have.
func compared(before, after []*measurement) []Figure {
	var figures []Figure
	for _, name := range after[0].names {
		var olds, news, ratios []float64
		errs := 0
		for i := range after {
			o, inOld := before[i].values[name]
			n, inNew := after[i].values[name]
			if !inOld || !inNew || o.Unit != n.Unit || o.Value == 0 {
				continue
			}
			olds, news, ratios = append(olds, o.Value), append(news, n.Value), append(ratios, n.Value/o.Value)
			errs += o.Errors + n.Errors
		}
		if len(ratios) == 0 {
			continue
		}
		figures = append(figures, Figure{
			Name: name, Value: median(news), Unit: after[0].values[name].Unit, Errors: errs,
			Control: &Control{fmt.Sprintf("the old binary, in turn, %d pairs", len(ratios)), median(olds)},
			Spread:  &Spread{slices.Min(ratios), slices.Max(ratios)},
		})
	}
	return figures
}
