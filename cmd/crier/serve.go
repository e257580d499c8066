package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/trace"

	"crier/cmd/crier/demo"
	"crier/compose"
	"crier/gateway"
)

type serveCommand struct{ serveFlags }

// Run serves until it is interrupted, which is no error, even while it starts.
func (s *serveCommand) Run(ctx context.Context, logger *slog.Logger) error {
	c, err := s.config(ctx, logger)
	if err != nil {
		return err
	}
	started := func(ctx context.Context, r *compose.Running) error {
		if s.Demo {
			if err := runDemo(ctx, r); err != nil {
				return err
			}
		}
		showFirstLink(ctx, r)
		return nil
	}
	err = compose.Serve(ctx, c, started)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		err = nil
	}
	return err
}

// runDemo publishes with a test key of the workspace "demo".
func runDemo(ctx context.Context, r *compose.Running) error {
	keys, err := demo.KeysIn(filepath.Join(r.Config.Data, "demo.json"), func(test bool) (string, error) {
		return compose.CreateKey(ctx, r.Config, "demo", "operator", test)
	})
	if err != nil {
		return err
	}
	demo.Run(ctx, demo.Config{URL: r.URL, Metrics: r.Config.AdminListen, Keys: keys, Out: os.Stdout})
	return nil
}

func (s *serveCommand) config(ctx context.Context, logger *slog.Logger) (compose.Config, error) {
	c, err := s.partsFlags.config(logger)
	if err != nil {
		return c, err
	}
	if c.Roles, err = compose.ParseRoles(s.Roles); err != nil {
		return c, err
	}
	c.Partitions, c.Kafka = s.on(s.Kafka), s.brokers()
	if c.KafkaSecurity, err = s.security(); err != nil {
		return c, err
	}
	if c.ClickHouse, c.ClickHouseTLS, err = s.reach(); err != nil {
		return c, err
	}
	c.ViewsToken = s.ViewsToken
	c.Listen, c.AdminListen, c.PublicURL, c.Console = s.Listen, s.AdminListen, s.PublicURL, s.Console
	c.SandboxURL, c.Drain, c.MaxLateness = s.SandboxURL, s.Drain, s.MaxLateness
	c.SandboxListen, c.Jetstream = s.SandboxListen, s.Jetstream
	c.Keep = s.retention()
	s.warn(logger)
	c.AllowRegistration, c.TrustedProxies = s.AllowRegistration, s.TrustedProxies
	c.HoldOverdue, c.RestoredTo, c.Billing = s.HoldOverdue, s.RestoredTo.UTC(), s.billing()
	if c.Issuers, err = s.issuers(); err != nil {
		return c, err
	}
	if c.MediaS3TLS, err = s.tls(); err != nil {
		return c, err
	}
	c.MediaS3, c.MaxMedia, c.MediaDisk, c.PostgresConnections = s.MediaS3, s.MaxMedia<<20, s.MediaDisk<<20, s.PostgresConnections
	if c.Traces, err = traceExporter(ctx, os.LookupEnv); err != nil {
		return c, err
	}
	c.Mail = s.mail()
	c.AllowPrivateWebhooks, c.Lead = s.AllowPrivateWebhooks, gateway.Lead
	return c, nil
}

// isListenAddress reports whether an address is one to listen at: host:port, of which the host may be
// left out.
func isListenAddress(address string) bool {
	_, port, err := net.SplitHostPort(address)
	return err == nil && (port == "0" || isPort(port)) // 0: one that is free
}

// likeListenAddress is an address to listen at that may be meant by one that is none: a port alone, a
// host alone or a URL.
func likeListenAddress(text string) string {
	const host, port = "127.0.0.1", "8080"
	if u, err := url.Parse(text); err == nil && u.Hostname() != "" {
		return net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), port))
	}
	if isPort(text) {
		return net.JoinHostPort(host, text)
	}
	if u, err := url.Parse("//" + text); err == nil && u.Hostname() != "" && u.Port() == "" {
		return net.JoinHostPort(u.Hostname(), port)
	}
	return net.JoinHostPort(host, port)
}

// traceExporter sends spans by OTLP over HTTP to where the variables of OpenTelemetry say
// (opentelemetry.io/docs/specs/otel/protocol/exporter); nil where they name no address.
func traceExporter(ctx context.Context, lookup func(string) (string, bool)) (trace.SpanExporter, error) {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"} {
		if address, ok := lookup(name); !ok || address == "" {
			continue
		}
		exporter, err := otlptracehttp.New(ctx)
		if err != nil {
			return nil, fmt.Errorf("preparing the export of traces: %w", err)
		}
		return exporter, nil
	}
	return nil, nil
}
