// Package tiktok publishes videos to TikTok by its Content Posting API. Package simulator is
// one in small.
//
//	Prepare   POST creator_info/query   what the creator may publish now
//	          POST video/init           ─▶ publish_id, and the address that the video goes to
//	          PUT  upload_url           all parts of it but the last
//	Publish   PUT  upload_url           the last part, the one visible call: from then on TikTok
//	                                    goes on by itself
//	Find      POST status/fetch         by the publish_id, which no other post has
//
// The video comes in parts of crier's bytes: what TikTok pulls from an address leaves no
// publish_id where the answer to its beginning is lost.
//
// A person consents on TikTok's page, and crier acts for that account:
//
//	Authorize ─▶ /v2/auth/authorize/ ─▶ Exchange: POST /v2/oauth/token/
//
// An access token lives for hours; a refresh token is used up by being traded.
//
// The facts are those of developers.tiktok.com/doc: content-posting-api-reference-direct-post,
// -query-creator-info, -get-video-status, content-posting-api-media-transfer-guide,
// content-sharing-guidelines, oauth-user-access-token-management, tiktok-api-v2-rate-limit.
package tiktok
