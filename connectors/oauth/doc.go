// Package oauth is how crier is let in by platforms that ask people on pages of their own: the
// authorization code grant of OAuth 2.0 (RFC 6749), with PKCE (RFC 7636) and revocation (RFC 7009).
// What differs between platforms is a Dialect, which each has in its package.
package oauth
