// Package listening finds public posts that the monitors of workspaces ask for.
//
//	Jetstream ─▶ Source ─▶ Matcher ─ a chunk each half second ─▶ PostgreSQL, one transaction:
//	                                                               how far the stream was read
//	threads' search ─▶ Poller ─▶ Matcher ─ a page ───────────────▶ what was found, once
//	                                                               the outbox ─▶ topic events
//
// A platform without a stream is searched, by an account of the workspace that asks, within what
// the platform lets it search: the monitors of a workspace have turns, each a page of a keyword.
//
// One process at a time reads a stream, or searches, under a lease. What was found and how far
// the stream was read are committed together, so a crash anywhere repeats posts and loses none,
// and each is found once for a monitor.
package listening
