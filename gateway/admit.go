package gateway

import (
	"context"
	"errors"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"crier/schema"
)

const (
	keyLife           = time.Second // how long a revoked key may still work
	maxKeys           = 10_000
	maxAddresses      = 100_000
	requestsByAddress = 600 // a minute, without a valid key
)

// The rate headers in the form net/http sends them in, which any other costs to be
// brought to.
const (
	headerLimit     = "X-Ratelimit-Limit"
	headerRemaining = "X-Ratelimit-Remaining"
	headerReset     = "X-Ratelimit-Reset"
)

// admission tells who sends a request and whether they may send more in this minute.
type admission struct {
	failures
	now       func() time.Time
	keys      *cache[[32]byte, schema.Key]
	byKey     *windows[schema.KeyID]
	byAddress *windows[netip.Prefix]
}

func newAdmission(f failures, store KeyStore, now func() time.Time) *admission {
	return &admission{
		failures: f, now: now,
		keys:      newCache(keyLife, maxKeys, now, store.Authenticate),
		byKey:     newWindows[schema.KeyID](maxKeys),
		byAddress: newWindows[netip.Prefix](maxAddresses),
	}
}

// admit runs before everything else, so that every answer carries the rate headers.
func (a *admission) admit(c *gin.Context) {
	now := a.now()
	address := addressOf(c)
	key, err := a.authenticate(c.Request.Context(), c.GetHeader("Authorization"), address, now)
	q := quota{reset: resetAfter(now)}
	switch {
	case err == nil:
		requestOf(c).key = key
		if q.limit = key.RequestsPerMinute; q.limit > 0 {
			q.used = a.byKey.add(key.ID, 1, now)
		}
	case actionable(err).Kind == schema.Unauthorized:
		q.limit, q.used = requestsByAddress, a.byAddress.add(address, 1, now)
	default:
		q.limit, q.used = requestsByAddress, a.byAddress.add(address, 0, now)
	}
	requestOf(c).quota = q
	showQuota(c, q)
	switch {
	case q.exceeded():
		a.fail(c, &schema.Error{
			Kind: schema.RateLimitExceeded, RetryAfter: q.reset.Sub(now),
			Message: "more than " + strconv.Itoa(q.limit) + " requests in this minute",
		})
	case err != nil && actionable(err).Kind != schema.Unauthorized:
		a.fail(c, err)
	}
}

// standing returns where a caller stands, without a query and without counting the
// request: for the answer to one that is refused unheard.
func (a *admission) standing(c *gin.Context) quota {
	now := a.now()
	q := quota{reset: resetAfter(now)}
	_, text, _ := strings.Cut(c.GetHeader("Authorization"), " ")
	if key, ok := a.keys.last(schema.HashAPIKey(strings.TrimSpace(text))); ok {
		if q.limit = key.RequestsPerMinute; q.limit > 0 {
			q.used = a.byKey.add(key.ID, 0, now)
		}
		return q
	}
	q.limit, q.used = requestsByAddress, a.byAddress.add(addressOf(c), 0, now)
	return q
}

// authenticate returns the key of an Authorization header. An address that has used up
// its requests costs no more queries, but a key that worked a while ago still does
// from there: one address may stand for many callers.
func (a *admission) authenticate(ctx context.Context, header string, address netip.Prefix, now time.Time) (schema.Key, error) {
	scheme, text, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return schema.Key{}, unauthorized("a key is required: Authorization: Bearer <API key>")
	}
	text = strings.TrimSpace(text)
	if schema.CheckAPIKey(text) != nil {
		return schema.Key{}, unauthorized("the API key is not valid")
	}
	hash := schema.HashAPIKey(text)
	if !a.keys.knows(hash) && a.byAddress.add(address, 0, now) >= requestsByAddress {
		return schema.Key{}, unauthorized("the API key is not valid")
	}
	key, err := a.keys.get(ctx, hash)
	if e, ok := errors.AsType[*schema.Error](err); ok && e.Kind == schema.Unauthorized {
		return schema.Key{}, unauthorized("the API key is not valid")
	}
	return key, err
}

// permit refuses a request whose key may not do what the route does.
func permit(r *request, needed schema.Permission) error {
	switch {
	case r.key.ID.IsZero():
		return unauthorized("a valid API key is required: Authorization: Bearer <API key>")
	case r.key.Permission < needed:
		return &schema.Error{Kind: schema.Forbidden, Message: "this API key lacks the permission for this request"}
	default:
		return nil
	}
}

func unauthorized(message string) *schema.Error {
	return &schema.Error{Kind: schema.Unauthorized, Message: message}
}

func showQuota(c *gin.Context, q quota) {
	limit, remaining := q.shown()
	c.Header(headerLimit, strconv.Itoa(limit))
	c.Header(headerRemaining, strconv.Itoa(remaining))
	c.Header(headerReset, strconv.FormatInt(q.reset.UnixMilli(), 10))
}

// addressOf returns the network a request comes from: of IPv6 the /64 that one
// customer has, since its single addresses cost nothing.
func addressOf(c *gin.Context) netip.Prefix {
	peer, err := netip.ParseAddrPort(c.Request.RemoteAddr)
	if err != nil {
		return netip.Prefix{} // not TCP: all such callers share one window
	}
	address := peer.Addr().Unmap()
	bits := 32
	if address.Is6() {
		bits = 64
	}
	network, err := address.WithZone("").Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return network
}
