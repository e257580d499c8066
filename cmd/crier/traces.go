package main

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/trace"
)

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
