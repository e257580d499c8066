// Package tracing follows one post by OpenTelemetry from its request to the webhook that
// tells of it. It is off unless an exporter is given; then nothing is allocated for it.
//
//	request ─▶ create ─▶ job, or header "traceparent" ─▶ publish ─▶ call, finish
//	                                                              └▶ event ─▶ notify ─▶ deliver
//
// What goes from stage to stage is W3C's traceparent (w3.org/TR/trace-context). Spans bear
// names of routes, stages and platforms, and ids; never content, credentials or addresses.
package tracing
