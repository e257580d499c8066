// Package twitter says what X takes, so that a post is checked when it is made rather
// than when it is due, and counts a text by X's own weights.
package twitter
