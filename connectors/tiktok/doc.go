// Package tiktok says what TikTok takes, so that a post is checked when it is made
// rather than when it is due. The limits are those of TikTok's Content Posting API
// (developers.tiktok.com/doc/content-posting-api-reference-direct-post).
package tiktok
