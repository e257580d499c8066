package main

import (
	"cmp"
	"net"
	"net/url"
)

// isListenAddress reports whether an address is one to listen at: host:port, of which the host may be
// left out.
func isListenAddress(address string) bool {
	_, port, err := net.SplitHostPort(address)
	return err == nil && (port == "0" || isPort(port)) // 0: one that is free
}

// likeListenAddress is an address to listen at that may be meant by one that is none: a port alone, a
// host alone or a URL.
func likeListenAddress(text string) string {
	const host, port = "127.0.0.1", "8080"
	if u, err := url.Parse(text); err == nil && u.Hostname() != "" {
		return net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), port))
	}
	if isPort(text) {
		return net.JoinHostPort(host, text)
	}
	if u, err := url.Parse("//" + text); err == nil && u.Hostname() != "" && u.Port() == "" {
		return net.JoinHostPort(u.Hostname(), port)
	}
	return net.JoinHostPort(host, port)
}
