// Package bluesky publishes to Bluesky and every other server of the AT Protocol that
// hosts its accounts. Package simulator is one in small.
//
//	Prepare ─▶ image: uploadBlob ───────────────────▶ blob in the progress
//	           a text with a link: its page ─▶ uploadBlob of the picture ─▶ card in the progress
//	           video: getServiceAuth ─▶ uploadVideo ─▶ job, getJobStatus ─▶ blob
//	Publish ─▶ resolveHandle of each mention ─▶ putRecord at a key of our choosing
//	Comment ─▶ the same, as a reply
//	Find    ─▶ getRecord at that key; after a restore, which lost it, listRecords
//
// The key of a record is made from the delivery (tid.go), so every try writes to the
// same place of the account's repository, and putRecord with an empty swapRecord
// writes there only once. That makes Find authoritative.
//
// All calls but those to the video service run under a session (session.go), which the
// connector opens, renews and forgets by itself.
//
// Facts are from the lexicons, atproto.com/specs, docs.bsky.app and the PDS's source
// (github.com/bluesky-social/atproto, packages/pds).
package bluesky
