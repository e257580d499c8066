package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"crier/compose"
	"crier/compose/embedded"
	"crier/gateway"
	"crier/schema"
	"crier/schema/sleep"
)

// serverConfig is the configuration of a worker that serves.
type serverConfig struct {
	Data        string
	Listen      string
	AdminListen string
	Lead        time.Duration // least time from creation to scheduledFor
	Simulators  string        // address of the simulators; empty: none are there
	Accounts    int           // of each platform; 0: accountsEach
	Roles       string        // empty: all
	Jetstream   string        // address of a stream of public posts; empty: Bluesky's own

	LoopbackWebhooks bool
}

// compose returns the configuration that `crier serve` has by default, except for what a
// benchmark sets.
func (c serverConfig) compose(w *worker) (compose.Config, error) {
	roles, err := compose.ParseRoles(cmp.Or(c.Roles, "all"))
	if err != nil {
		return compose.Config{}, err
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	var hosts []string
	if c.Jetstream != "" {
		hosts = []string{c.Jetstream}
	}
	return compose.Config{
		Data: c.Data, Listen: c.Listen, AdminListen: c.AdminListen, Roles: roles, Lead: c.Lead,
		AllowPrivateWebhooks: c.LoopbackWebhooks, Bases: simulatorBases(c.Simulators), Jetstream: hosts, Drain: compose.MinDrain, MaxLateness: 24 * time.Hour,
		Version: "bench", Logger: w.logger, Registerer: registry,
	}, nil
}

// serve is the worker that is measured.
func serve(ctx context.Context, w *worker) error {
	var c serverConfig
	if err := w.configure(&c); err != nil {
		return err
	}
	config, err := c.compose(w)
	if err != nil {
		return err
	}
	return compose.Serve(ctx, config, func(_ context.Context, r *compose.Running) error { return w.answer(r.URL) })
}

// platforms are those with a simulator, to which a post of a benchmark goes.
func platforms() []schema.Platform {
	return []schema.Platform{schema.Mastodon, schema.Bluesky, schema.Telegram}
}

// simulatorBases returns the platforms' addresses at the simulators.
func simulatorBases(address string) map[schema.Platform]string {
	bases := map[schema.Platform]string{}
	for _, p := range platforms() {
		if address != "" {
			bases[p] = "http://" + address + "/" + p.String()
		}
	}
	return bases
}

// server is a worker that serves, with a workspace and its accounts.
type server struct {
	Target
	config serverConfig
	admin  string // address of metrics and profiles
	folder string
	child  *child
}

const (
	benchWorkspace = "bench"
	// accountsEach is how many accounts of each platform a workspace has by itself. An account
	// takes some 50 posts a day, and a platform's calls come at a limited pace.
	accountsEach = 100
)

// target returns the server to measure: the one that was named, or one that is started.
func (s *session) target(ctx context.Context) (*server, error) {
	if s.config.Target.URL != "" {
		return &server{Target: s.config.Target}, nil
	}
	return s.startServer(ctx, serverConfig{Lead: gateway.Lead})
}

// startServer starts a server in a new folder. It must be stopped.
func (s *session) startServer(ctx context.Context, c serverConfig) (*server, error) {
	addresses, err := freeAddresses(ctx, 2)
	if err != nil {
		return nil, err
	}
	started := &server{admin: addresses[1]}
	if started.folder, err = os.MkdirTemp("", "crier-bench-"); err != nil {
		return nil, fmt.Errorf("making a data folder: %w", err)
	}
	c.Data, c.Listen, c.AdminListen = started.folder, addresses[0], addresses[1]
	started.config = c
	if err := s.prepare(ctx, started, c); err != nil {
		return nil, errors.Join(err, started.stop())
	}
	s.say("serving at %s, metrics and profiles at http://%s", started.URL, started.admin)
	return started, nil
}

// prepare starts the worker and makes the workspace, its key and its accounts.
func (s *session) prepare(ctx context.Context, started *server, c serverConfig) (err error) {
	s.say("starting a server in %s", c.Data)
	if started.child, err = s.start(ctx, roleServer, c); err != nil {
		return err
	}
	if err := started.child.answer(&started.URL); err != nil {
		return err
	}
	parts, err := embedded.Neighbour(c.Data)
	if err != nil {
		return err
	}
	started.Postgres = parts.Postgres
	config := started.operator()
	if started.Key, err = compose.CreateKey(ctx, config, benchWorkspace, "operator", false); err != nil {
		return err
	}
	_, err = compose.ConnectSimulated(ctx, config, benchWorkspace, compose.Simulated{Platforms: platforms(), Accounts: cmp.Or(c.Accounts, accountsEach)})
	return err
}

// operator is the configuration of commands that work beside the server.
func (s *server) operator() compose.Config {
	return compose.Config{Data: s.folder, Logger: slog.New(slog.DiscardHandler)}
}

// restart ends the server and starts it again with other roles, and returns once they
// are ready.
func (s *session) restart(ctx context.Context, on *server, roles string) error {
	err := on.child.stop()
	on.child = nil
	if err != nil {
		return err
	}
	on.config.Roles = roles
	if on.child, err = s.start(ctx, roleServer, on.config); err != nil {
		return err
	}
	return on.child.answer(&on.URL)
}

// stop ends the server and removes its folder. A server that this run has not started is left
// alone.
func (s *server) stop() error {
	var err error
	if s.child != nil {
		err = s.child.stop()
	}
	if s.folder != "" {
		err = errors.Join(err, os.RemoveAll(s.folder))
	}
	return err
}

// simulatorsConfig is the configuration of a worker that simulates the platforms.
type simulatorsConfig struct{ Listen string }

func simulate(ctx context.Context, w *worker) error {
	var c simulatorsConfig
	if err := w.configure(&c); err != nil {
		return err
	}
	return compose.Simulate(ctx, c.Listen, w.logger)
}

// startSimulators starts the platforms' simulators and returns once they listen.
func (s *session) startSimulators(ctx context.Context) (address string, c *child, err error) {
	addresses, err := freeAddresses(ctx, 1)
	if err != nil {
		return "", nil, err
	}
	c, err = s.start(ctx, roleSimulators, simulatorsConfig{addresses[0]})
	if err != nil {
		return "", nil, err
	}
	if err := awaitListener(ctx, addresses[0]); err != nil {
		return "", nil, errors.Join(err, c.stop())
	}
	return addresses[0], c, nil
}

func awaitListener(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	var dialer net.Dialer
	for {
		conn, err := dialer.DialContext(ctx, "tcp", address)
		if err == nil {
			return conn.Close()
		}
		if sleep.For(ctx, 10*time.Millisecond) != nil {
			return fmt.Errorf("waiting for %s: %w", address, err)
		}
	}
}

// metrics gives each series of the server that has labels, as it is written, and its value, in
// the order in which they stand.
func (s *server) metrics(ctx context.Context, each func(series string, value float64)) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.admin+"/metrics", nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("reading metrics: %w", err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("reading metrics: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		series, number, _ := strings.Cut(strings.TrimSpace(line), "} ")
		if value, err := strconv.ParseFloat(number, 64); err == nil {
			each(series+"}", value)
		}
	}
	return nil
}
