package admission

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"crier/gateway/answer"
	"crier/pipeline/tracing"
	"crier/schema"
	"crier/schema/metric"
)

// requestTimeout is how long a request may take before it is answered that it took too
// long.
const requestTimeout = 15 * time.Second

// observer gives every request an id and a time limit, measures and logs it, and answers
// 500 for a handler that panics.
type observer struct {
	answer.Failures
	limits    Limits
	ids       *requestIDs
	seconds   *prometheus.HistogramVec
	tracer    *tracing.Tracer
	requested func(schema.APIRequest) // nil: nobody
}

func newObserver(f answer.Failures, l Limits, ids *requestIDs, tracer *tracing.Tracer, registerer prometheus.Registerer) *observer {
	seconds := metric.With(registerer).HistogramVec("crier_http_request_seconds",
		"Duration of a request to the REST API, by route and status.",
		prometheus.ExponentialBuckets(0.0005, 2, 14), // 0.5 ms to 4 s
		"method", "route", "status") // routes are patterns: bounded
	return &observer{Failures: f, limits: l, ids: ids, seconds: seconds, tracer: tracer}
}

func (o *observer) observe(c *gin.Context) {
	began := time.Now()
	within, _ := c.Request.Context().Value(requestKey{}).(*Request)
	r := &Request{id: o.ids.next(), within: within}
	c.Header("X-Request-Id", r.id)
	limit, _ := o.limits.of(c)
	ctx, cancel := context.WithTimeout(c.Request.Context(), limit)
	defer cancel()
	ctx, span := o.tracer.Request(ctx, method(c.Request.Method), c.FullPath(), c.GetHeader(tracing.Header))
	defer span.End()
	c.Request = c.Request.WithContext(context.WithValue(ctx, requestKey{}, r))
	defer o.record(c, r, began)
	defer o.recover(c)
	c.Next()
}

// recover answers 500 for a handler that panicked. ErrAbortHandler is net/http's own way
// to cut a connection, so it passes.
func (o *observer) recover(c *gin.Context) {
	cause := recover()
	if cause == nil {
		return
	}
	if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(cause)
	}
	err := fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
	if c.Writer.Written() {
		o.Logger.ErrorContext(c.Request.Context(), "request failed", RequestOf(c).attributes(), slog.Any("err", err))
		c.Abort()
		return
	}
	o.Fail(c, err)
}

func (o *observer) record(c *gin.Context, r *Request, began time.Time) {
	took := time.Since(began)
	status := c.Writer.Status()
	if o.requested != nil && !r.Key.ID.IsZero() {
		o.requested(schema.APIRequest{
			Workspace: r.Key.Workspace, Key: r.Key.ID, Method: method(c.Request.Method), Route: c.FullPath(), Status: status, Took: took,
		})
	}
	o.seconds.WithLabelValues(method(c.Request.Method), c.FullPath(), strconv.Itoa(status)).Observe(took.Seconds())
	if o.Logger.Enabled(c.Request.Context(), slog.LevelDebug) {
		o.Logger.LogAttrs(c.Request.Context(), slog.LevelDebug, "request", r.attributes(),
			slog.String("method", c.Request.Method), slog.String("route", c.FullPath()), // some paths hold a secret
			slog.Int("status", status), slog.Duration("took", took))
	}
}

// method bounds the values of a label: a client may send any word.
func method(name string) string {
	switch name {
	case http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodPut, http.MethodDelete, http.MethodHead, http.MethodOptions:
		return name
	default:
		return "other"
	}
}
