// Package linkedin says what LinkedIn takes, so that a post is checked when it is made
// rather than when it is due. The limits are those of LinkedIn's Posts API
// (learn.microsoft.com/linkedin/marketing/community-management/shares/posts-api).
package linkedin
