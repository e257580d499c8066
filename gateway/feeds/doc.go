// Package feeds is the resource of public posts: monitors of keywords and what they find,
// searches, and public profiles.
package feeds
