// Package catalog is the one table of the platforms: what each takes, how it is
// called, and what simulates it. It is also where test is kept from live.
//
//	delivery ──▶ Catalog.Connector ──┬─ live account ────▶ connector ─▶ egress ─▶ its platform
//	             (switchboard)       └─ sandbox account ─▶ connector ─▶ fence ──▶ the sandbox
//	                                    Server: sandbox's              any other host
//	                                                                   is refused
//
// A platform has two connectors, each with limiter, breaker and sessions of its own.
// The switchboard overrides the server of a sandbox account; the fence then holds for
// every address the connector comes to, by whatever way: redirects, documents, answers.
package catalog
