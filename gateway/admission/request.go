package admission

import (
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"strconv"
	"sync/atomic"

	"github.com/gin-gonic/gin"

	"crier/schema"
	"crier/schema/people"
)

// Request is what is known of a request while it is answered.
type Request struct {
	id          string
	within      *Request        // that it is made to answer, in this process; nil: it came over the network
	Key         schema.Key      // or what the session is seen as; zero: neither is valid, or the session works on no workspace
	Session     *people.Session // nil: it has none
	keyless     string          // what it is told where it needs a key and has none that is valid
	forged      bool            // it lacks the token of its session
	turned      bool            // the page that sends it shows another workspace or mode than its session works on
	crossOrigin bool            // it has no key, and the page of another site sends it
	Address     netip.Prefix    // the network it comes from
	Quota       Quota           // where its caller stands in the minute
	Post        string          // id of the post it is about, for the log
}

type requestKey struct{}

// RequestOf returns the request of a context; observe has put it there.
func RequestOf(c *gin.Context) *Request { return c.Request.Context().Value(requestKey{}).(*Request) }

// Actor returns who sends the request: somebody who is signed in, a key, or a visitor.
func (r *Request) Actor() people.Actor {
	address := r.Address.String()
	switch {
	case r.Session != nil:
		return people.Actor{Kind: people.ByUser, ID: r.Session.User.ID.String(), Name: r.Session.User.Name, Address: address}
	case r.Key.ID.IsZero():
		return people.Actor{Kind: people.ByVisitor, Address: address}
	case r.Key.Device:
		return people.Actor{Kind: people.ByDevice, ID: r.Key.ID.String(), Name: r.Key.Name, Address: address}
	default:
		return people.Actor{Kind: people.ByKey, ID: r.Key.ID.String(), Name: r.Key.Name, Address: address}
	}
}

// About returns the log attributes of a context's request.
func About(c *gin.Context) slog.Attr { return RequestOf(c).attributes() }

func (r *Request) attributes() slog.Attr {
	attributes := []any{slog.String("request", r.id)}
	if !r.Key.ID.IsZero() {
		attributes = append(attributes, slog.String("key", r.Key.ID.String()))
	}
	if r.Session != nil {
		attributes = append(attributes, slog.String("user", r.Session.User.ID.String()))
	}
	if r.Post != "" {
		attributes = append(attributes, slog.String("post", r.Post))
	}
	return slog.Group("", attributes...)
}

// requestIDs makes the ids of requests: a random prefix for the life of the process and a
// counter, which costs nothing and is just as unique.
type requestIDs struct {
	beginning string
	count     atomic.Uint64
}

func newRequestIDs(random io.Reader) (*requestIDs, error) {
	var seed [6]byte
	if _, err := io.ReadFull(random, seed[:]); err != nil {
		return nil, fmt.Errorf("reading randomness: %w", err)
	}
	return &requestIDs{beginning: fmt.Sprintf("req_%x_", seed)}, nil
}

func (r *requestIDs) next() string {
	return r.beginning + strconv.FormatUint(r.count.Add(1), 36)
}
