package connectors

import (
	"log/slog"
	"time"

	"crier/schema"
	"crier/schema/recent"
)

// turnSource makes what the turns of accounts and apps are taken from.
type turnSource struct {
	turns    SharedTurns // nil: no other process takes any
	appTurns SharedTurns // turns, or those of this process: an app's come from it either way
	prefix   string      // of the names of turns
	now      func() time.Time
	logger   *slog.Logger
}

func newTurnSource(config ClientConfig) *turnSource {
	s := &turnSource{turns: config.Turns, appTurns: config.Turns, prefix: config.TurnPrefix, now: config.Now, logger: config.Logger}
	if s.appTurns == nil {
		s.appTurns = newOwnTurns(s.now)
	}
	return s
}

// account is what turns of an account are taken from.
func (s *turnSource) account(id schema.AccountID, kind Kind, limit Rate) quota {
	if s.turns == nil {
		return newBucket(limit, s.now)
	}
	ahead := int((clockStep - longestWait) / limit.spacing()) // further would look like a clock that was set back
	leases := &leases{
		turns: s.turns, spacing: limit.spacing(), burst: limit.burst(), min: 1, max: max(1, min(limit.burst()/leasedPart, ahead)), now: s.now, logger: s.logger,
	}
	return leases.share(s.name(kind, id.String()))
}

// accountReads is what reads may take of the turns of an account for all its calls; nil: these have
// no limit.
func (s *turnSource) accountReads(id schema.AccountID, all quota) quota {
	switch all := all.(type) {
	case *bucket:
		return readBucket{all}
	case *share:
		return all.readShare(s.name(Any, id.String()))
	default:
		return nil
	}
}

// apps are this process's shares of the turns of apps.
func (s *turnSource) apps(kind Kind, limit Rate) *recent.Cache[string, *share] {
	leases := s.appLeases(limit)
	return recent.New(limitedApps, func(app string) *share { return leases.share(s.name(kind, app)) })
}

// appReads are what reads may take of the turns of apps for all calls.
func (s *turnSource) appReads(limit Rate) *recent.Cache[string, *readShare] {
	leases := s.appLeases(limit)
	return recent.New(limitedApps, func(app string) *readShare { return leases.readShare(s.name(Any, app)) })
}

// appLeases is how the turns of apps are leased.
func (s *turnSource) appLeases(limit Rate) *leases {
	chunk := max(1, int(leased*float64(limit.PerSecond)))
	return &leases{
		turns: s.appTurns, spacing: limit.spacing(), burst: limit.burst(), min: chunk, max: chunk, apart: true, now: s.now, logger: s.logger,
	}
}

// name is the name of a kind's turns among processes.
func (s *turnSource) name(kind Kind, of string) string {
	if kind == Any {
		return s.prefix + of
	}
	return s.prefix + of + "/" + kind.String()
}
