package admission

import (
	"context"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/answer"
	"crier/gateway/cache"
	"crier/schema"
)

// keyStore looks API keys up.
type keyStore interface {
	// Authenticate returns the key of a hash; the error is Unauthorized when it is
	// unknown, revoked or expired.
	Authenticate(ctx context.Context, hash [32]byte) (schema.Key, error)
}

const (
	keyLife           = time.Second // how long a revoked key may still work, in any gateway
	maxKeys           = 10_000
	maxAddresses      = 100_000
	requestsByAddress = 600 // a minute, without a valid key or session
	requestsBySession = 600 // a minute, in each gateway
)

// The rate headers in canonical form; any other would be converted on each request.
const (
	headerLimit     = "X-Ratelimit-Limit"
	headerRemaining = "X-Ratelimit-Remaining"
	headerReset     = "X-Ratelimit-Reset"
)

// admission finds out who sends a request, and whether they may send more in this minute.
type admission struct {
	answer.Failures
	now       func() time.Time
	addresses addresses
	keys      *cache.Cache[[32]byte, schema.Key]
	sessions  *sessions
	byKey     *leases
	bySession *windows[schema.SessionID]
	byAddress *windows[netip.Prefix]
	refusals  *refusals
}

func newAdmission(c Config) *admission {
	return &admission{
		Failures: c.Failures, now: c.Now, refusals: newRefusals(c.Store, c.Logger, c.Registerer),
		addresses: addresses{c.TrustedProxies},
		keys:      cache.New(keyLife, maxKeys, c.Now, c.Store.Authenticate),
		sessions:  newSessions(c),
		byKey:     newLeases(c.Store),
		bySession: newWindows[schema.SessionID](maxKeys),
		byAddress: newWindows[netip.Prefix](maxAddresses),
	}
}

// admit runs before everything else, so that every answer carries the rate headers.
func (a *admission) admit(c *gin.Context) {
	now := a.now()
	r := RequestOf(c)
	if r.within != nil {
		r.Address = r.within.Address
	} else {
		r.Address = a.addresses.of(c.Request)
	}
	err := a.identify(c, r, now)
	switch {
	case err != nil:
		r.keyless = answer.Actionable(err).Message
		r.Quota, err = a.quotaOfStranger(r.Address, err, now)
	case r.Session != nil:
		r.Quota = Quota{Limit: requestsBySession, used: a.bySession.add(r.Session.ID, 1, now), Reset: resetAfter(now)}
	default:
		r.Quota, err = a.quotaOf(c.Request.Context(), r.Key, now)
	}
	showQuota(c, r.Quota)
	if err == nil && r.Quota.exceeded() {
		a.refusals.count(c.Request.Context(), r, now)
		err = exceeded(r, now)
	}
	if err != nil {
		a.Fail(c, err)
	}
}

// identify finds out whose key or session a request bears. With a key nothing is asked of sessions.
func (a *admission) identify(c *gin.Context, r *Request, now time.Time) error {
	header := c.GetHeader("Authorization")
	if header == "" {
		r.crossOrigin = a.sessions.crossOrigin(c.Request)
		if token := a.sessions.cookies.token(c.Request); token != "" {
			return a.resume(c, r, token, now)
		}
	}
	key, err := a.authenticate(c.Request.Context(), header, r.Address, now)
	if err != nil {
		return err
	}
	if !key.WorksFrom(r.Address) {
		return unauthorized("this API key works from other networks")
	}
	r.Key = key
	return nil
}

// standing returns where a caller stands without a query and without counting the
// request: for the answer to a request that is refused before anything else is looked at.
func (a *admission) standing(c *gin.Context) Quota {
	now := a.now()
	_, text, _ := strings.Cut(c.GetHeader("Authorization"), " ")
	if key, ok := a.keys.Last(schema.HashAPIKey(strings.TrimSpace(text))); ok {
		return a.byKey.standing(key, now)
	}
	return Quota{Limit: requestsByAddress, used: a.byAddress.add(a.addresses.of(c.Request), 0, now), Reset: resetAfter(now)}
}

// quotaOf counts a request of a key.
func (a *admission) quotaOf(ctx context.Context, key schema.Key, now time.Time) (Quota, error) {
	switch {
	case key.RequestsPerMinute == 0:
		return Quota{Reset: resetAfter(now)}, nil
	case key.SuspendedUntil.After(now):
		return Quota{Limit: key.RequestsPerMinute, used: key.RequestsPerMinute + 1, Reset: key.SuspendedUntil}, nil
	default:
		return a.byKey.pass(ctx, key, now)
	}
}

// quotaOfStranger counts a request without a valid key, which a public route may answer.
// Where the key could not be checked, the request fails.
func (a *admission) quotaOfStranger(address netip.Prefix, why error, now time.Time) (Quota, error) {
	q := Quota{Limit: requestsByAddress, Reset: resetAfter(now)}
	if answer.Actionable(why).Kind == schema.Unauthorized {
		q.used = a.byAddress.add(address, 1, now)
		return q, nil
	}
	q.used = a.byAddress.add(address, 0, now)
	return q, why
}

func exceeded(r *Request, now time.Time) error {
	message := "more than " + strconv.Itoa(r.Quota.Limit) + " requests in this minute"
	if r.Key.SuspendedUntil.After(now) {
		message = "this API key is suspended until " + answer.Time(r.Key.SuspendedUntil) + ": it kept sending requests in spite of 429"
	}
	return &schema.Error{Kind: schema.RateLimitExceeded, RetryAfter: r.Quota.Reset.Sub(now), Message: message}
}

// authenticate returns the key of an Authorization header. An address that has used up
// its requests causes no more queries, but a key that was valid a while ago is still let
// through from there: one address may stand for many callers.
func (a *admission) authenticate(ctx context.Context, header string, address netip.Prefix, now time.Time) (schema.Key, error) {
	scheme, text, _ := strings.Cut(header, " ")
	text = strings.TrimSpace(text)
	if !strings.EqualFold(scheme, "Bearer") || text == "" {
		return schema.Key{}, unauthorized("no API key was sent: the header Authorization: Bearer <API key> is needed")
	}
	if schema.CheckAPIKey(text) != nil {
		return schema.Key{}, unauthorized("the API key is not valid")
	}
	hash := schema.HashAPIKey(text)
	if !a.keys.Knows(hash) && a.byAddress.add(address, 0, now) >= requestsByAddress {
		return schema.Key{}, unauthorized("the API key is not valid")
	}
	key, err := a.keys.Get(ctx, hash)
	if schema.KindOf(err) == schema.Unauthorized {
		return schema.Key{}, unauthorized("the API key is not valid")
	}
	return key, err
}

func unauthorized(message string) *schema.Error {
	return &schema.Error{Kind: schema.Unauthorized, Message: message}
}

func showQuota(c *gin.Context, q Quota) {
	limit, remaining := q.Figures()
	c.Header(headerLimit, strconv.Itoa(limit))
	c.Header(headerRemaining, strconv.Itoa(remaining))
	c.Header(headerReset, strconv.FormatInt(q.Reset.UnixMilli(), 10))
}
