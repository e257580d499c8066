package compose

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"crier/compose/heap"
	"crier/compose/quietlog"
)

// idleHeap is how much a process with nothing but a trickle of posts allocates in a second, in bytes.
const idleHeap = 16 << 20

// Serve runs the roles of the config until ctx ends, and returns once everything in hand
// is finished. started, if not nil, is called once every role of the process is ready.
func Serve(ctx context.Context, c Config, started func(context.Context, *Running) error) error {
	if err := c.check(); err != nil {
		return err
	}
	c.Logger = slog.New(quietlog.New(c.Logger.Handler()))
	c.Logger.InfoContext(ctx, "starting", "version", c.Version, "data", c.Data, "roles", strings.Join(c.Roles, ","), "embedded", strings.Join(c.embedded(), ","))
	stopLogging := context.AfterFunc(ctx, func() { c.Logger.Info("told to stop; what is in hand is finished first") })
	defer stopLogging()
	keeping, stop := context.WithCancel(ctx)
	defer stop()
	go heap.Keep(keeping, idleHeap)
	err := withBase(ctx, c, func(b *base) error { return b.serve(ctx, started) })
	if err == nil {
		c.Logger.InfoContext(ctx, "stopped")
	}
	return err
}

// withBase starts the parts and what all roles share, for as long as they are used.
func withBase(ctx context.Context, c Config, use func(*base) error) error {
	p, err := startParts(ctx, c)
	if err != nil {
		return err
	}
	defer p.stop()
	b, err := newBase(ctx, c, p)
	if err != nil {
		return err
	}
	defer b.close()
	return use(b)
}

func (b *base) serve(ctx context.Context, started func(context.Context, *Running) error) error {
	servers, stages, err := b.assemble(ctx)
	if err != nil {
		return err
	}
	return run(ctx, b, servers, stages, started)
}

// Running is a process whose roles are ready.
type Running struct {
	Config Config
	URL    string // of the REST API
}

// stage is a role's work, from start to the end of what it has in hand.
type stage struct {
	role  string
	run   func(ctx context.Context) error
	ready func() error
}

// run starts everything and ends it in the other order: servers, stages, announcer.
func run(ctx context.Context, b *base, servers []*server, stages []stage, started func(context.Context, *Running) error) error {
	group, faulty := errgroup.WithContext(ctx)
	announcing, stopAnnouncing := context.WithCancel(context.WithoutCancel(ctx))
	staging, stopStages := context.WithCancel(context.WithoutCancel(ctx))
	defer stopAnnouncing()
	defer stopStages()

	var announcers, stagers errgroup.Group
	announcers.Go(func() error { return b.announcer.Run(announcing, b.log) })
	announcers.Go(func() error { return b.usage.Run(announcing) }) // counts what stages do while they end
	for _, s := range stages {
		stagers.Go(func() error { return s.run(staging) })
	}
	ended := make(chan error, 1)
	go func() { ended <- stagers.Wait() }()

	for _, s := range servers {
		group.Go(func() error { return s.serve(faulty, b.config.Drain) })
	}
	group.Go(func() error { return b.parts.watch(faulty) })
	group.Go(func() error {
		own := ended
		if len(stages) == 0 { // a process of the role sandbox alone has none that could end
			own = nil
		}
		select {
		case <-faulty.Done():
			return nil
		case err := <-own:
			ended <- err
			return fmt.Errorf("a stage ended by itself: %w", err)
		}
	})
	if started != nil {
		group.Go(func() error {
			if !awaitReady(faulty, stages) {
				return nil // the process ends before it was ready; the reason is another's to give
			}
			return started(faulty, &Running{Config: b.config, URL: b.publicURL()})
		})
	}
	err := group.Wait()
	stopStages()
	err = errors.Join(err, <-ended)
	stopAnnouncing()
	return errors.Join(err, announcers.Wait())
}

// awaitReady waits until every stage consumes; false when ctx ends before.
func awaitReady(ctx context.Context, stages []stage) bool {
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		ready := true
		for _, s := range stages {
			ready = ready && s.ready() == nil
		}
		if ready {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-ticker.C:
		}
	}
}

// publicURL is where clients reach the API.
func (b *base) publicURL() string {
	if b.config.PublicURL != "" {
		return strings.TrimSuffix(b.config.PublicURL, "/")
	}
	return reachedAt(b.config.Listen)
}

// reachedAt is the URL by which this machine reaches an address that is listened at: loopback where
// that is every address of the machine.
func reachedAt(address string) string {
	host, port, err := net.SplitHostPort(address)
	if ip, ipErr := netip.ParseAddr(host); err == nil && (host == "" || ipErr == nil && ip.IsUnspecified()) {
		address = net.JoinHostPort("127.0.0.1", port)
	}
	return "http://" + address
}

// boundedServer is an http.Server with the bounds of every listener: no slow header, no
// endless body, no connection that idles for ever.
func boundedServer(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       60 * time.Second,
		WriteTimeout:      90 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
}
