// Package pinterest publishes pins on boards of Pinterest. Package simulator is one in small.
//
//	Prepare ─┬─ pictures ─▶ checked; Pinterest fetches them by itself when the pin is made
//	         └─ a video  ─▶ POST /media ─▶ POST the file to upload_url ─▶ GET /media/{id} until it succeeded
//	Publish ─▶ POST /pins
//	Find    ─▶ GET /boards/{id}/pins, or of a section
//
// An account is a board, or a section of one. There are no comments in the API.
//
// The facts are those of Pinterest's OpenAPI description, 5.23.0
// (github.com/pinterest/api-description), and of developers.pinterest.com/docs:
// getting-started/set-up-authentication-and-authorization, reference/rate-limits and
// key-concepts/access-tiers. Nothing there says in which order a board lists its pins.
package pinterest
