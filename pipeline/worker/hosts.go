package worker

import (
	"context"
	"log/slog"
	"time"

	"crier/schema"
	"crier/schema/recent"
)

// hostStore knows where accounts are.
type hostStore interface {
	// Hosts returns where the calls for accounts go, of those that there are.
	Hosts(ctx context.Context, accounts []schema.AccountID) (map[schema.AccountID]schema.Host, error)
}

const (
	// knownHosts is the size of a generation of accounts of which it is known where they are.
	knownHosts = 1 << 15
	// hostsLimit is how long a stage waits to learn where accounts are.
	hostsLimit = 5 * time.Second
)

// Hosts remembers where the calls for accounts go: messages do not say it, and it never changes.
type Hosts struct {
	store  hostStore
	logger *slog.Logger
	known  *recent.Cache[schema.AccountID, schema.Host]
}

// NewHosts makes a Hosts that knows nothing yet.
func NewHosts(store hostStore, logger *slog.Logger) *Hosts {
	nowhere := func(schema.AccountID) schema.Host { return schema.Host{} }
	return &Hosts{store: store, logger: logger, known: recent.New(knownHosts, nowhere)}
}

// HostsOf returns where the calls go that messages ask for, in their order. Those of which nothing is
// known, such as where the database does not answer, count as the platform's own.
func HostsOf[M any](ctx context.Context, h *Hosts, messages []M, account func(M) schema.AccountID) []schema.Host {
	hosts := make([]schema.Host, len(messages))
	if h == nil {
		return hosts
	}
	var strangers []schema.AccountID
	for i, m := range messages {
		var isKnown bool
		if hosts[i], isKnown = h.known.Known(account(m)); !isKnown {
			strangers = append(strangers, account(m))
		}
	}
	if len(strangers) == 0 {
		return hosts
	}
	found := h.learn(ctx, strangers)
	for i, m := range messages {
		if host, is := found[account(m)]; is {
			hosts[i] = host
		}
	}
	return hosts
}

func (h *Hosts) learn(ctx context.Context, accounts []schema.AccountID) map[schema.AccountID]schema.Host {
	ctx, cancel := context.WithTimeout(ctx, hostsLimit)
	defer cancel()
	found, err := h.store.Hosts(ctx, accounts)
	if err != nil {
		h.logger.WarnContext(ctx, "reading which servers accounts are on failed", "err", err)
	}
	for account, host := range found {
		h.known.Put(account, host)
	}
	return found
}
