// Package googlebusiness says what Google Business Profile takes, so that a post is
// checked when it is made rather than when it is due. The limits are those of local
// posts in the My Business API v4
// (developers.google.com/my-business/reference/rest/v4/accounts.locations.localPosts).
package googlebusiness
