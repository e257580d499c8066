// Package deletions deletes a workspace or an account with all of its data, on the word of
// somebody who may:
//
//	POST /deletions ─▶ what would go, and a confirmation ─▶ POST /deletions/{id}/confirm
//	a platform, for a person ──────────────────────────────▶ POST /connect/{platform}/delete-data
//	                                                                 │
//	                                      GET /deletions/{id} ◀──────┘ how far it is
package deletions
