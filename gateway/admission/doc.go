// Package admission is what every request passes before its operation:
//
//	observe    its id, its time limit, metrics, log, a panic becomes a 500
//	→ enter    a place among those in hand, else 503
//	→ admit    whose key it is (a second's cache), X-RateLimit headers, 429
//	→ enter    another place where it carries a file
//	→ Handler  the permission that its operation needs
//
// A Route is one operation; RequestOf returns what is known of a request while it is
// answered, and Identify what identifies it when it is repeated. What a key may send in
// a minute is shared by all gateways and taken from the database in leases, so that few
// requests wait for a round trip.
package admission
