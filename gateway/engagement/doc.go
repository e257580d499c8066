// Package engagement is the resource of what people write to accounts: one inbox of comments and
// mentions, what was read of it, the replies to it, and what is spoken in videos.
package engagement
