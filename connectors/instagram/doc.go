// Package instagram publishes to Instagram through its content publishing API, by Instagram
// Login (developers.facebook.com/docs/instagram-platform/content-publishing). Package
// simulator is it in small.
//
//	Prepare ─▶ POST /me/media, one container for each item of a carousel, then one of the
//	           post ─▶ GET /{container} until it is FINISHED
//	Publish ─▶ POST /me/media_publish ─▶ GET /{media} for its address
//	Find    ─▶ GET /{container}: PUBLISHED or not; if it is, GET /me/media or /me/stories
//	           for which media it became
//	Comment ─▶ POST /{media}/comments; looked for among the media's comments
//
// One picture is a post of the feed, one video a reel, several items a carousel; the setting
// mediaType makes a story of one item. Media is fetched by Instagram from its address; crier
// looks at it first. A container is published once at most and expires after a day.
//
// A person consents on the platform's page; the code is traded for a token of an hour, whose answer says what
// was granted, and that for one that lasts 60 days. It is traded for the next by itself.
package instagram
