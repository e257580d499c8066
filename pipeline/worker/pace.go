package worker

import (
	"time"

	"crier/schema/recent"
)

const (
	// slowCall is how long a call takes at least that is slow.
	slowCall = time.Second
	// paceWeight is the weight of the last call in a server's pace.
	paceWeight = 1.0 / 8
	// pacedKeys and pacedServers are the sizes of a generation of those whose pace is known.
	pacedKeys, pacedServers = 1 << 14, 1 << 12
)

// pace is how quick the calls of a key or of a server were lately. Queues lock it.
type pace struct {
	isKnown bool
	slow    float64 // part of the last calls that was slow

	calling   int       // calls to the server that are under way
	noneQuick time.Time // since when calls are under way and none has been quick
}

// note notes how long a call took. weight is its part in the pace.
func (p *pace) note(took time.Duration, weight float64) {
	wasSlow := 0.0
	if took >= slowCall {
		wasSlow = 1
	}
	if !p.isKnown {
		weight = 1
	}
	p.slow += weight * (wasSlow - p.slow)
	p.isKnown = true
}

func (p *pace) class() class {
	switch {
	case !p.isKnown:
		return unknown
	case p.slow > 0.5:
		return slow
	}
	return quick
}

// begin notes that a call to a server begins.
func (p *pace) begin(now time.Time) {
	if p.calling == 0 {
		p.noneQuick = now
	}
	p.calling++
}

// end notes that a call to a server has ended.
func (p *pace) end(took time.Duration, now time.Time) {
	p.calling--
	if took < slowCall {
		p.noneQuick = now
	}
	p.note(took, paceWeight)
}

// hangs reports whether a server has not answered for so long that it counts as slow, though it may
// have been quick before.
func (p *pace) hangs(now time.Time) bool {
	return p.calling > 0 && now.Sub(p.noneQuick) >= slowCall
}

// paces remembers the pace of a bounded number of keys and servers.
type paces struct {
	keys    *recent.Cache[Key, *pace]
	servers *recent.Cache[serverKey, *pace]
}

type serverKey struct {
	bulkhead Bulkhead
	name     string
}

func newPaces() paces {
	return paces{
		keys:    recent.New(pacedKeys, func(Key) *pace { return new(pace) }),
		servers: recent.New(pacedServers, func(serverKey) *pace { return new(pace) }),
	}
}
