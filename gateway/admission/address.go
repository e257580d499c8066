package admission

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// addresses tells which network a request comes from. X-Forwarded-For is believed only as
// far as trusted proxies wrote it, since anybody can send one.
type addresses struct{ trusted []netip.Prefix }

// of returns the network of a request's sender: with IPv6 the /64, since single addresses
// cost one customer nothing. Without TCP it is the zero prefix.
func (a addresses) of(r *http.Request) netip.Prefix {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Prefix{}
	}
	return networkOf(a.sender(r.Header, peer.Addr().Unmap()))
}

// sender walks the header from its end, where each proxy has added the address it was
// called from, to the first address that is not a trusted proxy.
func (a addresses) sender(header http.Header, peer netip.Addr) netip.Addr {
	if !a.trusts(peer) {
		return peer
	}
	hops := strings.Split(strings.Join(header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop, ok := parseHop(strings.TrimSpace(hops[i]))
		if !ok {
			return peer
		}
		if peer = hop; !a.trusts(peer) {
			return peer
		}
	}
	return peer
}

// parseHop reads an address, with or without a port: some proxies write one.
func parseHop(text string) (netip.Addr, bool) {
	if address, err := netip.ParseAddr(text); err == nil {
		return address.Unmap(), true
	}
	withPort, err := netip.ParseAddrPort(text)
	return withPort.Addr().Unmap(), err == nil
}

func (a addresses) trusts(address netip.Addr) bool {
	return slices.ContainsFunc(a.trusted, func(n netip.Prefix) bool { return n.Contains(address.WithZone("")) })
}

func networkOf(address netip.Addr) netip.Prefix {
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
