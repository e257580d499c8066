package egress

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// special is the networks that are not the public internet though they look like it:
// the IANA special-purpose registries for IPv4 and IPv6 (RFC 6890 and its updates),
// multicast, and the one public address that a cloud uses for its metadata.
// For IPv6 only what lies in 2000::/3 is listed, as nothing else passes.
func special() []netip.Prefix {
	return prefixes(
		"0.0.0.0/8",        // this network
		"10.0.0.0/8",       // private
		"100.64.0.0/10",    // shared by carriers (CGNAT); metadata of Alibaba Cloud
		"127.0.0.0/8",      // loopback
		"168.63.129.16/32", // metadata of Azure
		"169.254.0.0/16",   // link-local; metadata of most clouds
		"172.16.0.0/12",    // private
		"192.0.0.0/24",     // IETF protocol assignments; metadata of Oracle Cloud
		"192.0.2.0/24",     // documentation
		"192.88.99.0/24",   // 6to4 relays
		"192.168.0.0/16",   // private
		"198.18.0.0/15",    // benchmarks
		"198.51.100.0/24",  // documentation
		"203.0.113.0/24",   // documentation
		"224.0.0.0/4",      // multicast
		"240.0.0.0/4",      // reserved, and broadcast
		"2001::/23",        // IETF protocol assignments, Teredo among them
		"2001:db8::/32",    // documentation
		"2002::/16",        // 6to4: an IPv4 address inside
		"3fff::/20",        // documentation
	)
}

// globalUnicast is all of IPv6 that is handed out (RFC 4291). Loopback, unique local,
// link-local, multicast, and the forms that hold an IPv4 address (NAT64, compatible)
// lie outside of it.
const globalUnicast = "2000::/3"

func prefixes(texts ...string) []netip.Prefix {
	parsed := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		parsed[i] = netip.MustParsePrefix(text)
	}
	return parsed
}

// IsOutside reports whether a server's address looks like one that the internet reaches: its host is
// neither an address of a private network or of this machine, nor a name that only those know.
func IsOutside(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	if parsed, err := netip.ParseAddr(host); err == nil {
		return newNetworks(nil).permit(parsed)
	}
	top := host[strings.LastIndexByte(host, '.')+1:]
	return top != host && top != "localhost" && top != "local" && top != "internal"
}

// networks tells public addresses from others.
type networks struct {
	allowed []netip.Prefix
	special []netip.Prefix
	global6 netip.Prefix
}

func newNetworks(allowed []netip.Prefix) networks {
	return networks{allowed: allowed, special: special(), global6: netip.MustParsePrefix(globalUnicast)}
}

// permit reports whether a connection to the address may be made. An IPv4 address in
// IPv6 form is judged as what it is.
func (n networks) permit(address netip.Addr) bool {
	if !address.IsValid() || address.Zone() != "" {
		return false
	}
	address = address.Unmap()
	if contains(n.allowed, address) {
		return true
	}
	if address.Is6() && !n.global6.Contains(address) {
		return false
	}
	return !contains(n.special, address)
}

func contains(networks []netip.Prefix, address netip.Addr) bool {
	return slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(address) })
}
