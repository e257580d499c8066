// Package linkedin publishes to LinkedIn, for members and for organizations. Package
// simulator is one in small.
//
//	Prepare ─▶ POST /rest/{images,videos,documents}?action=initializeUpload ─▶ PUT the bytes,
//	           videos in parts ─▶ POST /rest/videos?action=finalizeUpload
//	           ─▶ GET /rest/{images,videos,documents}/{urn} until it is AVAILABLE
//	Publish ─▶ POST /rest/posts; the id is in x-restli-id
//	Find    ─▶ GET /rest/posts?q=author, for organizations: nobody is shown a member's posts
//	Comment ─▶ POST /rest/socialActions/{urn}/comments
//
// Every call names a month's version of the API in LinkedIn-Version. A month lives for a year
// or so, and a call of one that has ended is refused with 426: nothing is wrong with the post
// then, which waits for the operator to set another.
//
// The facts are those of learn.microsoft.com/linkedin: marketing/community-management/shares
// (posts-api, images-api, videos-api, documents-api, multiimage-post-api, poll-post-api,
// comments-api), marketing/versioning, shared/authentication and
// shared/api-guide/concepts/rate-limits.
package linkedin
