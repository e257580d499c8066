package admission

import (
	"io"
	"log/slog"
	"net/netip"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"crier/gateway/answer"
	"crier/pipeline/tracing"
	"crier/schema"
)

// Store is all that admission asks of the database.
type Store interface {
	keyStore
	sessionStore
	requestCounter
}

// Config is what requests are admitted with.
type Config struct {
	Store          Store
	Failures       answer.Failures
	Limits         Limits
	TrustedProxies []netip.Prefix // whose X-Forwarded-For is believed
	PublicURL      string         // where pages that are the server's own come from
	Now            func() time.Time
	Random         io.Reader
	Logger         *slog.Logger
	Registerer     prometheus.Registerer
	Tracer         *tracing.Tracer // nil: requests are not traced
	// Requested is told of every request with a valid key, and must not wait; nil: nobody is.
	Requested func(schema.APIRequest)
}

// Middleware returns what every request passes before its operation, in this order: it
// gets an id and is timed and logged; it needs a free place among those in progress; its
// key is looked up and it is counted; if it carries a file, it needs one of the places
// for files too.
func Middleware(c Config) ([]gin.HandlerFunc, error) {
	ids, err := newRequestIDs(c.Random)
	if err != nil {
		return nil, err
	}
	admission := newAdmission(c)
	observer := newObserver(c.Failures, c.Limits, ids, c.Tracer, c.Registerer)
	observer.requested = c.Requested
	bound := newBound(c.Failures, maxInFlight, admission.standing, c.Registerer)
	transfers := newTransfers(c.Failures, c.Limits, bound.refused, c.Registerer)
	return []gin.HandlerFunc{observer.observe, bound.enter, admission.admit, transfers.enter}, nil
}
