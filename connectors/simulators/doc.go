// Package simulators is the part of connectors that imitates: what stands in for the platforms in the
// sandbox, in tests and under load.
//
//	mastodon … tiktok   one simulator a platform, which shares nothing with its connector but the
//	                    platform's documents
//	simulation          what simulators share: the world of accounts and posts, forced faults, the journal;
//	                    simulationtest is what their own tests stand on
//	sandbox, wall       how simulators are served to test keys, and how people see what was published
//	connectortest       the contract that every connector passes, as tests; graphtest is its part for Meta's
//	conformance         both sides held against the platforms' own descriptions
//
// Where two simulators read alike, or one and its connector, that is meant: each is written by its platform's
// documents, so that a fault of one is not a fault of both.
//
// Nothing here imports a platform's connector, and only tests, the catalog and compose import what is here.
package simulators
