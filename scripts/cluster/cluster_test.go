//go:build cluster

package main

import (
	"context"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/compose"
	"crier/compose/embedded"
	"crier/schema"
)

// Of the times in docs/operating/deployment.md: how long a post may take at most that is sent while a
// process of crier is stopped, or killed; and how long nothing at all may be published.
const (
	stallAtStops = 5 * time.Second
	stallAtKills = 10 * time.Second
)

// between is the pause from one event's end to the next, in which consumers settle.
const between = 2 * time.Second

func TestMain(m *testing.M) {
	embedded.Main()
	os.Exit(m.Run())
}

// rate is how many posts a second are sent: those of CRIER_CLUSTER_RATE, or 200.
func rate(t *testing.T) int {
	t.Helper()
	text := os.Getenv("CRIER_CLUSTER_RATE")
	if text == "" {
		return 200
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("CRIER_CLUSTER_RATE is %q", text)
	}
	return n
}

// operator is what commands beside the cluster need.
func (c *cluster) operator(t *testing.T) compose.Config {
	t.Helper()
	return compose.Config{
		Data: t.TempDir(), Postgres: c.bothPostgres(), Keyset: c.folder + "/keyset.json",
		Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(),
	}
}

// Each part takes its minutes: -run TestCluster/kills is one of them alone.
func TestCluster(t *testing.T) {
	c, err := start(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.stop)
	t.Run("calm", func(t *testing.T) {
		c.endure(t, "calm", nil)
	})
	t.Run("stops", func(t *testing.T) {
		worst, gap := c.endure(t, "stop", c.each(c.criers, syscall.SIGTERM))
		if worst > stallAtStops || gap > stallAtStops {
			t.Errorf("a post took %v at a graceful stop, and nothing was published for %v; want %v at most", worst, gap, stallAtStops)
		}
	})
	t.Run("kills", func(t *testing.T) {
		// A post whose call the killed process had begun waits for its claim's end: what counts
		// is how long the others wait.
		if _, gap := c.endure(t, "kill", c.each(c.criers, syscall.SIGKILL)); gap > stallAtKills {
			t.Errorf("nothing was published for %v after a kill, want %v at most", gap, stallAtKills)
		}
	})
	t.Run("brokers", func(t *testing.T) {
		c.endure(t, "broker", append(c.each(c.brokers, syscall.SIGTERM), c.each(c.brokers, syscall.SIGKILL)...))
	})
	t.Run("postgres", func(t *testing.T) {
		standbyFirst := []*process{c.databases[1], c.databases[0]}
		deeds := append(c.each(standbyFirst, syscall.SIGINT), c.each(standbyFirst, syscall.SIGKILL)...)
		deeds = append(deeds, deed{"postgres-1 lost, promotion", func(ctx context.Context) error {
			c.databases[0].kill()
			return c.promote(ctx)
		}})
		// Each compares the promoted standby with ClickHouse and the log at its start.
		started := slices.DeleteFunc(slices.Clone(c.criers), func(p *process) bool { return p.name != "publish-1" && p.name != "analytics-1" })
		c.endure(t, "postgres", append(deeds, c.each(started, syscall.SIGTERM)...))
		c.wantNothingHeld(t)
	})
}

// wantNothingHeld fails where a database counts as one that went back to an earlier moment. A
// synchronous standby has all that was committed.
func (c *cluster) wantNothingHeld(t *testing.T) {
	t.Helper()
	held, err := compose.RestoreHolds(t.Context(), c.operator(t), compose.HeldSelection{}, schema.PostID{}, 1, func(int) {})
	if err != nil || held != nil {
		t.Errorf("a promoted synchronous standby holds %+v, %v", held, err)
	}
}

// deed is something that is done to the cluster; it returns once what it ended is back.
type deed struct {
	what string
	do   func(ctx context.Context) error
}

// each ends one process after the other, and starts it again.
func (c *cluster) each(some []*process, how syscall.Signal) (deeds []deed) {
	for _, p := range some {
		what := p.name + " stopped"
		if how == syscall.SIGKILL {
			what = p.name + " killed"
		}
		deeds = append(deeds, deed{what, func(ctx context.Context) error {
			if how == syscall.SIGKILL {
				p.kill()
			} else if err := p.end(startLimit); err != nil && p.ends == syscall.SIGTERM && len(p.environment) > 0 {
				return err // crier ends with 0; a broker does not
			}
			return p.start(ctx)
		}})
	}
	return deeds
}

// endure does all of it under load, one after the other, and returns the longest that a post
// took, and that nothing was published.
func (c *cluster) endure(t *testing.T, name string, deeds []deed) (worst, gap time.Duration) {
	t.Helper()
	perSecond := rate(t)
	l := newLoad(t, c, name)
	l.begin(perSecond)
	time.Sleep(5 * time.Second)
	events := []event{{"nothing happens", time.Now(), time.Now()}}
	time.Sleep(5 * time.Second)
	for _, d := range deeds {
		at := time.Now()
		if err := d.do(t.Context()); err != nil {
			t.Errorf("%s: %v", d.what, err)
		}
		events = append(events, event{d.what, at, time.Now()})
		time.Sleep(between)
	}
	time.Sleep(3 * time.Second)
	l.end()
	all := l.settle(3 * time.Minute)
	return l.report(events, all)
}
