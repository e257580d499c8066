// Package devices gives API keys to devices on which nobody can sign in (RFC 8628): the device shows a code,
// and a member who is signed in elsewhere types it and decides. What devices call has OAuth's own shapes:
// forms, and errors whose code is a string.
package devices
