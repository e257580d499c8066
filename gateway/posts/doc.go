// Package posts is the resource of posts and threads, a thread being a post of several
// entries: creating one or 25, judging, reading, changing, cancelling and retrying them, and
// the timeline of what happened.
//
//	form → fields → build: accounts, time, media, the platforms' constraints
//	     → place: a slot, where it is for a queue
//	     → commit: one transaction; the answer is sent after it, and kept for repetitions
//	     → view
//
// A request whose Idempotency-Key was seen before is answered with the first answer, by the
// store, under the lock that makes it happen once. Before a request is refused as invalid its
// key is looked up, since what was valid then may not be now.
package posts
