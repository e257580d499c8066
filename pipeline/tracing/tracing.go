package tracing

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Header is the name under which a trace travels, over HTTP and in the log.
const Header = "traceparent"

const scope = "crier"

// Tracer begins the spans of a process. A nil Tracer begins none.
type Tracer struct{ provider *sdk.TracerProvider }

// New makes a Tracer that hands its spans to an exporter; nil without one. Which traces
// are sampled follows OTEL_TRACES_SAMPLER; by default all, or as the caller decided.
func New(exporter sdk.SpanExporter) *Tracer {
	if exporter == nil {
		return nil
	}
	service := resource.NewSchemaless(attribute.String("service.name", "crier"))
	return &Tracer{sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(service))}
}

// Close exports what has ended.
func (t *Tracer) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	if err := t.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("exporting the last spans: %w", err)
	}
	return nil
}

// Request begins the span of a request, which goes on with its caller's trace.
func (t *Tracer) Request(ctx context.Context, method, route, parent string) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	return t.begin(ctx, method+" "+route, parent, trace.SpanKindServer)
}

// Message begins the span of a message's handling. A message of no trace has none.
func (t *Tracer) Message(ctx context.Context, stage, parent string) (context.Context, *Span) {
	if t == nil || parent == "" {
		return ctx, nil
	}
	return t.begin(ctx, stage, parent, trace.SpanKindConsumer)
}

func (t *Tracer) begin(ctx context.Context, name, parent string, kind trace.SpanKind) (context.Context, *Span) {
	ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{Header: parent})
	ctx, span := t.provider.Tracer(scope).Start(ctx, name, trace.WithSpanKind(kind))
	return ctx, &Span{span}
}

// Child begins a span within that of a context; none where there is none.
func Child(ctx context.Context, name string) (context.Context, *Span) {
	outer := trace.SpanFromContext(ctx)
	if !outer.IsRecording() {
		return ctx, nil
	}
	ctx, span := outer.TracerProvider().Tracer(scope).Start(ctx, name)
	return ctx, &Span{span}
}

// Parent returns what another process needs to go on with the trace of a context; empty
// where there is none.
func Parent(ctx context.Context) string {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return ""
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier[Header]
}

// Span is one piece of work; a nil Span records nothing.
type Span struct{ span trace.Span }

// Set notes a fact about the work.
func (s *Span) Set(key, value string) {
	if s != nil {
		s.span.SetAttributes(attribute.String(key, value))
	}
}

// Fail notes that the work failed, with a code that says nothing secret.
func (s *Span) Fail(code string) {
	if s != nil {
		s.span.SetStatus(codes.Error, code)
	}
}

// End ends the work.
func (s *Span) End() {
	if s != nil {
		s.span.End()
	}
}
