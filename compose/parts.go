package compose

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"crier/compose/embedded"
	"crier/pipeline/stream"
	"crier/schema/clickhouse"
	"crier/schema/postgres"
)

// parts are PostgreSQL, the log and ClickHouse: started here, or reached by URL.
type parts struct {
	data       *embedded.Data
	postgres   string
	kafka      []string
	dialLog    stream.Dial // nil: over TCP
	clickhouse string

	running []part
	log     *slog.Logger
}

// part is an embedded part.
type part struct {
	name string
	stop func(context.Context) error
	done <-chan struct{}
	err  func() error
}

// partsLimit bounds how long the parts may take to stop.
const partsLimit = 15 * time.Second

// startParts locks the data folder and starts what no URL is given for.
func startParts(ctx context.Context, c Config) (*parts, error) {
	data, err := embedded.OpenData(c.Data)
	if err != nil {
		return nil, err
	}
	p := &parts{data: data, postgres: c.Postgres, kafka: c.Kafka, clickhouse: c.ClickHouse, log: c.Logger}
	if err := p.start(ctx, c); err != nil {
		p.stop()
		return nil, err
	}
	return p, nil
}

// start brings up the embedded parts: the log first, which takes its port in this
// process (a child forked meanwhile would hold the port for an instant), then the others
// at the same time. Each is added once it runs.
func (p *parts) start(ctx context.Context, c Config) error {
	if len(p.kafka) == 0 {
		if err := p.startLog(); err != nil {
			return err
		}
	}
	var group errgroup.Group
	started := make(chan part, 2)
	if p.postgres == "" {
		group.Go(func() error { return p.startPostgres(ctx, started) })
	}
	if p.clickhouse == "" && (c.has(roleAnalytics) || c.has(roleGateway)) {
		group.Go(func() error { return p.startClickHouse(ctx, started) })
	}
	err := group.Wait()
	close(started)
	for running := range started {
		p.running = append(p.running, running)
	}
	return err
}

func (p *parts) startLog() error {
	broker, err := embedded.StartLog(p.data, p.log)
	if err != nil {
		return err
	}
	p.kafka, p.dialLog = []string{broker.Addr()}, broker.DialContext
	p.running = append(p.running, part{name: "the log", stop: func(context.Context) error { return broker.Stop() }})
	return nil
}

func (p *parts) startPostgres(ctx context.Context, started chan<- part) error {
	server, err := embedded.StartPostgres(ctx, p.data, p.log)
	if err != nil {
		return err
	}
	p.postgres = server.NearURL()
	started <- part{"PostgreSQL", server.Stop, server.Done(), server.Err}
	return postgres.Migrate(ctx, p.postgres)
}

func (p *parts) startClickHouse(ctx context.Context, started chan<- part) error {
	lib, err := embedded.LibPath()
	if err != nil {
		return err
	}
	engine, err := embedded.StartClickHouse(ctx, p.data, lib, p.log)
	if err != nil {
		return err
	}
	p.clickhouse = engine.URL()
	started <- part{"ClickHouse", engine.Stop, engine.Done(), engine.Err}
	return clickhouse.Migrate(ctx, clickhouse.Config{URL: p.clickhouse})
}

// watch returns when an embedded part is gone for good.
func (p *parts) watch(ctx context.Context) error {
	gone := make(chan error, len(p.running))
	for _, running := range p.running {
		if running.done == nil {
			continue
		}
		go func() {
			select {
			case <-ctx.Done():
				gone <- nil
			case <-running.done:
				gone <- fmt.Errorf("%s is gone: %w", running.name, running.err())
			}
		}()
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-gone:
		return err
	}
}

// stop ends the parts and frees the data folder.
func (p *parts) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), partsLimit)
	defer cancel()
	var group errgroup.Group
	for _, running := range p.running {
		group.Go(func() error {
			if err := running.stop(ctx); err != nil {
				return fmt.Errorf("stopping %s: %w", running.name, err)
			}
			return nil
		})
	}
	if err := errors.Join(group.Wait(), p.data.Close()); err != nil {
		p.log.Error("stopping the parts failed", "err", err)
	}
}
