// Package twitter publishes to X by its API v2, and says what X takes, so that a post is
// checked when it is made rather than when it is due. Package simulator is X in small.
//
//	Prepare ─▶ POST /2/media/upload/initialize ─▶ …/{id}/append, a segment at a time
//	           ─▶ …/{id}/finalize ─▶ GET /2/media/upload until it is processed
//	           ─▶ POST /2/media/metadata, for the alternative text
//	Publish ─▶ POST /2/tweets
//	Find    ─▶ GET /2/users/{id}/tweets, back to when the call was claimed
//	Comment ─▶ Publish of a reply
//
// X keeps no idempotency keys. It refuses a text that the account has just posted, which
// stands behind Find: a second call after a look that was wrong is a Duplicate, and no
// second post.
//
// The calls are those of X's OpenAPI description, version 2.167 (github.com/xdevplatform/docs).
// What that leaves out (the texts of refusals, the headers of limits) is from docs.x.com, or
// from what people report of the API, and is named where it is used.
package twitter
