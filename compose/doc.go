// Package compose puts the parts together: it starts or reaches PostgreSQL, the log and
// ClickHouse, and wires the roles of one process to them.
//
//	Config ─▶ parts     embedded, or reached by URL; migrated when embedded
//	       ─▶ base      store, log, vault, egress, catalog: what roles share
//	       ─▶ roles     gateway  delay  publish  comment  notify  analytics  listening  sandbox
//	       ─▶ servers   REST API, admin listener, sandbox
//
// It ends in the other order: servers stop taking requests, stages finish the calls in
// hand, announcements are written, then the parts stop. A fault of any of them that
// cannot be mended ends the process.
package compose
