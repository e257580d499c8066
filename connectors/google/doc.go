// Package google is what Google's platforms have in common: consents and tokens
// (developers.google.com/identity/protocols/oauth2/web-server), and how their APIs refuse a call
// (cloud.google.com/apis/design/errors).
package google
