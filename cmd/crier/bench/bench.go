package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"crier/cmd/crier/bench/facts"
)

// Config says what to measure, and on which server.
type Config struct {
	Executable string // crier's own binary: the workers run it
	Target     Target // a server that runs already; zero: one is started
	Posts      int    // of a herd, a backlog, what was parked, a calendar and a table; 0: as many as each has by itself
	Monitors   int    // of listening; 0: 5,000
	Rows       int    // facts of analytics; 0: as many as it has by itself
	Folder     string // of analytics, which is kept; empty: a new one, which is removed
	Figures    io.Writer
	Progress   io.Writer
}

// postsOr returns how many posts a benchmark has: its default unless the run says otherwise.
func (c Config) postsOr(own int) int { return cmp.Or(c.Posts, own) }

// Target is a server to measure.
type Target struct {
	URL      string // of the REST API, without a slash at its end
	Key      string // with write permission, of a workspace on the plan operator
	Postgres string // URL of the server's PostgreSQL, for the control
}

// Benchmark is something that can be measured.
type Benchmark struct {
	Name  string
	About string
	run   func(context.Context, *session) error
}

// All returns the benchmarks.
func All() []Benchmark {
	return []Benchmark{
		{"create", "posts created over HTTP: rate, p99, and what one caller waits for", measureCreate},
		{"lateness", "200 posts a second: from due to the platform called", measureLateness},
		{"herd", "100,000 posts due at the same second: rate, lateness, and of what is published at once meanwhile", measureHerd},
		{"backlog", "a million posts overdue at a start, against a herd of the same run: rate, order, what is published at once meanwhile", measureBacklog},
		{"resume", "a million posts parked by a pause and resumed, the same", measureResume},
		{"collection", "lateness while 222 posts a second have their metrics read, against lateness without", measureCollection},
		{"webhooks", "posts published at once, 200 a second, to the webhook that tells of it, beside a receiver that does not answer too; deliveries a second", measureWebhooks},
		{"history", "ten million posts scheduled and thirty million ended, 40 GB: start, lists, creation and lateness, against empty tables", measureHistory},
		{"listening", "a stream of 5,000 public posts a second and 5,000 monitors: rate, lag and processor time, against reading it alone", measureListening},
		{"analytics", "a hundred million facts of a year, 12 GB: what dashboards and endpoints ask, with and without what is counted beforehand; storing; bytes a fact", measureAnalytics},
		{"import", "tables of 5,000 posts imported: rows a second and the work of each, alone and with ids of the caller's own, and unchanged", measureImport},
		{"memory", "memory of all of crier's processes: at rest, and with 100,000 posts scheduled", measureMemory},
	}
}

// Run measures the named benchmarks, one after the other.
func Run(ctx context.Context, c Config, names []string) error {
	chosen, err := choose(names)
	if err != nil {
		return err
	}
	s := &session{config: c, began: time.Now()}
	for _, b := range chosen {
		if err := b.run(ctx, s); err != nil {
			return fmt.Errorf("measuring %s: %w", b.Name, err)
		}
	}
	return nil
}

func choose(names []string) ([]Benchmark, error) {
	byName := map[string]Benchmark{}
	var known []string
	for _, b := range All() {
		byName[b.Name], known = b, append(known, b.Name)
	}
	var chosen []Benchmark
	for _, name := range names {
		b, ok := byName[name]
		if !ok {
			return nil, fmt.Errorf("there is no benchmark %q; there are %s", name, strings.Join(known, ", "))
		}
		chosen = append(chosen, b)
	}
	return chosen, nil
}

// session is one run.
type session struct {
	config Config
	began  time.Time
}

// say reports the progress of the run.
func (s *session) say(format string, args ...any) {
	fmt.Fprintf(s.config.Progress, "%5.1fs  %s\n", time.Since(s.began).Seconds(), fmt.Sprintf(format, args...))
}

// report prints figures.
func (s *session) report(figures ...Figure) error {
	encoder := json.NewEncoder(s.config.Figures)
	for _, f := range figures {
		if err := encoder.Encode(f); err != nil {
			return fmt.Errorf("printing a figure: %w", err)
		}
	}
	return nil
}

// alternate measures two servers in turn, each first in every other turn: what one leaves for the
// machine to do, such as writing to the disk, is then as much the other's.
func alternate(turns int, first, other func(turn int) error) error {
	for turn := range turns {
		if err := errors.Join(first(turn), other(turn)); err != nil {
			return err
		}
		first, other = other, first
	}
	return nil
}

// measureAnalytics measures a ClickHouse with a year of facts.
func measureAnalytics(ctx context.Context, s *session) error {
	if s.config.Target.URL != "" {
		return errors.New("a running server's tables are not filled: analytics starts its own")
	}
	return facts.Measure(ctx, facts.Config{
		Rows: cmp.Or(s.config.Rows, facts.Rows), Months: facts.Months, Asks: facts.Asks, Folder: s.config.Folder, Say: s.say,
		Report: func(r facts.Result) error { return s.report(analyticsFigures(r)...) },
	})
}
