// Package mastodon is a Mastodon server in small, on a simulated world. What it knows
// of Mastodon it has from Mastodon's documents and source, nothing from the connector it
// is to judge: a misreading of one is then no misreading of both.
package mastodon
