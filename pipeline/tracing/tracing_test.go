package tracing

import (
	"testing"

	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

const caller = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func TestATraceGoesOnInAnotherProcess(t *testing.T) {
	exporter := tracetest.NewInMemoryExporter()
	tracer := New(exporter)
	ctx, request := tracer.Request(t.Context(), "POST", "/posts", caller)
	ctx, create := Child(ctx, "create")
	_, stage := tracer.Message(t.Context(), "publish", Parent(ctx))
	stage.End()
	create.End()
	request.End()
	if err := tracer.provider.ForceFlush(t.Context()); err != nil {
		t.Fatal(err)
	}
	spans := exporter.GetSpans()
	if len(spans) != 3 {
		t.Fatalf("%d spans, want 3", len(spans))
	}
	for _, s := range spans {
		if got := s.SpanContext.TraceID().String(); got != "0af7651916cd43dd8448eb211c80319c" {
			t.Errorf("%s is of trace %s, want the caller's", s.Name, got)
		}
	}
	if spans[0].Parent.SpanID() != spans[1].SpanContext.SpanID() || spans[2].Parent.SpanID().String() != "b7ad6b7169203331" {
		t.Error("the spans do not follow from each other")
	}
}

func TestATraceThatCannotBeReadBeginsAnew(t *testing.T) {
	tracer := New(tracetest.NewInMemoryExporter())
	ctx, span := tracer.Request(t.Context(), "GET", "/", "nonsense")
	defer span.End()
	if Parent(ctx) == "" {
		t.Error("there is no trace")
	}
}

func TestOffCostsNothing(t *testing.T) {
	tracer, ctx := New(nil), t.Context()
	allocated := testing.AllocsPerRun(100, func() {
		ctx, request := tracer.Request(ctx, "POST", "/posts", caller)
		ctx, child := Child(ctx, "create")
		_, message := tracer.Message(ctx, "publish", Parent(ctx))
		message.Set("platform", "mastodon")
		message.End()
		child.End()
		request.End()
	})
	if allocated != 0 {
		t.Errorf("%v allocations without an exporter, want none", allocated)
	}
}
