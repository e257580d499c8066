// Package graph is what the Graph APIs of Meta have in common: facebook, instagram and
// threads speak them. It reads what an answer says beside its own content.
//
//	answer ─┬─ 2xx ─▶ Pace: how long the account is left alone, by the usage headers
//	        └─ error ─▶ Classify: an Error, by its code, as one of schema
//
// Each platform has codes of its own besides; it asks for the Error in one with
// errors.AsType.
package graph
