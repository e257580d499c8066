// Package cache keeps what every request needs, keys and the accounts of a workspace, for
// as long as it may be stale.
package cache
