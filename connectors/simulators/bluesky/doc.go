// Package bluesky is a PDS of Bluesky in small, with the video service at the same
// address, on a simulated world. What it knows it has from the lexicons and the
// specifications of atproto.com, nothing from the connector it is to judge: a misreading
// of one is then no misreading of both.
package bluesky
