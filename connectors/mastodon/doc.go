// Package mastodon publishes to Mastodon and to servers that speak its API. Package
// simulator is one in small.
//
//	Prepare ─▶ POST /api/v2/media ─▶ GET /api/v1/media/{id} until it is processed
//	Publish ─▶ POST /api/v1/statuses, with the delivery's key as Idempotency-Key
//	Find    ─▶ GET /api/v1/accounts/{id}/statuses, back to when the call was claimed
//	Comment ─▶ Publish of a reply
//
// A server keeps an idempotency key for an hour, and not every compatible server
// keeps one at all: the key is a second line behind Find, never a reason to repeat a
// call. What the API takes and answers is documented at docs.joinmastodon.org; where
// that is silent (how text is counted and becomes HTML, the wording of errors), the
// facts come from Mastodon 4's own source.
package mastodon
