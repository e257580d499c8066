// Package passkey lets people sign in by passkeys (WebAuthn): discoverable ones alone, so that nobody types an
// address, and those that verify who uses them.
package passkey
