// Package threads says what Threads takes, so that a post is checked when it is made
// rather than when it is due. The limits are those of the Threads API
// (developers.facebook.com/docs/threads/overview).
package threads
