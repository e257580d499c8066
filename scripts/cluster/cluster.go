package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rclone/gofakes3"
	"github.com/rclone/gofakes3/s3mem"
	"golang.org/x/sync/errgroup"

	"crier/compose/embedded"
)

// cluster is all that runs.
type cluster struct {
	root    string // of the repository
	binary  string // of crier
	folder  string // of everything, removed at the end
	user    *syscall.Credential
	taken   []int // ports that are given out
	stopped []func()

	brokers   []*process
	databases []*process // the primary first
	criers    []*process
	simulator *process

	kafka      []string
	postgres   []int // ports
	password   string
	clickhouse string
	bucket     string // host:port
	simulated  string // address of the simulators
	sandbox    string // host:port
	public     string
	gateways   []string
	admins     []string
}

// start starts everything; what it does it tells progress.
func start(ctx context.Context, progress io.Writer) (*cluster, error) {
	c := &cluster{}
	err := c.prepare()
	if err == nil {
		err = c.startAll(ctx, progress)
	}
	if err != nil {
		c.stop()
		return nil, err
	}
	return c, nil
}

func (c *cluster) startAll(ctx context.Context, progress io.Writer) error {
	began := time.Now()
	for _, step := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"a bucket and the simulators", c.startSimulated},
		{"PostgreSQL, a primary and its standby", c.startPostgres},
		{"Apache Kafka, three brokers", c.startKafka},
		{"ClickHouse", c.startClickHouse},
		{"tables and topics", c.migrate},
		{"crier, two processes of each role", c.startCriers},
	} {
		fmt.Fprintf(progress, "%6.1fs  %s\n", time.Since(began).Seconds(), step.what)
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("starting %s: %w", step.what, err)
		}
	}
	fmt.Fprintf(progress, "%6.1fs  everything is ready\n", time.Since(began).Seconds())
	return nil
}

func (c *cluster) prepare() (err error) {
	if c.root, err = repository(); err != nil {
		return err
	}
	c.binary = filepath.Join(c.root, "bin", "crier")
	if _, err := os.Stat(c.binary); err != nil {
		return fmt.Errorf("crier is not built: %w", err)
	}
	if c.user, err = unprivileged(); err != nil {
		return err
	}
	if c.folder, err = os.MkdirTemp("", "crier-cluster-"); err != nil {
		return fmt.Errorf("making a folder: %w", err)
	}
	if err := os.Chmod(c.folder, 0o711); err != nil { //nolint:gosec // PostgreSQL's user passes through
		return err
	}
	if c.sandbox, err = c.address(); err != nil {
		return err
	}
	return nil
}

// repository is the folder above this one with crier's go.mod in it.
func repository() (string, error) {
	folder, err := os.Getwd()
	for ; err == nil && folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if content, err := os.ReadFile(filepath.Join(folder, "go.mod")); err == nil && strings.HasPrefix(string(content), "module crier\n") {
			return folder, nil
		}
	}
	return "", errors.Join(errors.New("crier's repository is not above this folder"), err)
}

func (c *cluster) folderOf(name string) (string, error) {
	folder := filepath.Join(c.folder, name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", fmt.Errorf("making a folder: %w", err)
	}
	return folder, nil
}

// port is one that nobody listens on, and that the kernel gives to no outgoing connection.
func (c *cluster) port() (int, error) {
	const first, last = 15_000, 32_000
	for range 200 {
		port := first + rand.IntN(last-first)
		if slices.Contains(c.taken, port) {
			continue
		}
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))) //nolint:noctx // answers at once
		if err != nil {
			continue // somebody has it
		}
		c.taken = append(c.taken, port)
		return port, l.Close()
	}
	return 0, errors.New("no port is free")
}

func (c *cluster) address() (string, error) {
	port, err := c.port()
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), err
}

// startSimulated starts what stands for the platforms and for S3.
func (c *cluster) startSimulated(ctx context.Context) error {
	backend := s3mem.New()
	if err := backend.CreateBucket(ctx, "crier"); err != nil {
		return fmt.Errorf("making the bucket: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	c.bucket = listener.Addr().String()
	server := &http.Server{Handler: gofakes3.New(backend).Server(), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }() // until it is closed
	c.stopped = append(c.stopped, func() { _ = server.Close() })

	folder, err := c.folderOf("simulators")
	if err != nil {
		return err
	}
	address, err := c.address()
	if err != nil {
		return err
	}
	c.simulated = "http://" + address
	c.simulator = &process{
		name: "simulators", folder: folder, ends: syscall.SIGTERM,
		arguments: []string{c.binary, "simulate", "--listen", address, "--log-level", "warn"},
		ready:     answers(c.simulated + "/_control/posts"),
	}
	return c.simulator.start(ctx)
}

func (c *cluster) startPostgres(ctx context.Context) error {
	if err := c.makePostgres(ctx); err != nil {
		return err
	}
	for _, one := range c.databases {
		if err := one.start(ctx); err != nil {
			return err
		}
	}
	return c.follow(ctx)
}

func (c *cluster) startKafka(ctx context.Context) error {
	if err := c.makeBrokers(ctx); err != nil {
		return err
	}
	// A controller alone elects nobody: all start at once.
	for _, one := range c.brokers {
		if err := one.launch(); err != nil {
			return err
		}
	}
	for _, one := range c.brokers {
		if err := one.awaitReady(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (c *cluster) startClickHouse(ctx context.Context) error {
	data, err := embedded.OpenData(filepath.Join(c.folder, "clickhouse"))
	if err != nil {
		return err
	}
	c.stopped = append(c.stopped, func() { _ = data.Close() })
	lib, err := embedded.LibPath()
	if err != nil {
		return err
	}
	engine, err := embedded.StartClickHouse(ctx, data, lib, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	c.stopped = append(c.stopped, func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = engine.Stop(ctx)
	})
	c.clickhouse = engine.URL()
	return nil
}

func (c *cluster) migrate(ctx context.Context) error {
	_, err := c.crier(ctx, "migrate", "--partitions", partitions)
	return err
}

func (c *cluster) startCriers(ctx context.Context) error {
	if err := c.makeCriers(); err != nil {
		return err
	}
	c.public = c.gateways[0]
	var group errgroup.Group
	for _, one := range c.criers {
		one.environment = c.settings()
		group.Go(func() error { return one.start(ctx) })
	}
	return group.Wait()
}

// stop ends everything, crier first, and removes what it left.
func (c *cluster) stop() {
	for _, some := range [][]*process{c.criers, c.brokers, c.databases, {c.simulator}} {
		var group errgroup.Group
		for _, one := range some {
			if one != nil {
				group.Go(func() error { _ = one.end(30 * time.Second); return nil }) // it may have been killed
			}
		}
		_ = group.Wait()
	}
	for _, end := range slices.Backward(c.stopped) {
		end()
	}
	if c.folder != "" {
		_ = os.RemoveAll(c.folder)
	}
}

// show tells where everything is.
func (c *cluster) show(out io.Writer, key, test string) {
	fmt.Fprintf(out, "\nAPI         %s\n", strings.Join(c.gateways, "  "))
	fmt.Fprintf(out, "key         %s   (live: accounts on the simulators)\n", key)
	fmt.Fprintf(out, "test key    %s   (the sandbox, with accounts of all platforms)\n", test)
	fmt.Fprintf(out, "simulators  %s   (published: /_control/posts, to look at: /_control/wall)\n", c.simulated)
	fmt.Fprintf(out, "PostgreSQL  127.0.0.1:%d, standby 127.0.0.1:%d   (crier:%s)\n", c.postgres[0], c.postgres[1], c.password)
	fmt.Fprintf(out, "Kafka       %s\n", strings.Join(c.kafka, ","))
	fmt.Fprintf(out, "ClickHouse  %s\n", c.clickhouse)
	for i, one := range c.criers {
		fmt.Fprintf(out, "%-11s http://%s/readyz   pid %d\n", one.name, c.admins[i], one.command.Process.Pid)
	}
	fmt.Fprintf(out, "logs        %s/*/*.log\n\nCtrl-C stops everything.\n", c.folder)
}
