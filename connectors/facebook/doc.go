// Package facebook says what Facebook pages take, so that a post is checked when it is
// made rather than when it is due. The limits are those of the Graph API's page edges
// (developers.facebook.com/docs/pages-api/posts).
package facebook
