// Package facebook publishes to Facebook pages by the Graph API. Package simulator is one in
// small.
//
//	             Prepare                                 Publish, the one visible call
//	a text, a link                                     ─▶ POST /{page}/feed
//	photos       POST /{page}/photos, unpublished each ─▶ POST /{page}/feed, which attaches them
//	a video      POST /{page}/videos, start, transfer… ─▶ POST /{page}/videos, finish
//	a reel       POST /{page}/video_reels, start,
//	             POST upload_url                       ─▶ POST /{page}/video_reels, finish
//	a story      as a reel's, or a photo's             ─▶ POST /{page}/video_stories, finish, or photo_stories
//
// A person consents, and chooses one of their pages:
//
//	Authorize ─▶ Facebook's dialog ─▶ Exchange: GET /oauth/access_token for the code, and again
//	for a token that lives longer, GET /me/permissions ─▶ Entities: GET /me/accounts, a page's
//	token each
//
// Find asks a video by its id, which is known before it is published, and lists the page's
// posts for all else. A photo that was uploaded by the delivery is in no other post.
//
// The facts are those of developers.facebook.com/docs: pages-api/posts, pages-api/comments-mentions,
// video-api/guides/publishing, video-api/guides/reels-publishing, page-stories-api,
// graph-api/reference/page.
package facebook
