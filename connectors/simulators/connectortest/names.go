package connectortest

import (
	"context"
	"net"
	"net/netip"
	"sync/atomic"
)

const (
	// reboundName leads to this machine when it is first looked up, as a public name would
	// to its server, and to privateAddress from then on.
	reboundName    = "rebound.example"
	privateAddress = "10.0.0.1"
)

// resolver is the system's except for reboundName.
type resolver struct{ lookups atomic.Int32 }

func (r *resolver) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	switch {
	case host != reboundName:
		return net.DefaultResolver.LookupNetIP(ctx, network, host)
	case r.lookups.Add(1) == 1:
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}, nil
	default:
		return []netip.Addr{netip.MustParseAddr(privateAddress)}, nil
	}
}
