// Package threads publishes to Threads through its API
// (developers.facebook.com/docs/threads). Package simulator is it in small.
//
//	Prepare ─▶ POST /me/threads, one container for each item of a carousel, then one of
//	           the post ─▶ GET /{container} until it is FINISHED
//	Publish ─▶ POST /me/threads_publish ─▶ GET /{post} for its address
//	Find    ─▶ GET /{container}: PUBLISHED or not; if it is, GET /me/threads or /me/replies
//	           for which post it became
//	Comment ─▶ container and publish of a reply; looked for among the account's replies
//
// Media is fetched by Threads from its address; crier looks at it first, so that what would
// be refused is refused in words. A container is published once at most and expires after a
// day. Its id is kept before anything is visible: that is why no text goes out by
// auto_publish_text, which leaves nothing to look at.
//
// A person consents on the platform's page; the code is traded for a token of an hour, of which GET /debug_token may tell what
// was granted, and that for one that lasts 60 days. It is traded for the next by itself.
package threads
