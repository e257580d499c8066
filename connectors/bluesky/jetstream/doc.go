// Package jetstream reads Bluesky's Jetstream: all public posts as they are made, as JSON over a
// websocket (github.com/bluesky-social/jetstream).
//
// An event carries the time at which the host met it. That time is where reading is resumed: on
// the same host a little before it, since times can be alike or, where a host has imported them,
// out of order; on another host longer before it, since each host meets an event at a time of
// its own. So events come again, and whoever reads knows them by author, record and revision.
package jetstream
