// Package oauth is how simulated platforms ask people for their consent, and give out tokens: the
// authorization code grant of OAuth 2.0 (RFC 6749). What differs between platforms is a Dialect. It
// shares nothing with how connectors speak OAuth.
package oauth
