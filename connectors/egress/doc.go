// Package egress is the only way out: every outbound connection of crier is dialed
// here, and its address is checked after DNS.
//
//	URL → CheckURL, when somebody names it      scheme, user part, host, addresses
//	request → Client → DialContext → resolver   only public addresses are left
//	                                → connect   checked once more on the socket
//	redirect → at most five, never from https to http; its connection is dialed here too
//
// A name that resolves to a public address now and to a private one later gains
// nothing: what is connected to is the address that was checked, never the name.
//
// The resolver and the networks let through are values: tests pass loopback, and the
// addresses the operator configures are exempt one by one.
package egress
