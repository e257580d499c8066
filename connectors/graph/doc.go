// Package graph is what the Graph APIs of Meta have in common: facebook, instagram and
// threads speak them. It reads what an answer says beside its own content.
//
//	answer ─┬─ 2xx ─▶ Pace: how long the account is left alone, by the usage headers
//	        └─ error ─▶ Answers: what its code means, with the Error as the cause
//
// Containers are how instagram and threads take a post: made, looked at and published, each
// at most once. Search finds what one became, in the account's own list.
//
// What still reads alike in both is where each names its own calls, fields and words: a call is written where
// its platform is.
//
// Each platform has codes of its own besides; it asks for the Error in one with
// errors.AsType.
package graph
